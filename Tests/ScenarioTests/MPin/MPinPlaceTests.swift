import Canonical
import Foundation
import MPinAuthority
import Testing

/// The places that identities of one user id take, and how long a start has to wait for one.
@Suite(.onServer)
struct `A place of a user id` {
    /// The wait that a refused start names, in seconds; `nil` if none.
    private func wait(_ reply: HTTPReply) -> Int? { reply.headers["retry-after"].flatMap(Int.init) }

    @Test func `becomes free as soon as a refusal says`() async throws {
        try await withMPin { scene in
            let creating = try await scene.unauthorized()
            for _ in 0..<8 { _ = try await creating.started("waiting") }
            scene.clock.pass(.seconds(100))
            let unverified = try await creating.start("waiting")
            expectMPinProblem(unverified, "request.rate_limited")
            let patience = try #require(wait(unverified))
            #expect((490...500).contains(patience), "\(unverified)")
            scene.clock.pass(.seconds(patience - 10))
            #expect(try await creating.start("waiting").status == 429)
            scene.clock.pass(.seconds(10))
            #expect(try await creating.start("waiting").status == 200)

            for _ in 0..<8 { _ = try await scene.pins.started("verified") }
            scene.clock.pass(.seconds(600))
            let verified = try await creating.start("verified")
            expectMPinProblem(verified, "request.rate_limited")
            let rest = try #require(wait(verified))
            #expect((2_990...3_000).contains(rest), "\(verified)")
            scene.clock.pass(.seconds(rest))
            #expect(try await creating.start("verified").status == 200)
        }
    }

    @Test func `is not held by restarts`() async throws {
        try await withMPin { scene in
            let creating = try await scene.unauthorized()
            var squatters: [MPinEnrolment] = []
            for _ in 0..<8 { squatters.append(try await creating.started("restarted")) }
            for _ in 0..<2 {
                scene.clock.pass(.seconds(200))
                for squatter in squatters { #expect(try await creating.restart(squatter).status == 200) }
            }
            let refused = try await creating.start("restarted")
            expectMPinProblem(refused, "request.rate_limited")
            let rest = try #require(wait(refused))
            #expect((190...200).contains(rest), "\(refused)")
            scene.clock.pass(.seconds(rest))
            #expect(try await creating.start("restarted").status == 200)
        }
    }

    @Test func `is not promised where all identities are registered`() async throws {
        try await withMPin { scene in
            var holders: [MPinHolder] = []
            for _ in 0..<8 { holders.append(try await scene.pins.register("settled")) }
            let reply = try await scene.pins.start("settled")
            #expect(reply.status == 429 && reply.code == "request.rate_limited", "\(reply)")
            #expect(reply.headers["retry-after"] == nil)
            #expect(reply["errors"]?.items.first?["detail"]?.text?.contains("revoke one") == true, "\(reply)")
            expectOutcome(try await scene.revoke(holders[2].enrolment), "done")
            #expect(try await scene.pins.start("settled").status == 200)
        }
    }

    @Test func `of a linked identity is free once the device key is revoked`() async throws {
        try await withMPin { scene in
            let member = try await scene.employee("lost")
            let linked = try await scene.linkedHolder(of: member)
            for _ in 0..<7 { _ = try await scene.pins.register(member.person.email) }
            #expect(try await scene.pins.start(member.person.email).status == 429)
            let path = scene.client.path(member.person, "/keys/\(member.device.fingerprint)/revocation")
            expectOutcome(try await scene.client.post(path, ["reason": "lost"]), "done")
            try await scene.expectRefusal("employee.inactive") { try await scene.pins.prove(linked) }
            #expect(try await scene.pins.start(member.person.email).status == 200)
            #expect(try await scene.types(linked.enrolment).last == "MPinRevoked")
            expectMPinProblem(try await scene.pins.prove(linked), "mpin.ended")
            #expect(try await scene.pins.start(member.person.email).status == 429, "one place, not more")
        }
    }

    @Test func `of a linked identity stays taken, and the identity useless, after a reinstatement`() async throws {
        try await withMPin { scene in
            let member = try await scene.employee("back")
            let holder = try await scene.linkedHolder(of: member)
            for step in ["/cancellation", "/reinstatement"] {
                let path = scene.client.path(member.person, step)
                expectOutcome(try await scene.client.signed(by: scene.founder, "POST", path), "done")
                for pin in [holder.pin, holder.wrongPIN] {
                    try await scene.expectRefusal("employee.inactive", step) {
                        try await scene.pins.prove(holder, pin: pin)
                    }
                }
            }
            // The key of before is revoked for good: the person comes back with a new one, and registers anew.
            let old = try await scene.client.logIn(member.person, member.device)
            #expect(old.status == 403, "\(old)")
            let device = Device()
            expectOutcome(try await scene.client.logIn(member.person, device), "authorizationPending")
            expectOutcome(try await scene.client.authorize(device, of: member.person), "done")
            let again = try Member(member.person, device, try await scene.client.logIn(member.person, device))
            let anew = try await scene.linkedHolder(of: again)
            #expect(try await scene.pins.prove(anew)["employee"]?["companyEmployeeId"]?.text == "back")
        }
    }
}

@Suite(.onServer)
struct `What a client sends in capitals` {
    @Test func `names the same identity and the same points`() async throws {
        try await withMPin { scene in
            var enrolment = try await scene.pins.started("capitals")
            let holder = try await scene.pins.confirmed(enrolment), capitals = enrolment.mpinId.uppercased()
            try #require(capitals != enrolment.mpinId)
            var answer = try await scene.pins.answer(holder, as: capitals)
            answer.response = answer.response.uppercased()
            let proved = try await scene.pins.finish(answer)
            #expect(proved.status == 200, "\(proved)")
            #expect(proved["mpinId"]?.text == enrolment.mpinId)
            let first = try await scene.pins.pass1(capitals, HostilePoint.generator.uppercased())
            #expect(first.status == 200, "\(first)")
            enrolment.mpinId = capitals
            try await scene.expectRefusal("request.invalid") { try await scene.pins.confirm(enrolment) }
        }
    }
}

@Suite(.onServer)
struct `The user id of an authentication` {
    /// What a client enters at the start, and the folded form.
    private static let spellings = [
        ("Zoe@Mail.Example", "zoe@mail.example"), ("zoe@MÜNCHEN.example", "zoe@xn--mnchen-3ya.example"),
        ("  E  1001 ", "e 1001"), ("Straße 7", "strasse 7"),
    ]

