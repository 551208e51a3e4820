import Canonical
import Foundation
import MPinCryptography
import Testing

@Suite(.onServer)
struct `An authentication with a PIN` {
    @Test func `accepts the right PIN as often as it comes, with 4 to 8 digits`() async throws {
        try await withMPin { scene in
            for pin in ["0000", "0330", "12345", "99999999"] {
                let holder = try await scene.pins.register("digits-\(pin)", pin: pin)
                for _ in 1...3 { #expect(try await scene.pins.prove(holder).status == 200) }
                #expect(try await scene.authentications(holder.enrolment) == 4)
            }
        }
    }

    @Test func `tells the verdict only with the authOTT`() async throws {
        try await withMPin { scene in
            let holder = try await scene.pins.register("silent")
            var replies: [HTTPReply] = []
            for pin in [holder.pin, holder.wrongPIN] {
                replies.append(try await scene.pins.pass2(try await scene.pins.answer(holder, pin: pin)))
            }
            #expect(replies.allSatisfy { $0.status == 200 })
            #expect(try replies[0].json.members.keys.sorted() == (try replies[1].json.members.keys.sorted()))
            #expect(replies[0].body.count == replies[1].body.count)
            let codes = try replies.map { try #require($0["authOTT"]?.text) }
            #expect(try await scene.pins.authenticate(codes[0]).status == 200)
            // The other form of the request is that of Milagro's clients.
            let body: JSONValue = ["mpinResponse": ["authOTT": .string(codes[1]), "pass": 2, "version": "0.3"]]
            expectMPinProblem(try await scene.pins.call("POST", "authenticate", body), "mpin.wrong_pin")
        }
    }

    @Test func `clears the count of wrong proofs by a right one`() async throws {
        try await withMPin { scene in
            let holder = try await scene.pins.register("clumsy")
            for _ in 1...3 {
                for _ in 1...2 {
                    expectMPinProblem(try await scene.pins.prove(holder, pin: holder.wrongPIN), "mpin.wrong_pin")
                }
                #expect(try await scene.pins.prove(holder).status == 200)
            }
            let round = ["MPinAuthenticationFailed", "MPinAuthenticationFailed", "MPinFailuresCleared"]
            #expect(try await scene.types(holder.enrolment).suffix(9) == (round + round + round)[...])
        }
    }

    @Test func `blocks at the policy's limit, for good and for that identity only`() async throws {
        try await withMPin { scene in
            for limit in [1, 3, 5] {
                try await scene.change(["maximumFailures": .integer(Int64(limit))])
                let holder = try await scene.pins.register("limit-\(limit)")
                let twin = try await scene.pins.register("limit-\(limit)")
                for number in 1...limit {
                    let reply = try await scene.pins.prove(holder, pin: holder.wrongPIN)
                    expectMPinProblem(reply, number < limit ? "mpin.wrong_pin" : "mpin.blocked", "\(limit)")
                }
                for pin in [holder.pin, holder.wrongPIN] {
                    try await scene.expectRefusal("mpin.blocked") { try await scene.pins.prove(holder, pin: pin) }
                }
                try await scene.expectRefusal("mpin.blocked") { try await scene.pins.confirm(holder.enrolment) }
                try await scene.expectRefusal("mpin.blocked") { try await scene.pins.restart(holder.enrolment) }
                #expect(try await scene.pins.prove(twin).status == 200, "another device of the same person")
                try await scene.change(["maximumFailures": 5])
                try await scene.expectRefusal("mpin.blocked", "a new policy unblocks nobody") {
                    try await scene.pins.prove(holder)
                }
            }
        }
    }

    @Test func `stays blocked as time passes`() async throws {
        try await withMPin { scene in
            let holder = try await scene.holder(in: .blocked)
            for _ in 1...3 {
                scene.clock.pass(.seconds(10 * 86_400))
                try await scene.expectRefusal("mpin.blocked") { try await scene.pins.prove(holder) }
            }
        }
    }

    @Test func `counts by the limit that is in force`() async throws {
        try await withMPin { scene in
            try await scene.change(["maximumFailures": 5])
            let holder = try await scene.pins.register("tightened")
            for _ in 1...2 { _ = try await scene.pins.prove(holder, pin: holder.wrongPIN) }
            try await scene.change(["maximumFailures": 1])
            #expect(try await scene.pins.prove(holder).status == 200, "a right one clears")
            expectMPinProblem(try await scene.pins.prove(holder, pin: holder.wrongPIN), "mpin.blocked")
        }
    }

    @Test func `blocks at fifty wrong proofs in the life of an identity`() async throws {
        try await withMPin { scene in
            try await scene.change(["maximumFailures": 5])
            let holder = try await scene.pins.register("patient guesser")
            for number in 1...50 {
                let reply = try await scene.pins.prove(holder, pin: holder.wrongPIN)
                expectMPinProblem(reply, number < 50 ? "mpin.wrong_pin" : "mpin.blocked", "\(number)")
                if number % 4 == 0 { #expect(try await scene.pins.prove(holder).status == 200) }
            }
            let events = try await scene.client.events(scene.company, "type=MPinBlocked")
            #expect(events.map { $0["data"]?["reason"]?.text } == ["lifetime"])
        }
    }

    @Test func `is refused where the policy is off, and appends nothing`() async throws {
        try await withMPin { scene in
            let holder = try await scene.pins.register("off")
            let activated = try await scene.pins.started("activated")
            let waiting = try await scene.unauthorized().started("waiting")
            try await scene.change(["enabled": false])
            scene.clock.pass(.seconds(61))
            try await scene.expectRefusal("mpin.disabled") { try await scene.pins.start("new") }
            try await scene.expectRefusal("mpin.disabled") { try await scene.pins.restart(waiting) }
            try await scene.expectRefusal("mpin.disabled") { try await scene.pins.confirm(activated) }
            for pin in [holder.pin, holder.wrongPIN] {
                try await scene.expectRefusal("mpin.disabled") { try await scene.pins.prove(holder, pin: pin) }
            }
            try await scene.change(["enabled": true])
            #expect(try await scene.pins.prove(holder).status == 200)
        }
    }

    @Test func `of a linked identity needs an active employee`() async throws {
        try await withMPin { scene in
            let member = try await scene.employee("leaver")
            let holder = try await scene.linkedHolder(of: member)
            let reply = try await scene.pins.prove(holder)
            #expect(reply.status == 200 && reply["employee"]?["companyEmployeeId"]?.text == "leaver", "\(reply)")
            #expect(reply["employee"]?["status"]?.text == "active")
            expectOutcome(
                try await scene.client.signed(
                    by: scene.founder, "POST", scene.client.path(member.person, "/cancellation")), "done")
            for pin in [holder.pin, holder.wrongPIN] {
                try await scene.expectRefusal("employee.inactive") { try await scene.pins.prove(holder, pin: pin) }
            }
        }
    }

    @Test func `cannot tell an unknown M-Pin ID before authenticate`() async throws {
        try await withMPin { scene in
            let known = try await scene.pins.register("known")
            let waiting = try await scene.unauthorized().started("known")
            let text = String(decoding: try #require(Hex.decode(known.enrolment.mpinId)), as: UTF8.self)
            let unknown = Hex.encode(Array(text.replacing("known", with: "nobod").utf8))
            var shapes: [[[String: Int]]] = [], last: [HTTPReply] = []
            for mpinId in [known.enrolment.mpinId, waiting.mpinId, unknown] {
                let point = Hex.encode(known.token.encoded)
                let first = try await scene.pins.pass1(mpinId, point)
                #expect(first.status == 200, "\(first)")
                let answer = MPinAnswer(mpinId: mpinId, response: point, handle: first["handle"]?.text ?? "")
                let second = try await scene.pins.pass2(answer)
                #expect(second.status == 200, "\(second)")
                shapes.append(
                    try [first, second].map { try $0.json.members.mapValues { $0.text?.utf8.count ?? 0 } })
                last.append(try await scene.pins.authenticate(second["authOTT"]?.text ?? ""))
            }
            #expect(shapes[0] == shapes[2] && shapes[1] == shapes[2], "\(shapes)")
            expectMPinProblem(last[0], "mpin.wrong_pin")
            expectMPinProblem(last[1], "mpin.unauthorized")
            expectMPinProblem(last[2], "mpin.unauthorized")
            #expect(try last[1].json.members.keys.sorted() == (try last[2].json.members.keys.sorted()))
            #expect(last[1]["detail"] == last[2]["detail"])
        }
    }

    @Test func `of another tenant's identity is that of an unknown one`() async throws {
        try await withMPin { scene in
            _ = try await scene.client.found("other.example")
            let other = scene.pins.of("other.example")
            let holder = try await scene.pins.register("alice@mail.example")
            for pin in [holder.pin, holder.wrongPIN, holder.wrongPIN, holder.wrongPIN] {
                try await scene.expectRefusal("mpin.unauthorized") { try await other.prove(holder, pin: pin) }
            }
            try await scene.expectRefusal("mpin.unknown") { try await other.confirm(holder.enrolment) }
            try await scene.expectRefusal("mpin.unknown") { try await other.restart(holder.enrolment) }
            // A pass 1 here and a pass 2 there are no proof anywhere.
            let answer = try await scene.pins.answer(holder)
            let crossed = try await scene.expectNothingAppended { try await other.finish(answer) }
            #expect([401, 408].contains(crossed.status), "\(crossed)")
            #expect(try await scene.pins.prove(holder).status == 200)
        }
    }
}
