import Canonical
import Credentials
import Foundation
import IdentityService
import Testing

/// A process remembers the log-ins that it began; what happened elsewhere meanwhile counts all the same.
@Suite(.onServer)
struct `A cached flow` {
    @Test func `continues at another instance and back, and a wrong secret in between is charged`() async throws {
        try await inTurn { world in
            let first = try world.client
            let founder = try await first.foundBlind("remembered.example")
            let phrase = try #require(founder.person.passphrase)
            try await world.withSecondInstance { url in
                let second = try Client(url, world.app)
                let begun = try await Flow.logIn(founder.person, founder.device, first)
                let asked = try await begun.at(second).prove(founder.device)
                let here = BlindFlow(flow: begun, device: founder.device, asked: asked)
                let there = BlindFlow(flow: begun.at(second), device: founder.device, asked: asked)
                // The first instance remembers the start, the second one the key step.
                let wrong = try await here.open(try here.opening(passphrase: "not this one"))
                #expect(wrong == nil)
                let refused = try await there.flow.step(
                    "proof", ["userSignature": .string(Base64.encode(Array(repeating: 1, count: 64)))])
                try expectProblem(refused, "passphrase.incorrect")
                let key = try #require(try await here.open(try here.opening(passphrase: phrase)))
                expectOutcome(try await there.flow.step("proof", try there.proof(by: key)), "success")
                try expectProblem(
                    try await here.flow.step("proof", try here.proof(by: key)), "flow.already_used")
                let credential = try here.context.credentialId
                #expect(try await world.charges(of: credential) == 2)
            }
        }
    }

    @Test func `sees a key that was authorized after the evaluation`() async throws {
        try await inTurn { world in
            let client = try world.client
            let founder = try await client.foundBlind("remembered-key.example")
            let tablet = Device()
            expectOutcome(try await client.logInBlind(founder.person, tablet), "authorizationPending")
            let flow = try await BlindFlow.start(.logins, founder.person, tablet, client)
            let key = try #require(try await flow.open(try flow.opening(passphrase: founder.person.passphrase ?? "")))
            let path = client.path(founder.person, "/keys/\(tablet.fingerprint)/authorization")
            expectOutcome(try await client.signed(by: founder, "POST", path), "done")
            expectOutcome(try await flow.flow.step("proof", try flow.proof(by: key)), "success")
        }
    }