    @Test func `is told as entered and folded`() async throws {
        try await withMPin { scene in
            for (entered, folded) in Self.spellings {
                let proved = try await scene.pins.prove(try await scene.pins.register(entered))
                #expect(proved["userId"]?.text == entered && proved["foldedUserId"]?.text == folded, "\(proved)")
            }
        }
    }
}

@Suite(.onServer)
struct `The examples of the contract` {
    /// The values of a member in the examples of the contract.
    private static func examples(_ member: String, in contract: String) -> Set<String> {
        let values = contract.matches(of: /"?\b([A-Za-z_]+)"?: "?([A-Za-z0-9_=&:.%\-]+)"?/)
        return Set(values.filter { $0.1 == member }.map { String($0.2) }.filter { $0.utf8.count > 20 })
    }

    @Test func `are what the service and a D-TA take`() async throws {
        try await withMPin { scene in
            let served = try await scene.client.get("/openapi.yaml", by: .nobody)
            let contract = String(decoding: served.body, as: UTF8.self)
            let enrolment = try await scene.pins.started("sample")
            let confirmed = try await scene.pins.confirm(enrolment)
            let holder = try scene.pins.token(enrolment, confirmed, pin: "2741")
            let queries = Self.examples("params", in: contract)
            try #require(!queries.isEmpty)
            for query in queries {
                // Well-formed: only the signature is not one of this D-TA.
                #expect(scene.keys.secondAnswer(to: query).status == 403, "\(query)")
            }
            for member in ["U", "V"] {
                let points = Self.examples(member, in: contract)
                try #require(!points.isEmpty)
                for point in points {
                    #expect(try await scene.pins.pass1(enrolment.mpinId, point).status == 200, "\(member): \(point)")
                }
            }
            let first = try await scene.pins.pass1(enrolment.mpinId, HostilePoint.generator)
            let second = try await scene.pins.pass2(try await scene.pins.answer(holder))
            let sent = [
                "y": first["y"], "handle": first["handle"], "authOTT": second["authOTT"],
                "regOTT": .string(enrolment.regOTT), "clientSecretShare": confirmed["clientSecretShare"],
            ]
            for (member, value) in sent {
                let length = try #require(value?.text?.utf8.count)
                // A JWK has a member y too, which is no hexadecimal.
                let examples = Self.examples(member, in: contract).filter { example in
                    member != "y" || example.allSatisfy(\.isHexDigit)
                }
                #expect(!examples.isEmpty && examples.allSatisfy { $0.utf8.count == length }, "\(member): \(examples)")
            }
        }
    }
}
