import Canonical
import Testing

@Suite(.onServer, .sharedWorld)
struct `Scenario 3: a contractor` {
    @Test func `registers in a tenant of another domain, and in a second tenant with the answers of the first`()
        async throws
    {
        let client = try sharedWorld().client
        _ = try await client.found("bayunsystems.com")
        _ = try await client.found("second-client.example")
        let contractor = Person.withQuestions(
            "username@customdomain.com", at: "bayunsystems.com", email: "username@customdomain.com")
        let device = Device()
        expectOutcome(try await client.register(contractor, device), "authorizationPending")

        let elsewhere = contractor.also("username@customdomain.com", at: "second-client.example")
        let second = Device()
        let flow = try await Flow.register(elsewhere, second, client)
        let asked = try await flow.prove(second)
        expectOutcome(asked, "validateAnswers")
        let shown = asked["questions"]?.items.compactMap { $0["question"]?.text } ?? []
        #expect(Set(shown) == Set(contractor.questions.map(\.question)))
        try expectProblem(
            try await flow.step("credentials", contractor.credentials), "flow.wrong_step")
        expectOutcome(try await flow.complete(elsewhere, asked), "authorizationPending")

        for (person, device) in [(contractor, device), (elsewhere, second)] {
            expectOutcome(try await client.authorize(device, of: person), "done")
            expectOutcome(try await client.logIn(person, device), "success")
        }
    }

    @Test func `is refused in the second tenant with wrong answers, and may try again in the same flow`() async throws {
        let client = try sharedWorld().client
        _ = try await client.found("first.example")
        _ = try await client.found("other.example")
        let person = Person.withQuestions("temp", at: "first.example")
        _ = try await client.register(person, Device())
        let elsewhere = person.also("temp", at: "other.example")
        let device = Device()
        let flow = try await Flow.register(elsewhere, device, client)
        let asked = try await flow.prove(device)
        let shown = asked["questions"]?.items ?? []
        let wrong = try await flow.step("answers", elsewhere.answers(to: shown) { _, _ in "not at all" })
        try expectProblem(wrong, "answers.incorrect", goesOn: true)
        expectOutcome(try await flow.complete(elsewhere, asked), "authorizationPending")
    }
}
