import Canonical
import Foundation
import Testing

extension MPinScene {
    /// Issues an activation code by the app.
    func issueCode(for userId: String) async throws -> String {
        let reply = try await client.post(client.path(company, "/mpin/activations"), ["userId": .string(userId)])
        expectOutcome(reply, "done")
        let code = try #require(reply["code"]?.text)
        #expect(code.wholeMatch(of: /[0-9]{6}/) != nil)
        #expect(reply["activationId"]?.text?.isUUIDOfVersion8 == true && reply["position"]?.number != nil)
        return code
    }

    /// A code that is not this one.
    func other(than code: String, _ number: Int = 1) -> String {
        let digits = String((((Int(code) ?? 0) + number) % 1_000_000))
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}

@Suite(.onServer)
struct `An activation code` {
    @Test func `verifies the start that enters it, and no other`() async throws {
        try await withMPin { scene in
            let pins = try await scene.unauthorized()
            let code = try await scene.issueCode(for: "invited")
            let enrolment = try await pins.started("invited", ["activateCode": .string(code)])
            #expect(enrolment.isActive)
            #expect(try await scene.types(enrolment) == ["MPinRegistrationStarted", "MPinIdentityVerified"])
            #expect(try await scene.world.count("MPinActivationUsed") == 1)
            let holder = try await pins.confirmed(enrolment)
            #expect(try await pins.prove(holder).status == 200)
            try await scene.expectRefusal("authorization.not_permitted", "a used code") {
                try await pins.start("invited", ["activateCode": .string(code)])
            }
        }
    }

    @Test func `for an address verifies no other address that folds to it`() async throws {
        try await withMPin { scene in
            let pins = try await scene.unauthorized()
            let code = try await scene.issueCode(for: "zoe@straße.example")
            let foreign = try await pins.start("zoe@strasse.example", ["activateCode": .string(code)])
            expectMPinProblem(foreign, "authorization.not_permitted", "an address that folds to the same text")
            #expect(try await scene.world.count("MPinRegistrationStarted") == 0)
            #expect(try await pins.started("Zoe@Straße.example", ["activateCode": .string(code)]).isActive)
        }
    }

    @Test func `ends after five wrong entries, which start nothing`() async throws {
        try await withMPin { scene in
            let pins = try await scene.unauthorized()
            let code = try await scene.issueCode(for: "guessed")
            for number in 1...5 {
                let wrong = scene.other(than: code, number)
                let reply = try await pins.start("guessed", ["activateCode": .string(wrong)])
                expectMPinProblem(reply, "authorization.not_permitted", "\(number)")
            }
            #expect(try await scene.world.count("MPinActivationFailed") == 5)
            #expect(try await scene.world.count("MPinRegistrationStarted") == 0)
            try await scene.expectRefusal("authorization.not_permitted", "the right code after five wrong ones") {
                try await pins.start("guessed", ["activateCode": .string(code)])
            }
            // A second code is another one.
            let next = try await scene.issueCode(for: "guessed")
            #expect(try await pins.started("guessed", ["activateCode": .string(next)]).isActive)
        }
    }

    @Test func `takes four wrong entries, and the right one after them`() async throws {
        try await withMPin { scene in
            let pins = try await scene.unauthorized()
            let code = try await scene.issueCode(for: "clumsy")
            for number in 1...4 {
                _ = try await pins.start("clumsy", ["activateCode": .string(scene.other(than: code, number))])
            }
            #expect(try await pins.started("clumsy", ["activateCode": .string(code)]).isActive)
        }
    }

    @Test func `expires after a day`() async throws {
        try await withMPin { scene in
            let pins = try await scene.unauthorized()
            let late = try await scene.issueCode(for: "late")
            scene.clock.pass(.seconds(86_401))
            try await scene.expectRefusal("authorization.not_permitted") {
                try await pins.start("late", ["activateCode": .string(late)])
            }
        }
    }

    @Test func `ends when the next one is issued for its user id`() async throws {
        try await withMPin { scene in
            let pins = try await scene.unauthorized()
            let first = try await scene.issueCode(for: "twice")
            var second = try await scene.issueCode(for: "twice")
            while second == first { second = try await scene.issueCode(for: "twice") }
            expectMPinProblem(
                try await pins.start("twice", ["activateCode": .string(first)]), "authorization.not_permitted")
            #expect(try await pins.started("twice", ["activateCode": .string(second)]).isActive)
        }
    }

