import Canonical
import Credentials
import Testing

/// Changing questions and passphrase with the old ones, in both modes.
@Suite(.onServer, .sharedWorld)
struct `A change of credentials` {
    private func change(_ old: Person, to new: Person, _ device: Device, blind: Bool) async throws -> HTTPReply {
        let client = try sharedWorld().client
        return blind
            ? try await client.changeBlind(old, to: new, device) : try await client.change(old, to: new, device)
    }

    /// The same account with other secrets.
    private func renewed(_ old: Person, passphrase: Bool) -> Person {
        let fresh = passphrase ? Person(old.id, at: old.company) : .withQuestions(old.id, at: old.company)
        var new = old
        new.questions = fresh.questions
        new.passphrase = fresh.passphrase
        return new
    }

    @Test(arguments: [true, false], [true, false])
    func `replaces all secrets and ends every session`(blind: Bool, passphrase: Bool) async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "change-\(blind)-\(passphrase).example"
        // From a passphrase to questions alone, and the other way round.
        let old = passphrase ? Person.withQuestions("f", at: company) : Person("f", at: company)
        let founder = try await client.found(company, by: old)
        let before = try await BlindFlow.start(.logins, old, founder.device, client).context.credentialId
        let new = renewed(old, passphrase: passphrase)
        let reply = try await change(old, to: new, founder.device, blind: blind)
        let member = try Member(new, founder.device, reply)

        try expectProblem(try await client.get("/v1/sessions", by: founder.session), "session.invalid")
        #expect(try await client.get("/v1/sessions", by: member.session)["items"]?.items.count == 1)
        let asked = try await BlindFlow.start(.logins, new, founder.device, client)
        expectOutcome(asked.asked, passphrase ? "validatePassphrase" : "validateAnswers")
        #expect(try asked.context.credentialId != before)
        expectOutcome(try await client.logIn(new, founder.device), "success")
        expectOutcome(try await client.logInBlind(new, founder.device), "success")
        #expect(try await world.seeds(of: before) == 0, "the old seed is destroyed")
        #expect(try await world.seeds(of: try asked.context.credentialId) == 1)
        var wrong = new
        wrong.passphrase = wrong.passphrase.map { _ in old.passphrase ?? "something else" }
        wrong.questions = zip(new.questions, old.questions).map { ($0.question, $1.answer) }
        try expectProblem(
            try await client.logIn(wrong, founder.device), passphrase ? "passphrase.incorrect" : "answers.incorrect")
    }

    @Test(arguments: [true, false])
    func `ends the sessions in other tenants, where devices continue with the new secret`(
        blind: Bool
    ) async throws {
        let client = try sharedWorld().client
        let names = ["change-here-\(blind).example", "change-there-\(blind).example"]
        let here = try await client.found(names[0])
        _ = try await client.found(names[1])
        let there = try await client.join(here.person.also("contractor", at: names[1]))
        let new = renewed(here.person, passphrase: true)
        expectOutcome(try await change(here.person, to: new, here.device, blind: blind), "success")
        try expectProblem(try await client.get("/v1/sessions", by: there.session), "session.invalid")
        try expectProblem(
            try await client.post("/v1/sessions/refresh", ["refreshToken": .string(there.refreshToken)], by: .nobody),
            "session.invalid")
        expectOutcome(try await client.logIn(new.also("contractor", at: names[1]), there.device), "success")
    }

    @Test(arguments: [true, false])
    func `needs an authorized device`(blind: Bool) async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("change-device-\(blind).example")
        let new = renewed(founder.person, passphrase: true)
        try expectProblem(
            try await change(founder.person, to: new, Device(), blind: blind), "authorization.not_permitted")
        expectOutcome(try await client.logIn(founder.person, founder.device), "success")
        #expect(try await client.get("/v1/sessions", by: founder.session).status == 200)
    }

    @Test func `with a wrong old secret costs one attempt and changes nothing`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let founder = try await client.found("change-wrong.example")
        let flow = try await Flow.change(founder.person, founder.device, client)
        let asked = try await flow.prove(founder.device)
        var guess = founder.person
        guess.passphrase = "not this one"
        let new = renewed(founder.person, passphrase: true)
        let refused = try await client.send(try flow.change(from: guess, to: new, asked))
        try expectProblem(refused, "passphrase.incorrect", goesOn: true)
        let credential = try await BlindFlow.start(.logins, founder.person, founder.device, client).context
        #expect(try await world.charges(of: credential.credentialId) == 1)
        var four = new
        four.questions.removeLast()
        try expectProblem(
            try await client.send(try flow.change(from: founder.person, to: four, asked)),
            "credentials.five_questions_required")
        #expect(try await world.charges(of: credential.credentialId) == 1, "what was entered newly is checked first")
        expectOutcome(try await client.send(try flow.change(from: founder.person, to: new, asked)), "success")
        try expectProblem(
            try await client.send(try flow.change(from: founder.person, to: new, asked)), "flow.already_used")
    }

    @Test func `answers an unknown employee like a wrong secret`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("change-unknown.example")
        for person in [Person("nobody", at: founder.person.company), Person("nobody", at: "change-nowhere.example")] {
            let device = Device()
            let flow = try await Flow.change(person, device, client)
            let asked = try await flow.prove(device)
            let code = asked.outcome == "validatePassphrase" ? "passphrase.incorrect" : "answers.incorrect"
            try expectProblem(try await client.send(try flow.change(from: person, to: person, asked)), code)
        }
    }

    @Test func `replays its response to a repeated call`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("change-twice.example")
        let flow = try await Flow.change(founder.person, founder.device, client)
        let asked = try await flow.prove(founder.device)
        let new = renewed(founder.person, passphrase: true)
        let request = try flow.change(from: founder.person, to: new, asked, key: "change-\(Person.word())")
        let first = try await client.send(request), second = try await client.send(request)
        expectOutcome(first, "success")
        #expect(first["session"] == second["session"])
    }
}
