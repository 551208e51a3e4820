import Canonical
import Foundation
import MPinCryptography
import Testing

/// Encodings that are no point of the subgroup, or not the one encoding of it.
enum HostilePoint {
    private static let zeros = String(repeating: "0", count: 96)
    private static let generatorX =
        "17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"
    private static let generatorY =
        "08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1"

    /// A point of the subgroup, which no check of a point refuses.
    static let generator = "04" + generatorX + generatorY

    static let all: [(name: String, text: String)] = [
        ("infinity as zeros", "04" + zeros + zeros), ("infinity in one byte", "00"),
        ("infinity of ZCash", "40" + zeros), ("off the curve", String(generator.dropLast()) + "2"),
        ("all ones", "04" + String(repeating: "f", count: 192)),
        ("order 3: (0, 2)", "04" + zeros + String(repeating: "0", count: 95) + "2"),
        (
            "generator plus (0, 2)",
            "0405020378a6838af221e734b3a81940eb3ff19c2a7f8cf26150dfc38fc41c37551dc92bb5593d30d4dfc2ee4bb09ad05b"
                + "076f64915185eb7884a368612afcdeb1256b5cda1f116babef88edcf9f60ba73c78b7b2b5fdc41d24e605bf15470ee66"
        ),
        (
            "x = 4, of the whole curve's order",
            "04" + String(repeating: "0", count: 95) + "4"
                + "0a989badd40d6212b33cffc3f3763e9bc760f988c9926b26da9dd85e928483446346b8ed00e1de5d5ea93e354abe706c"
        ),
        (
            "x + p",
            "0431f2e5916b17be2e71b10b4292f558e727dfd7d48af9cbc5087f0ce00dcca27c8b01e83eaace1aefb539f00adb227166"
                + generatorY
        ),
        (
            "y + p",
            "04" + generatorX
                + "22b5066c1d2a878bebb9d8a3b76937bc616d2c1ac9551db5680beb6c22b5aa11eee8c74353dc8ae3c6a9232946c5928c"
        ),
        ("compressed", "02" + generatorX), ("compressed as ZCash does", "97" + generatorX.dropFirst(2)),
        ("another prefix", "06" + generatorX + generatorY), ("no prefix", generatorX + generatorY),
        ("a byte less", String(generator.dropLast(2))), ("a byte more", generator + "00"),
        ("half a byte less", String(generator.dropLast())),
        ("no digits", "04" + String(repeating: "g", count: 192)), ("empty", ""),
        ("0x", "0x" + generator), ("a space", generator + " "),
        ("coordinates exchanged", "04" + generatorY + generatorX),
    ]
}

@Suite(.onServer)
struct `A point of a stranger` {
    @Test func `in the place of U is refused`() async throws {
        try await withMPin { scene in
            let holder = try await scene.pins.register("points")
            for (name, text) in HostilePoint.all {
                try await scene.expectRefusal("mpin.point_invalid", name) {
                    try await scene.pins.pass1(holder.enrolment.mpinId, text)
                }
            }
            #expect(try await scene.pins.prove(holder).status == 200)
        }
    }

    @Test func `in the place of V is refused and not counted`() async throws {
        try await withMPin { scene in
            let holder = try await scene.pins.register("points")
            for (name, text) in HostilePoint.all {
                let answer = try await scene.pins.answer(holder)
                try await scene.expectRefusal("mpin.point_invalid", name) {
                    try await scene.pins.pass2(answer, ["V": .string(text)])
                }
                // Whether the challenge is used up or not, it opens nothing afterwards that it would not open before.
                let after = try await scene.pins.finish(answer)
                #expect(after.status == 200 || after.code == "mpin.request_expired", "\(name): \(after)")
                scene.clock.pass(.seconds(16))
            }
            #expect(!(try await scene.types(holder.enrolment).contains("MPinAuthenticationFailed")))
        }
    }

    @Test func `of the subgroup that proves nothing is a wrong proof`() async throws {
        try await withMPin { scene in
            try await scene.change(["maximumFailures": 5])
            let holder = try await scene.pins.register("generators")
            let first = try await scene.pins.pass1(holder.enrolment.mpinId, HostilePoint.generator)
            #expect(first.status == 200)
            let answer = MPinAnswer(
                mpinId: holder.enrolment.mpinId, response: HostilePoint.generator,
                handle: try #require(first["handle"]?.text))
            expectMPinProblem(try await scene.pins.finish(answer), "mpin.wrong_pin")
            // U itself as V, and the V of an older proof under a new challenge.
            let old = try await scene.pins.answer(holder)
            #expect(try await scene.pins.finish(old).status == 200)
            let fresh = try await scene.pins.answer(holder)
            expectMPinProblem(try await scene.pins.finish(fresh, ["V": .string(old.response)]), "mpin.wrong_pin")
            #expect(try await scene.pins.prove(holder).status == 200)
        }
    }

    @Test func `in UT does not stand in for U`() async throws {
        try await withMPin { scene in
            let holder = try await scene.pins.register("permits")
            let forged = try await scene.pins.pass1(
                holder.enrolment.mpinId, HostilePoint.generator, ["UT": .string(Hex.encode(holder.token.encoded))])
            guard forged.status == 200 else { return #expect(forged.status == 403 || forged.status == 400) }
            let answer = MPinAnswer(
                mpinId: holder.enrolment.mpinId, response: Hex.encode(holder.token.encoded),
                handle: try #require(forged["handle"]?.text))
            expectMPinProblem(try await scene.pins.finish(answer), "mpin.wrong_pin")
        }
    }
}
