import Canonical
import Credentials
import Foundation
import Postgres
import Testing

@Suite(.onServer, .sharedWorld)
struct `Scenario 9: a set-up` {
    /// Starts a registration that is asked to set credentials.
    private func start(_ person: Person, _ client: Client? = nil) async throws -> Flow {
        let device = Device()
        let flow = try await Flow.register(person, device, try client ?? sharedWorld().client)
        expectOutcome(try await flow.prove(device), "setCredentials")
        return flow
    }

    @Test func `needs exactly five different questions`() async throws {
        let person = Person("f", at: "five.example")
        let flow = try await start(person)
        var four = person
        four.questions.removeLast()
        var six = person
        six.questions.append(("A sixth?", "yes"))
        var none = person
        none.questions = []
        var twice = person
        twice.questions[4].question = twice.questions[0].question.uppercased()
        for wrong in [four, six, none, twice] {
            try expectProblem(
                try await flow.step("credentials", wrong.credentials), "credentials.five_questions_required")
        }
        expectOutcome(try await flow.step("credentials", person.credentials), "success")
    }

    @Test func `needs an answer to each question, and a passphrase of at least eight characters if any`() async throws {
        let person = Person("f", at: "incomplete.example")
        let flow = try await start(person)
        var empty = person
        empty.questions[2].answer = ""
        var blank = person
        blank.questions[2].answer = " \t\u{A0}"
        var mute = person
        mute.questions[0].question = "  "
        var short = person
        short.passphrase = "1234567"
        var combining = person
        combining.passphrase = "abcdefe\u{301}"
        for wrong in [empty, blank, mute, short, combining] {
            try expectProblem(try await flow.step("credentials", wrong.credentials), "credentials.incomplete")
        }
        expectOutcome(try await flow.step("credentials", person.credentials), "success")
    }

    @Test func `accepts texts at the size limits and refuses longer ones`() async throws {
        let person = Person("f", at: "sizes.example")
        let app = try await sharedWorld().makeApp(name: "own questions", customQuestions: true)
        let flow = try await start(person, try sharedWorld().client.by(app))
        var answer = person
        answer.questions[1].answer = String(repeating: "a", count: 257)
        var question = person
        question.questions[1].question = String(repeating: "q", count: 257)
        var phrase = person
        phrase.passphrase = String(repeating: "p", count: 1_025)
        // U+FDFA becomes 18 characters in compatibility form: 3 bytes here, 33 there.
        var growing = person
        growing.questions[1].answer = String(repeating: "\u{FDFA}", count: 80)
        for wrong in [answer, question, phrase, growing] {
            let reply = try await flow.step("credentials", wrong.credentials)
            #expect(reply.status == 400, "\(reply)")
            #expect(["request.invalid", "credentials.incomplete"].contains(reply.code))
        }
        var most = person
        most.questions[1] = (String(repeating: "q", count: 256), String(repeating: "a", count: 256))
        most.passphrase = String(repeating: "p", count: 1_024)
        expectOutcome(try await flow.step("credentials", most.credentials), "success")
    }
}

/// What a record that a client made must be, and when a set-up is closed.
@Suite(.onServer, .sharedWorld)
struct `A blind set-up` {
    private func start(_ person: Person) async throws -> BlindFlow {
        let flow = try await BlindFlow.start(.registrations, person, Device(), try sharedWorld().client)
        expectOutcome(flow.asked, "setCredentials")
        return flow
    }

    @Test func `charges no attempt and evaluates complete credentials at most three times`() async throws {
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

    @Test(arguments: Lie.allCases) func `refuses a record that differs from its flow`(lie: Lie) async throws {
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

    @Test func `refuses a changed record and another user's key`() async throws {
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

    @Test func `ends evaluation with its commit in both modes, and removes the seed from the flow`()
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

    @Test func `and a concurrent direct one leave one user with one credential`() async throws {
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