    @Test func `serves for its user id and company only`() async throws {
        try await withMPin { scene in
            let pins = try await scene.unauthorized()
            let code = try await scene.issueCode(for: "owner@mail.example")
            _ = try await scene.client.found("other.example")
            let elsewhere = scene.pins.of("other.example")
            let foreign = try await scene.expectNothingAppended {
                try await elsewhere.start("owner@mail.example", ["activateCode": .string(code)])
            }
            #expect([403, 503].contains(foreign.status), "\(foreign)")
            let other = try await pins.start("thief@mail.example", ["activateCode": .string(code)])
            expectMPinProblem(other, "authorization.not_permitted")
            #expect(try await scene.world.count("MPinRegistrationStarted") == 0)
            #expect(try await scene.world.count("MPinActivationUsed") == 0)
            let enrolment = try await pins.started("OWNER@mail.example", ["activateCode": .string(code)])
            #expect(enrolment.isActive, "user ids are compared in canonical form")
        }
    }

    @Test func `is used once by parallel starts`() async throws {
        try await withMPin { scene in
            let pins = try await scene.unauthorized()
            let code = try await scene.issueCode(for: "raced")
            let replies = try await concurrently(8) { _ in
                try await pins.start("raced", ["activateCode": .string(code)])
            }
            #expect(replies.count { $0.status == 200 } == 1, "\(replies)")
            #expect(try await scene.world.count("MPinActivationUsed") == 1)
            #expect(try await scene.world.count("MPinRegistrationStarted") == 1)
        }
    }

    @Test func `counts parallel guesses exactly`() async throws {
        try await withMPin { scene in
            let pins = try await scene.unauthorized()
            let code = try await scene.issueCode(for: "brute")
            let wrong = (1...20).map { scene.other(than: code, $0) }
            let replies = try await concurrently(20) { number in
                try await pins.start("brute", ["activateCode": .string(wrong[number])])
            }
            #expect(replies.allSatisfy { $0.status == 403 || $0.status == 429 }, "\(replies)")
            #expect(try await scene.world.count("MPinActivationFailed") == 5)
        }
    }

    @Test func `is no code if it is not six digits`() async throws {
        try await withMPin { scene in
            let pins = try await scene.unauthorized()
            _ = try await scene.issueCode(for: "formed")
            for text in ["", "12345", "1234567", "abcdef", " 123456", "１２３４５６", "-12345", "+12345", "1e5000"] {
                let reply = try await pins.start("formed", ["activateCode": .string(text)])
                #expect([400, 403].contains(reply.status), "\(text): \(reply)")
            }
            #expect(try await scene.world.count("MPinRegistrationStarted") == 0)
        }
    }

    @Test func `is issued by an admin's signature or an app with AUTHORIZATION, and by nobody else`() async throws {
        try await withMPin { scene in
            let path = scene.client.path(scene.company, "/mpin/activations")
            let member = try await scene.employee("member")
            let salt = Base64.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) })
            let body: [String: JSONValue] = ["userId": "new@mail.example", "subjectSalt": .string(salt)]
            let limited = try await scene.unauthorized()
            try await scene.expectNothingAppended("codes without authority") {
                expectRefused(try await scene.client.signed(by: member, "POST", path, body))
                expectRefused(try await limited.client.post(path, .object(body)))
                expectRefused(try await scene.client.post(path, .object(body), by: .nobody))
                let asked = try await scene.client.post(path, .object(body), by: scene.founder.session)
                expectOutcome(asked, "signatureRequired")
                #expect(asked["code"] == nil)
                let statement = try bytes(base64: asked["statement"]?.text)
                let text = String(decoding: statement, as: UTF8.self)
                #expect(text.hasPrefix("tenure/v1/mpin-activation\n") && !text.contains("new@mail.example"))
                // The signature is for this user id, and not for another one.
                var other = body
                other["userId"] = "evil@mail.example"
                other["statement"] = asked["statement"]
                other["signature"] = .string(try scene.founder.device.sign(statement))
                expectRefused(try await scene.client.post(path, .object(other), by: scene.founder.session))
            }
            let signed = try await scene.client.signed(by: scene.founder, "POST", path, body)
            expectOutcome(signed, "done")
            let code = try #require(signed["code"]?.text)
            #expect(try await limited.started("new@mail.example", ["activateCode": .string(code)]).isActive)
            let read = try await scene.client.events(
                scene.company, "type=MPinActivationIssued", by: scene.founder.session)
            let log = String(decoding: JSONValue.array(read).canonicalBytes(), as: UTF8.self)
            #expect(!log.contains("\"\(code)\""), "the log has no code")
        }
    }
}

