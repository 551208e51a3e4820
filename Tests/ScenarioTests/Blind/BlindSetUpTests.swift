import Canonical
import Credentials
import Foundation
import Postgres
import Testing

/// What a record that a client made must be, and when a set-up is closed.
@Suite(.onServer, .sharedWorld)
struct `A blind set-up` {
    private func start(_ person: Person) async throws -> BlindFlow {
        let flow = try await BlindFlow.start(.registrations, person, Device(), try sharedWorld().client)
        expectOutcome(flow.asked, "setCredentials")
        return flow
    }

    @Test func `is charged to nobody, evaluates whole credentials only, and three times at most`() async throws {
        let world = try sharedWorld()
        let person = Person.withQuestions("f", at: "set-up-bounded.example")
        let flow = try await start(person)
        let elements = try flow.setUp(person, plan: try flow.plan()).blinded().elements
        for wrong in [Array(elements[..<1]), Array(elements[1...]), elements + [elements[0]], []] {
            try expectProblem(try await flow.evaluate(wrong), "request.invalid")
        }
        for _ in 0..<3 {
            let reply = try await flow.evaluate(elements)
            #expect(reply.status == 200)
            #expect(reply["evaluations"]?.items.allSatisfy { $0["sealedCopy"] == nil } == true)
        }
        try expectProblem(try await flow.evaluate(elements), "flow.wrong_step")
        #expect(try await world.charges(of: try flow.plan().credentialId) == 0)
    }

    /// What a client could tell otherwise than the flow does.
    enum Lie: CaseIterable {
        case credentialId, userId, answersKey, passphraseKey, cost, mode, device
    }

    @Test(arguments: Lie.allCases) func `takes no record that tells otherwise than its flow`(lie: Lie) async throws {
        let person = Person("f", at: "set-up-\(lie).example")
        let flow = try await start(person)
        let seed = try OPRFSeed.generate()
        let keys = try seed.keys()
        var plan = try flow.plan()
        var signer = flow
        switch lie {
        case .credentialId: plan.credentialId = UUID()
        case .userId: plan.userId = UUID()
        case .answersKey: plan.oprfAnswers = keys.answers.publicKey
        case .passphraseKey: plan.oprfPassphrase = keys.passphrase.publicKey
        case .cost: plan.kdf = try ScryptParameters(log2N: 15)
        case .mode: plan.mode = .direct
        case .device: signer = BlindFlow(flow: flow.flow, device: Device(), asked: flow.asked)
        }
        let new: NewCredentials
        if lie == .passphraseKey {
            let blinded = try flow.setUp(person, plan: plan).blinded()
            new = try blinded.complete(
                evaluations: blinded.elements.map { slot, element in
                    try keys.evaluate(BlindedElement(slot: slot, bytes: element))
                })
        } else {
            new = try await flow.make(person, plan: plan)
        }
        try expectProblem(try await flow.flow.step("proof", try signer.body(new)), "request.invalid")
        expectOutcome(try #require(try await flow.complete(person)), "success")
    }

    @Test func `takes no record that was changed, and no other user's key`() async throws {
        let person = Person("f", at: "set-up-record.example")
        let flow = try await start(person)
        let good = try await flow.newCredentials(person)
        let record = try bytes(base64: good["record"]?.text)
        func with(_ members: [String: JSONValue]) -> JSONValue { .object(good.members.merging(members) { $1 }) }
        func edited(_ change: (inout [UInt8]) -> Void) -> JSONValue {
            var record = record
            change(&record)
            return with(["record": .string(Base64.encode(record))])
        }
        var refused = [0, 1, 40, 76, 78, 90, 160, 300, record.count - 130, record.count - 66, record.count - 1].map {
            place in edited { $0[place] ^= 1 }
        }
        refused.append(edited { $0.removeLast() })
        refused.append(edited { $0.append(0) })
        refused.append(edited { $0 = [] })
        // Without the device's signature, which direct mode does without.
        refused.append(edited { $0 = $0.dropLast(65) + [0] })
        // Another user's key, by whom nothing of this flow was signed: that of somebody who is being set up as well.
        let other = try await start(Person("g", at: "set-up-record.example"))
        let stranger = try await other.newCredentials(Person("g", at: "set-up-record.example"))
        refused.append(with(["userSignature": try #require(stranger["userSignature"])]))
        refused.append(stranger)
        refused.append(["userSignature": try #require(good["userSignature"])])
        for (number, body) in refused.enumerated() {
            let reply = try await flow.flow.step("proof", body)
            #expect(reply.code == "request.invalid", "number \(number): \(reply)")
        }
        expectOutcome(try await flow.flow.step("proof", good), "success")
    }

    @Test func `is closed for evaluation by its commit, in either mode, and its seed is gone from the flow`()
        async throws
    {
        for isDirect in [true, false] {
            let person = Person("f", at: "set-up-closed-\(isDirect).example")
            let flow = try await start(person)
            let elements = try flow.setUp(person, plan: try flow.plan()).blinded().elements
            #expect(try await flow.evaluate(elements).status == 200)
            let reply =
                isDirect
                ? try await flow.flow.step("credentials", person.credentials) : try await flow.complete(person)
            expectOutcome(try #require(reply), "success")
            try expectProblem(try await flow.evaluate(elements), "flow.already_used")
        }
    }

    @Test func `and a direct one at the same time leave one user with one credential`() async throws {
        let person = Person("f", at: "set-up-both.example")
        let flow = try await start(person)
        let blind = try await flow.newCredentials(person)
        let replies = try await concurrently(2) { number in
            number == 0
                ? try await flow.flow.step("proof", blind)
                : try await flow.flow.step("credentials", person.credentials)
        }
        #expect(replies.count { $0.outcome == "success" } == 1, "\(replies)")
        #expect(replies.allSatisfy { $0.outcome == "success" || $0.status == 409 || $0.status == 412 }, "\(replies)")
        let device = flow.device
        expectOutcome(try await sharedWorld().client.logIn(person, device), "success")
        expectOutcome(try await sharedWorld().client.logInBlind(person, device), "success")
    }
}
