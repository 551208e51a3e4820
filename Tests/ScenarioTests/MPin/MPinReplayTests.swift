import Canonical
import Foundation
import MPinCryptography
import Testing

@Suite(.onServer)
struct `A challenge of pass 1` {
    @Test func `serves one response`() async throws {
        try await withMPin { scene in
            let holder = try await scene.pins.register("once")
            let answer = try await scene.pins.answer(holder)
            let authOTT = try await scene.pins.authOTT(answer)
            // The same response gets the same answer: a client may repeat what was lost.
            let again = try await scene.expectNothingAppended { try await scene.pins.pass2(answer) }
            #expect(again.status == 200 && again["authOTT"]?.text == authOTT, "\(again)")
            #expect(try await scene.pins.authenticate(authOTT).status == 200)
            #expect(try await scene.authentications(holder.enrolment) == 2)
            // Another response to the same challenge is none, right or wrong.
            let wrong = Hex.encode(holder.token.encoded)
            try await scene.expectRefusal("mpin.request_expired") {
                try await scene.pins.finish(answer, ["V": .string(wrong)])
            }
            try await scene.expectNothingAppended("a replay of the redeemed proof") {
                expectMPinProblem(try await scene.pins.finish(answer), "mpin.request_expired")
            }
        }
    }

    @Test func `serves one of two responses that race`() async throws {
        try await withMPin { scene in
            let holder = try await scene.pins.register("raced")
            let pins = scene.pins
            for _ in 0..<5 {
                let answer = try await pins.answer(holder), wrong = Hex.encode(holder.token.encoded)
                let before = try await scene.authentications(holder.enrolment)
                let replies = try await concurrently(8) { number in
                    try await pins.pass2(answer, number % 2 == 0 ? [:] : ["V": .string(wrong)])
                }
                let codes = Set(replies.filter { $0.status == 200 }.compactMap { $0["authOTT"]?.text })
                var verdicts: [Int] = []
                for code in codes { verdicts.append(try await pins.authenticate(code).status) }
                let right = try await scene.authentications(holder.enrolment) - before
                #expect(verdicts.count { $0 == 200 } == right && right <= 1, "\(verdicts)")
                #expect(verdicts.count { $0 == 200 || $0 == 401 } == 1, "\(verdicts)")
                #expect(try await pins.prove(holder).status == 200, "one wrong proof at a time blocks nobody")
            }
        }
    }

    @Test func `expires after fifteen seconds`() async throws {
        try await withMPin { scene in
            let holder = try await scene.pins.register("slow")
            for pin in [holder.pin, holder.wrongPIN] {
                let answer = try await scene.pins.answer(holder, pin: pin)
                scene.clock.pass(.seconds(16))
                try await scene.expectRefusal("mpin.request_expired") { try await scene.pins.finish(answer) }
            }
            let answer = try await scene.pins.answer(holder)
            scene.clock.pass(.seconds(13))
            #expect(try await scene.pins.finish(answer).status == 200)
        }
    }

    @Test func `serves its own identity only`() async throws {
        try await withMPin { scene in
            let alice = try await scene.pins.register("alice"), bob = try await scene.pins.register("bob")
            let answer = try await scene.pins.answer(alice)
            try await scene.expectRefusal("mpin.request_expired", "Alice's challenge for Bob") {
                try await scene.pins.finish(answer, ["mpin_id": .string(bob.enrolment.mpinId)])
            }
            // Bob asks under Alice's name with his own token: that is a wrong proof of Alice's.
            let forged = try await scene.pins.answer(bob, as: alice.enrolment.mpinId)
            expectMPinProblem(try await scene.pins.finish(forged), "mpin.wrong_pin")
            let unchanged = try await scene.types(bob.enrolment)
            #expect(!unchanged.contains("MPinAuthenticationFailed"))
            for handle in ["", "x", "0", String(repeating: "A", count: 500), answer.handle + "A"] {
                let own = try await scene.pins.answer(bob)
                let reply = try await scene.expectNothingAppended {
                    try await scene.pins.finish(own, ["handle": .string(handle)])
                }
                #expect([400, 408].contains(reply.status), "\(handle): \(reply)")
            }
        }
    }

    @Test func `is the newest one if the client names none`() async throws {
        try await withMPin { scene in
            let holder = try await scene.pins.register("plain")
            for _ in 1...3 {
                var members = try await scene.pins.answer(holder).body().members
                members["handle"] = nil
                let reply = try await scene.pins.call("POST", "rps/pass2", .object(members))
                #expect(reply.status == 200, "\(reply)")
                #expect(try await scene.pins.authenticate(reply["authOTT"]?.text ?? "").status == 200)
            }
        }
    }

