import Canonical
import Testing

@Suite(.onServer, .sharedWorld)
struct `Scenario 7: answers` {
    /// Each row: which of the five answers are wrong, and what follows.
    @Test(arguments: [
        ([3, 4], true), ([0, 1], true), ([0, 4], true), ([2, 3, 4], false), ([0, 1, 2, 3, 4], false),
    ])
    func `are accepted if three are right, not if two are`(wrong: [Int], passes: Bool) async throws {
        let client = try sharedWorld().client
        let company = "answers-\(wrong.map(String.init).joined()).example"
        let founder = try await client.found(company, by: .withQuestions("f", at: company))
        let flow = try await Flow.logIn(founder.person, founder.device, client)
        let asked = try await flow.prove(founder.device)
        expectOutcome(asked, "validateAnswers")
        let body = founder.person.answers(to: asked["questions"]?.items ?? []) { place, answer in
            wrong.contains(place) ? "wrong \(place)" : answer
        }
        let reply = try await flow.step("answers", body)
        if passes {
            expectOutcome(reply, "success")
        } else {
            try expectProblem(reply, "answers.incorrect", goesOn: true)
        }
    }

    @Test func `are accepted with other white space, capitals and Unicode forms`() async throws {
        let client = try sharedWorld().client
        let company = "forms.example"
        var person = Person.withQuestions("f", at: company)
        for place in person.questions.indices { person.questions[place].answer = "Caf\u{E9} Stra\u{DF}e \(place)" }
        let founder = try await client.found(company, by: person)
        let spellings: [(String) -> String] = [
            { "  " + $0.uppercased() + "\t " }, { $0.replacing(" ", with: " \u{A0}  ") },
            { $0.replacing("\u{E9}", with: "e\u{301}") }, { $0.replacing("C", with: "\u{FF23}") },
        ]
        for spelling in spellings {
            let flow = try await Flow.logIn(person, founder.device, client)
            let asked = try await flow.prove(founder.device)
            let body = person.answers(to: asked["questions"]?.items ?? []) { _, answer in spelling(answer) }
            expectOutcome(try await flow.step("answers", body), "success")
        }
    }

    @Test func `are accepted if only three are given, and fewer are not charged`() async throws {
        let client = try sharedWorld().client
        let company = "three.example"
        let founder = try await client.found(company, by: .withQuestions("f", at: company))
        let device = Device()
        let flow = try await Flow.logIn(founder.person, device, client)
        let asked = try await flow.prove(device)
        let shown = asked["questions"]?.items ?? []
        // More often than an unknown device has attempts.
        for _ in 0..<25 {
            try expectProblem(
                try await flow.step("answers", founder.person.answers(to: Array(shown.prefix(2)))),
                "answers.at_least_three_required")
        }
        expectOutcome(
            try await flow.step("answers", founder.person.answers(to: Array(shown.suffix(3)))),
            "authorizationPending")
    }

    @Test func `given twice for one question are refused`() async throws {
        let client = try sharedWorld().client
        let company = "twice.example"
        let founder = try await client.found(company, by: .withQuestions("f", at: company))
        let flow = try await Flow.logIn(founder.person, founder.device, client)
        let shown = try await flow.prove(founder.device)["questions"]?.items ?? []
        try #require(shown.count == 5)
        let twice = founder.person.answers(to: [shown[0], shown[0], shown[1], shown[2]])
        try expectProblem(try await flow.step("answers", twice), "request.invalid")
    }

    @Test func `that are wrong keep the same questions and get a new challenge`() async throws {
        let client = try sharedWorld().client
        let company = "again.example"
        let founder = try await client.found(company, by: .withQuestions("f", at: company))
        let flow = try await Flow.logIn(founder.person, founder.device, client)
        let asked = try await flow.prove(founder.device)
        let shown = asked["questions"]?.items ?? []
        let wrong = try await flow.step("answers", founder.person.answers(to: shown) { _, _ in "no" })
        try expectProblem(wrong, "answers.incorrect", goesOn: true)
        #expect(wrong.challenge != asked.challenge)
        let second = try await Flow.logIn(founder.person, founder.device, client)
        #expect(try await second.prove(founder.device)["questions"] == asked["questions"])
        expectOutcome(try await flow.step("answers", founder.person.answers(to: shown)), "success")
    }
}

@Suite(.onServer, .sharedWorld)
struct `Scenario 8: a passphrase` {
    @Test func `is requested instead of the questions`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("phrase.example")
        let flow = try await Flow.logIn(founder.person, founder.device, client)
        let asked = try await flow.prove(founder.device)
        expectOutcome(asked, "validatePassphrase")
        #expect(asked["questions"] == nil)
        let answers: [JSONValue] = (0..<3).map {
            ["questionId": .bytes(Array(repeating: $0, count: 16)), "answer": "a"]
        }
        try expectProblem(try await flow.step("answers", ["answers": .array(answers)]), "flow.wrong_step")
        expectOutcome(try await flow.complete(founder.person, asked), "success")
    }

    @Test func `and the questions are requested if the user allowed both`() async throws {
        let client = try sharedWorld().client
        var person = Person("both", at: "both.example")
        person.questionsWithPassphrase = true
        let founder = try await client.found("both.example", by: person)
        let first = try await Flow.logIn(person, founder.device, client)
        let asked = try await first.prove(founder.device)
        expectOutcome(asked, "validatePassphrase")
        let shown = asked["questions"]?.items ?? []
        #expect(shown.count == 5)
        expectOutcome(try await first.step("answers", person.answers(to: shown)), "success")
        expectOutcome(try await client.logIn(person, founder.device), "success")
    }

    @Test func `is compared with its capitals and spaces`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("case.example")
        let phrase = try #require(founder.person.passphrase)
        let flow = try await Flow.logIn(founder.person, founder.device, client)
        let asked = try await flow.prove(founder.device)
        for wrong in [phrase.lowercased(), phrase + " ", phrase.replacing(" ", with: "  ")] {
            let reply = try await flow.step("passphrase", ["passphrase": .string(wrong)])
            try expectProblem(reply, "passphrase.incorrect", goesOn: true)
        }
        expectOutcome(try await flow.complete(founder.person, asked), "success")
    }

    @Test func `is accepted in both Unicode forms`() async throws {
        let client = try sharedWorld().client
        var person = Person("nfc", at: "nfc.example")
        person.passphrase = "Caf\u{E9} au lait"
        let founder = try await client.found("nfc.example", by: person)
        let flow = try await Flow.logIn(person, founder.device, client)
        _ = try await flow.prove(founder.device)
        let reply = try await flow.step("passphrase", ["passphrase": "Cafe\u{301} au lait"])
        expectOutcome(reply, "success")
    }
}