@Suite(.onServer)
struct `The decision that verifies an identity` {
    @Test func `is an app's with AUTHORIZATION or an admin's signature`() async throws {
        try await withMPin { scene in
            let creating = try await scene.unauthorized()
            let member = try await scene.employee("member")
            let first = try await creating.started("first"), second = try await creating.started("second")
            let paths = [first, second].map { scene.path($0, "/verification") }
            try await scene.expectNothingAppended("decisions without authority") {
                expectRefused(try await creating.client.post(paths[0], [:]))
                expectRefused(try await scene.client.signed(by: member, "POST", paths[0]))
                expectRefused(try await scene.client.post(paths[0], [:], by: .nobody))
                expectOutcome(
                    try await scene.client.post(paths[0], [:], by: scene.founder.session), "signatureRequired")
            }
            expectOutcome(try await scene.client.post(paths[0], [:]), "done")
            expectOutcome(try await scene.client.signed(by: scene.founder, "POST", paths[1]), "done")
            for enrolment in [first, second] {
                let holder = try await creating.confirmed(enrolment)
                #expect(try await creating.prove(holder).status == 200)
            }
        }
    }

    @Test func `is not made by a statement about another identity`() async throws {
        try await withMPin { scene in
            let creating = try await scene.unauthorized()
            let good = try await creating.started("good"), evil = try await creating.started("evil")
            let asked = try await scene.client.post(
                scene.path(good, "/verification"), [:], by: scene.founder.session)
            let body: JSONValue = [
                "statement": asked["statement"] ?? .null,
                "signature": .string(try scene.founder.device.sign(base64: asked["statement"]?.text)),
            ]
            try await scene.expectNothingAppended("another identity's statement") {
                for rest in ["/verification", "/link"] {
                    expectRefused(
                        try await scene.client.post(scene.path(evil, rest), body, by: scene.founder.session))
                }
            }
            expectOutcome(
                try await scene.client.post(scene.path(good, "/verification"), body, by: scene.founder.session), "done")
            #expect(try await scene.types(evil) == ["MPinRegistrationStarted"])
        }
    }

    @Test func `is not made by a start if the policy asks for a mail that cannot be sent`() async throws {
        try await withMPin(policy: [:]) { scene in
            for pins in [scene.pins, try await scene.unauthorized()] {
                try await scene.expectRefusal("mail.unavailable") { try await pins.start("alice@mail.example") }
            }
            for userId in [
                "a@b@c.example", "<a@b.example>", "ä@mail.example", "a@mail.example\r\nBcc: x",
            ] {
                let reply = try await scene.expectNothingAppended { try await scene.pins.start(userId) }
                #expect([400, 503].contains(reply.status), "\(userId): \(reply)")
            }
        }
    }

    @Test func `is not made by a forged link, and a GET changes nothing`() async throws {
        try await withMPin { scene in
            let pins = try await scene.unauthorized()
            let userId = Person.word()
            let enrolment = try await pins.started(userId), other = try await pins.started("other")
            let key = String(repeating: "a", count: 64)
            let times = ["4102444800", "0", "-1", "99999999999999999999", "", "1e9"]
            let keys = [
                key, "", key.uppercased(), enrolment.regOTT, String(key.dropLast()), "%00", "<script>alert(1)</script>",
            ]
            try await scene.expectNothingAppended("forged links") {
                for id in [enrolment.identityId, other.identityId, UUID().uuidString.lowercased(), "x"] {
                    for (time, key) in times.map({ ($0, key) }) + keys.map({ (times[0], $0) }) {
                        let rest = "verification/\(id)?expires=\(segment(time))&key=\(segment(key))"
                        for method in ["GET", "POST"] {
                            let reply = try await pins.call(method, rest, by: .nobody)
                            #expect((200..<500).contains(reply.status), "\(method) \(rest): \(reply)")
                            let page = String(decoding: reply.body, as: UTF8.self)
                            #expect(!page.contains("<script>alert") && !page.contains(userId), "\(rest)")
                        }
                    }
                }
                let forged = ["activateKey": JSONValue.string(key)]
                for value in [key, enrolment.regOTT, "", "x"] {
                    var body = forged
                    body["activateKey"] = .string(value)
                    let reply = try await pins.call("POST", "rps/user/\(enrolment.mpinId)", .object(body))
                    expectMPinProblem(
                        reply, reply.code == "request.invalid" ? "request.invalid" : "mpin.unknown", value)
                }
            }
            expectMPinProblem(try await pins.confirm(enrolment), "mpin.unauthorized")
        }
    }
}