    @Test func `is one of at most eight, also if a stranger asks for more`() async throws {
        try await withMPin { scene in
            let holder = try await scene.pins.register("flooded")
            let pins = scene.pins
            var answers: [MPinAnswer] = []
            for _ in 0..<12 {
                do {
                    answers.append(try await pins.answer(holder))
                } catch let refused as MPinScenarioClient.Refused {
                    expectMPinProblem(refused.reply, "request.rate_limited")
                }
            }
            let open = answers
            let replies = try await concurrently(open.count) { number in try await pins.finish(open[number]) }
            #expect(replies.count { $0.status == 200 } == 8, "\(replies)")
            #expect(replies.allSatisfy { $0.status == 200 || $0.code == "mpin.request_expired" }, "\(replies)")
            #expect(try await scene.authentications(holder.enrolment) == 9)
            scene.clock.pass(.seconds(16))
            #expect(try await pins.prove(holder).status == 200)
        }
    }
}

@Suite(.onServer)
struct `An authOTT` {
    @Test func `is redeemed once, whatever it says`() async throws {
        try await withMPin { scene in
            let holder = try await scene.pins.register("once")
            let pins = scene.pins
            for (pin, status) in [(holder.pin, 200), (holder.wrongPIN, 401)] {
                let authOTT = try await pins.authOTT(holder, pin: pin)
                #expect(authOTT.wholeMatch(of: /[A-Za-z0-9_-]{22,128}/) != nil)
                let replies = try await concurrently(8) { _ in try await pins.authenticate(authOTT) }
                #expect(replies.count { $0.status == status } == 1, "\(replies)")
                #expect(replies.count { $0.code == "mpin.request_expired" } == 7, "\(replies)")
                try await scene.expectRefusal("mpin.request_expired") { try await pins.authenticate(authOTT) }
            }
        }
    }

    @Test func `expires after a minute`() async throws {
        try await withMPin { scene in
            let holder = try await scene.pins.register("slow")
            let late = try await scene.pins.authOTT(holder)
            scene.clock.pass(.seconds(61))
            try await scene.expectRefusal("mpin.request_expired") { try await scene.pins.authenticate(late) }
            let early = try await scene.pins.authOTT(holder)
            scene.clock.pass(.seconds(57))
            #expect(try await scene.pins.authenticate(early).status == 200)
        }
    }

    @Test func `of another company, forged or malformed is unknown`() async throws {
        try await withMPin { scene in
            _ = try await scene.client.found("other.example")
            let other = scene.pins.of("other.example")
            let holder = try await scene.pins.register("alice")
            let authOTT = try await scene.pins.authOTT(holder)
            try await scene.expectRefusal("mpin.request_expired") { try await other.authenticate(authOTT) }
            // Neither does another app of the company get what was made through this one.
            let app = try await scene.world.makeApp(name: "the company's other app")
            try await scene.world.linkApp(app, to: scene.company)
            try await scene.expectRefusal("mpin.request_expired") { try await scene.pins.by(app).authenticate(authOTT) }
            var forged = [String(authOTT.dropLast()) + (authOTT.last == "A" ? "B" : "A"), authOTT + "A"]
            forged += [authOTT.lowercased() == authOTT ? authOTT.uppercased() : authOTT.lowercased()]
            for text in forged + [String(repeating: "A", count: authOTT.count)] {
                try await scene.expectRefusal("mpin.request_expired") { try await scene.pins.authenticate(text) }
            }
            for text in ["", "=", "ä", " \(authOTT)", authOTT + "=", String(repeating: "A", count: 5_000)] {
                let reply = try await scene.expectNothingAppended { try await scene.pins.authenticate(text) }
                #expect([400, 408].contains(reply.status), "\(text.prefix(20)): \(reply)")
            }
            #expect(try await scene.pins.authenticate(authOTT).status == 200, "none of these used it")
        }
    }

    @Test func `says what is true when it is redeemed, not what was true before`() async throws {
        try await withMPin { scene in
            let holder = try await scene.pins.register("revoked meanwhile")
            let authOTT = try await scene.pins.authOTT(holder)
            expectOutcome(try await scene.revoke(holder.enrolment), "done")
            let reply = try await scene.expectNothingAppended { try await scene.pins.authenticate(authOTT) }
            #expect(reply.status == 410, "the identity ended before the app was told: \(reply)")
        }
    }
}