    @Test(arguments: [false, true])
    func `sees that the credentials were changed`(isEvaluated: Bool) async throws {
        try await inTurn { world in
            let client = try world.client
            let founder = try await client.foundBlind("remembered-\(isEvaluated)-change.example")
            let flow = try await BlindFlow.start(.logins, founder.person, founder.device, client)
            let opening = try flow.opening(passphrase: try #require(founder.person.passphrase))
            let key = isEvaluated ? try await flow.open(opening) : nil
            var new = founder.person
            new.passphrase = "quite another passphrase"
            expectOutcome(try await client.changeBlind(founder.person, to: new, founder.device), "success")
            if let key {
                try expectProblem(try await flow.flow.step("proof", try flow.proof(by: key)), "request.stale")
            } else {
                let first = try opening.first()
                let reply = try await flow.evaluate([(first.slot, first.element)])
                try expectProblem(reply, "request.stale")
            }
            expectOutcome(try await client.logInBlind(new, founder.device), "success")
        }
    }

    @Test func `sees that the tenant requires blind mode and that the app was unlinked`() async throws {
        try await inTurn { world in
            let client = try world.client, company = "remembered-policy.example"
            let founder = try await client.foundBlind(company)
            let direct = try await Flow.logIn(founder.person, founder.device, client)
            let asked = try await direct.prove(founder.device)
            try await client.change(policy: ["blindOnly": true], of: company, by: founder)
            try expectProblem(try await direct.complete(founder.person, asked), "policy.blind_only")

            let blind = try await BlindFlow.start(.logins, founder.person, founder.device, client)
            let phrase = try #require(founder.person.passphrase)
            let key = try #require(try await blind.open(try blind.opening(passphrase: phrase)))
            let app = try #require(UUID(uuidString: world.app.appId))
            // Another app stays, so that people can log in.
            try await world.linkApp(try await world.makeApp(name: "stays"), to: company)
            try await world.instance.commands.unlinkApp(app, from: company)
            try expectProblem(try await blind.flow.step("proof", try blind.proof(by: key)), "employee.inactive")
            // From now on everybody there is nobody to this app, also for who is remembered.
            let later = try await BlindFlow.start(.logins, founder.person, founder.device, client)
            #expect(try later.context.credentialId != blind.context.credentialId)
        }
    }

    @Test func `answers two concurrent calls once`() async throws {
        try await inTurn { world in
            let client = try world.client
            let founder = try await client.foundBlind("remembered-twice.example")
            let flow = try await BlindFlow.start(.logins, founder.person, founder.device, client)
            let key = try #require(try await flow.open(try flow.opening(passphrase: founder.person.passphrase ?? "")))
            let proof = try flow.proof(by: key)
            let replies = try await concurrently(6) { _ in try await flow.flow.step("proof", proof) }
            #expect(replies.count { $0.outcome == "success" } == 1, "\(replies)")
            for reply in replies where reply.outcome != "success" { try expectProblem(reply, "flow.already_used") }
        }
    }

    @Test func `sees that the employee was cancelled, lost the device or was erased`() async throws {
        try await inTurn { world in
            let client = try world.client, company = "remembered-end.example"
            let founder = try await client.foundBlind(company)
            let ends: [(name: String, code: String, end: (Person, Device) async throws -> Void)] = [
                (
                    "cancelled", "employee.inactive",
                    { person, _ in
                        let path = client.path(person, "/cancellation")
                        expectOutcome(try await client.signed(by: founder, "POST", path), "done")
                    }
                ),
                (
                    "revoked", "authorization.not_permitted",
                    { person, device in
                        let path = client.path(person, "/keys/\(device.fingerprint)/revocation")
                        expectOutcome(try await client.post(path, ["reason": "lost"]), "done")
                    }
                ),
                ("erased", "employee.inactive", { person, _ in _ = try await world.erase(person) }),
            ]
            for (name, code, end) in ends {
                let person = Person(name, at: company), device = Device()
                expectOutcome(try await client.registerBlind(person, device), "authorizationPending")
                expectOutcome(try await client.authorize(device, of: person), "done")
                let flow = try await BlindFlow.start(.logins, person, device, client)
                let key = try #require(try await flow.open(try flow.opening(passphrase: person.passphrase ?? "")))
                try await end(person, device)
                let reply = try await flow.flow.step("proof", try flow.proof(by: key))
                #expect(reply.code == code, "\(name): \(reply)")
            }
        }
    }

    @Test func `belongs to its app, and every instance replays a repeated step`() async throws {
        try await inTurn { world in
            let client = try world.client, company = "remembered-keys.example"
            let founder = try await client.foundBlind(company)
            let other = try await world.makeApp(name: "other")
            try await world.linkApp(other, to: company)
            try await world.withSecondInstance { url in
                let elsewhere = try Client(url, world.app), stranger = try Client(world.baseURL, other)
                let begun = try await Flow.logIn(founder.person, founder.device, client)
                let proof = try begun.proof(founder.device)
                try expectProblem(try await begun.at(stranger).step("key", proof), "flow.expired")
                let asked = try await begun.step("key", proof, key: "key")
                let flow = BlindFlow(flow: begun, device: founder.device, asked: asked)
                let opening = try flow.opening(passphrase: try #require(founder.person.passphrase))
                let first = try opening.first(), body = BlindFlow.body([(first.slot, first.element)])
                try expectProblem(try await begun.at(stranger).step("evaluations", body), "flow.expired")
                let evaluated = try await begun.step("evaluations", body, key: "evaluation")
                let copy = try bytes(base64: evaluated["evaluations"]?.items.first?["sealedCopy"]?.text)
                let evaluation = try bytes(base64: evaluated["evaluations"]?.items.first?["evaluation"]?.text)
                let signed = try flow.proof(by: try first.open(evaluation: evaluation, copy: copy))
                let success = try await begun.step("proof", signed, key: "proof")
                expectOutcome(success, "success")
                for client in [client, elsewhere] {
                    let repeated = begun.at(client)
                    #expect(try await repeated.step("key", proof, key: "key").body == asked.body)
                    #expect(try await repeated.step("evaluations", body, key: "evaluation").body == evaluated.body)
                    #expect(try await repeated.step("proof", signed, key: "proof").body == success.body)
                    try expectProblem(try await repeated.step("proof", signed), "flow.already_used")
                }
                #expect(try await world.charges(of: try flow.context.credentialId) == 1)
            }
        }
    }

    @Test func `of a decoy shows the same at every instance`() async throws {
        try await inTurn { world in
            let first = try world.client, company = "remembered-nobody.example", device = Device()
            _ = try await first.foundBlind(company)
            try await world.withSecondInstance { url in
                let second = try Client(url, world.app)
                for number in 0..<6 {
                    let nobody = Person("nobody \(number)", at: company)
                    // The first instance remembers its flow; the second one meets another for the first time.
                    let here = try await Flow.logIn(nobody, device, first)
                    let there = try await Flow.logIn(nobody, device, first).at(second)
                    let flows = try await [
                        BlindFlow(flow: here, device: device, asked: here.prove(device)),
                        BlindFlow(flow: there, device: device, asked: there.prove(device)),
                    ]
                    let asked = flows.map(\.asked)
                    #expect(asked[0].outcome == asked[1].outcome && asked[0]["opening"] == asked[1]["opening"])
                    #expect(asked[0]["questions"] == asked[1]["questions"])
                    let element = try element(for: flows[0])
                    let replies = [try await flows[0].evaluate([element]), try await flows[1].evaluate([element])]
                    let items = try replies.map { try #require($0["evaluations"]?.items.first) }
                    #expect(items[0]["sealedCopy"] == items[1]["sealedCopy"] && items[0]["sealedCopy"] != nil)
                    // The evaluated element; the proof behind it differs from call to call.
                    let evaluated = try items.map { try bytes(base64: $0["evaluation"]?.text).prefix(49) }
                    #expect(evaluated[0] == evaluated[1])
                }
            }
        }
    }

    /// The first element of an attempt with whatever the flow asks for.
    private func element(for flow: BlindFlow) throws -> (slot: CopySlot, element: [UInt8]) {
        let context = try flow.context
        guard flow.asked.outcome == "validateAnswers" else {
            let first = try flow.opening(passphrase: "whatever it was").first()
            return (first.slot, first.element)
        }
        let ids = context.questionIds
        let answers = try SuppliedAnswers(ids.map { (questionId: $0, answer: "wrong") }, questionIds: ids)
        let first = try BlindOpening(context: context, answers: answers).first()
        return (first.slot, first.element)
    }
}
