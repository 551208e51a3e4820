import Canonical
import Testing

@Suite(.onServer, .sharedWorld)
struct `Scenario 8: a passphrase` {
    @Test func `is asked for instead of the questions`() async throws {
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

    @Test func `and the questions are asked for when the user allowed both`() async throws {
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

    @Test func `counts with its capitals and its spaces`() async throws {
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

    @Test func `means the same in both Unicode forms`() async throws {
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
