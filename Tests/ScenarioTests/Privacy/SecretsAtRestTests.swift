import Canonical
import Foundation
import Testing

@Suite(.onServer)
struct `Database and logs` {
    @Test func `hold no answer, passphrase, secret, token, e-mail or employee id in clear`() async throws {
        try await inTurn { world in
            let client = try world.client
            var secrets = [Forms("app secret", world.app.secret)]
            let other = try await world.issueSecret(for: world.app, roles: ["ACCESS"])
            secrets.append(Forms("another app secret", other))
            for member in try await run(world) {
                secrets += forms(of: member.person)
                secrets.append(Forms("access token", member.accessToken))
                secrets.append(Forms("refresh token", member.refreshToken))
            }
            let (dump, tables) = try await world.dump()
            #expect(tables.contains("tenure.event") && tables.contains("tenure.session") && tables.count >= 12)
            let logs = Data(world.logs.joined(separator: "\n").utf8)
            #expect(dump.count > 50_000 && logs.count > 1_000)
            for secret in secrets {
                #expect(!secret.isFound(in: dump), "\(secret.name) in the database")
                #expect(!secret.isFound(in: logs), "\(secret.name) in the logs")
            }
            // The search finds what is there: company names are clear by decision, fingerprints stand in sessions.
            #expect(Forms("company", "private-one.example").isFound(in: dump))
            let sessions = try await client.get(client.path("private-one.example"))
            #expect(sessions.status == 200)
            #expect(Forms("app id", world.app.appId).isFound(in: dump))
        }
    }

    private func forms(of person: Person) -> [Forms] {
        var forms = [Forms("e-mail", person.email), Forms("employee id", person.id)]
        forms += person.questions.map { Forms("answer", $0.answer) }
        forms += person.questions.map { Forms("question", $0.question) }
        if let passphrase = person.passphrase { forms.append(Forms("passphrase", passphrase)) }
        return forms
    }

    /// Everything that touches personal data: both kinds of credentials, wrong attempts, decisions, a reclaim, a
    /// refresh, malformed requests, idempotency keys.
    private func run(_ world: TenureWorld) async throws -> [Member] {
        let client = try world.client
        let company = "private-one.example"
        var first = Person.withQuestions("id-\(Person.word())", at: company)
        first.questions[0].answer = "Ünïcode \(Person.word()) \"/quoted\""
        let admin = try await client.found(company, by: first)
        try await world.confirmDomain(of: company)
        var owned = Person("id-\(Person.word())", at: company, email: "\(Person.word())@\(company)")
        owned.isCompanyOwnedEmail = true
        let owner = try await client.join(owned)
        let elsewhere = try await client.found(
            "private-two.example", by: owned.also("id-\(Person.word())", at: "private-two.example"))

        let flow = try await Flow.logIn(first, admin.device, client)
        let shown = try await flow.prove(admin.device)["questions"]?.items ?? []
        let half = first.answers(to: shown) { place, answer in place < 2 ? answer : "wrong" }
        try expectProblem(try await flow.step("answers", half, key: "half"), "answers.incorrect")
        let again = try await flow.step("answers", first.answers(to: shown), key: "all")
        let member = try Member(first, admin.device, again)
        for text in [first.email, first.id, first.questions[1].answer] {
            _ = try await client.send(client.request("POST", "/v1/logins").with(body: text))
            _ = try await client.get("/v1/\(segment(text))/sessions", by: .session(member.accessToken))
            _ = try await client.get(client.path(company, "/employees/\(segment(text))"))
        }
        _ = try await client.send(HTTPRequest("GET", "/healthz").with("X-Request-Id", first.email))
        let refreshed = try await client.post(
            "/v1/sessions/refresh", ["refreshToken": .string(owner.refreshToken)], by: .nobody, key: "refresh")
        var renewed = owner
        renewed.accessToken = try #require(refreshed["accessToken"]?.text)
        renewed.refreshToken = try #require(refreshed["refreshToken"]?.text)
        expectOutcome(
            try await client.post(
                client.path(owned, "/cancellation"), ["note": .string("seen by \(first.email)")], by: admin.session),
            "done")
        expectOutcome(
            try await client.post(
                client.path(company, "/reclaimed-emails"),
                ["email": .string(owned.email), "reason": .string("wrote to \(owned.email)")], by: admin.session),
            "done")
        let heir = Person("id-\(Person.word())", at: company, email: owned.email)
        let joined = try await client.join(heir)
        let closed = try await client.send(client.request("DELETE", "/v1/sessions/current", by: member.session))
        #expect(closed.status == 204)
        return [admin, owner, renewed, elsewhere, member, joined]
    }
}
