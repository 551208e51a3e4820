import Canonical
import Foundation
import TestSupport
import Testing

@Suite(.onServer, .serialized)
struct `Proofs at two instances at once` {
    /// Proves so often by turns at two instances, `isRight` or not, at most eight at a time, and gathers the replies.
    private func race(
        _ count: Int, _ holder: MPinHolder, _ scene: MPinScene, isRight: @escaping @Sendable (Int) -> Bool
    ) async throws -> [HTTPReply] {
        try await scene.world.withSecondInstance { url in
            let clients = [scene.client, try Client(url, scene.client.app)]
            let places = Turns(8)
            return try await concurrently(count) { number in
                let pins = scene.pins.at(clients[number % 2])
                return try await places.wait {
                    try await patiently {
                        let reply = try await pins.prove(holder, pin: isRight(number) ? holder.pin : holder.wrongPIN)
                        // What was not decided may be tried again: no place for a challenge, or a busy service.
                        return [408, 429, 503].contains(reply.status) ? nil : reply
                    }
                }
            }
        }
    }

    /// Tries again and again what was not decided; a test in which nothing is decided fails.
    private func patiently<Value>(_ attempt: () async throws -> Value?) async throws -> Value {
        for _ in 0..<200 {
            if let value = try await attempt() { return value }
            try await Task.sleep(for: .milliseconds(Int.random(in: 5...50)))
        }
        throw Flow.Unexpected(description: "the service stayed busy")
    }

    /// What the events of an identity say about their own order.
    private func check(_ types: [String], limit: Int) throws -> (failed: Int, isBlocked: Bool) {
        var failures = 0, failed = 0, isBlocked = false
        for type in types {
            #expect(!isBlocked, "\(type) after the end")
            switch type {
            case "MPinAuthenticationFailed":
                #expect(failures < limit)
                failures += 1
                failed += 1
            case "MPinFailuresCleared":
                #expect(failures > 0, "nothing to clear")
                failures = 0
            case "MPinBlocked":
                #expect(failures == limit)
                isBlocked = true
            default: break
            }
        }
        #expect(isBlocked == (failures >= limit))
        return (failed, isBlocked)
    }

    @Test func `with 40 wrong PINs fail thrice and block once`() async throws {
        try await withMPin { scene in
            let holder = try await scene.pins.register("attacked")
            let replies = try await race(40, holder, scene) { _ in false }
            #expect(replies.count { $0.code == "mpin.wrong_pin" } == 2, "\(replies)")
            #expect(replies.count { $0.code == "mpin.blocked" } == 38, "\(replies)")
            let types = try await scene.types(holder.enrolment)
            #expect(
                types.suffix(4) == [
                    "MPinAuthenticationFailed", "MPinAuthenticationFailed",
                    "MPinAuthenticationFailed", "MPinBlocked",
                ])
            #expect(try await scene.world.count("MPinAuthenticationFailed") == 3)
            #expect(try await scene.world.count("MPinBlocked") == 1)
            #expect(try await scene.authentications(holder.enrolment) == 1)
        }
    }

    @Test func `with 20 right PINs never block, and each is recorded`() async throws {
        try await withMPin { scene in
            try await scene.change(["maximumFailures": 1])
            let holder = try await scene.pins.register("busy")
            let replies = try await race(20, holder, scene) { _ in true }
            #expect(replies.allSatisfy { $0.status == 200 }, "\(replies)")
            #expect(try await scene.authentications(holder.enrolment) == 21)
            #expect(try await scene.types(holder.enrolment).last == "MPinRegistered")
        }
    }

    @Test(arguments: [1, 2, 5])
    func `with right and wrong PINs keep the log consistent`(limit: Int) async throws {
        try await withMPin { scene in
            try await scene.change(["maximumFailures": .integer(Int64(limit))])
            let holder = try await scene.pins.register("mixed")
            let replies = try await race(20, holder, scene) { $0 % 3 != 0 }
            let (failed, isBlocked) = try check(try await scene.types(holder.enrolment), limit: limit)
            let right = replies.count { $0.status == 200 }
            let wrong = replies.count { $0.code == "mpin.wrong_pin" }
            let blocked = replies.count { $0.code == "mpin.blocked" }
            #expect(right + wrong + blocked == 20, "\(replies)")
            // A right proof whose identity is blocked before somebody redeems it authenticates nobody.
            #expect((right + 1...right + 1 + blocked).contains(try await scene.authentications(holder.enrolment)))
            #expect(failed == wrong + (isBlocked ? 1 : 0), "each counted failure was told, the last one as blocked")
            #expect((blocked > 0) == isBlocked)
        }
    }

    @Test func `are recorded once where the first proof completes the registration`() async throws {
        try await withMPin { scene in
            let holder = try await scene.pins.confirmed(try await scene.pins.started("first"))
            let replies = try await race(16, holder, scene) { _ in true }
            #expect(replies.allSatisfy { $0.status == 200 }, "\(replies)")
            #expect(try await scene.types(holder.enrolment).count { $0 == "MPinRegistered" } == 1)
            #expect(try await scene.authentications(holder.enrolment) == 16)
        }
    }

    @Test func `open nothing after a revocation that races with them`() async throws {
        try await withMPin { scene in
            let holder = try await scene.pins.register("ending")
            let replies = try await concurrently(12) { number -> HTTPReply in
                if number == 6 { return try await scene.revoke(holder.enrolment) }
                return try await scene.pins.prove(holder)
            }
            #expect(replies.contains { $0.outcome == "done" }, "\(replies)")
            let told = replies.count { $0.status == 200 && $0.outcome == nil }
            #expect(try await scene.authentications(holder.enrolment) >= told + 1)
            #expect(try await scene.types(holder.enrolment).last == "MPinRevoked")
            expectMPinProblem(try await scene.pins.prove(holder), "mpin.ended")
            let position = { (type: String) in
                try await scene.client.events(scene.company, "type=\(type)").compactMap { $0["position"]?.number }.max()
            }
            let (last, end) = (try await position("MPinAuthenticated"), try await position("MPinRevoked"))
            #expect(try #require(last) < (try #require(end)), "no right proof after the end")
        }
    }
}
