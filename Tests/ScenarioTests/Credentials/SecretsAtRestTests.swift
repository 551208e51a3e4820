import Canonical
import Crypto
import Foundation
import Testing
@testable import Credentials

/// Somebody with a copy of the database, all the time in the world, and a list that holds the true answers.
@Suite(.onServer)
struct `An offline attack on the database` {
    /// Tries to open the copies with each combination of candidates, under each key that a thief could think of.
    private func crack(
        _ stored: StoredSecrets, _ candidates: [[String]], _ phrases: [String], seeds: [OPRFSeed]
    ) throws -> Bool {
        let context = stored.context
        var inputs: [VOPRFInput] = []
        for choice in 0..<(candidates.first?.count ?? 0) where context.acceptsAnswers {
            let pairs = zip(context.questionIds, candidates).map { (questionId: $0, answer: $1[choice]) }
            inputs += try SuppliedAnswers(pairs, questionIds: context.questionIds).inputs(context)
        }
        for phrase in phrases where context.acceptsPassphrase {
            inputs.append(
                VOPRFInput(
                    credentialId: context.credentialId, passphrase: try Passphrase(supplied: phrase).secret.bytes))
        }
        for input in inputs {
            let copy = try stored.sealed.copy(in: input.slot)
            // Without any key: what a scheme would use that has no oblivious function.
            var outputs = [
                SecretBytes(Array(SHA384.hash(data: input.bytes))), SecretBytes(Array(SHA256.hash(data: input.bytes))),
            ]
            for seed in seeds { outputs.append(try seed.keys().key(for: input.slot).evaluator()(input)) }
            for output in outputs
            where (try? SealedCopy.open(copy, under: output, slot: input.slot, context: context)) != nil {
                return true
            }
        }
        return false
    }

    @Test(arguments: [true, false])
    func `finds listed secrets with the master key only`(
        withQuestions: Bool
    ) async throws {
        try await inTurn { world in
            let company = "cracked-\(withQuestions).example"
            let person = withQuestions ? Person.withQuestions("f", at: company) : Person("f", at: company)
            _ = try await world.client.foundBlind(company, by: person)
            let stored = try await StoredSecrets.last(in: world)
            let candidates = person.questions.map { ["not this", $0.answer] }
            let phrases = [Person.word()] + (person.passphrase.map { [$0] } ?? [])
            // What lies about in the database in the place of the seed.
            let lying =
                stored.wrapped.flatMap { [Array($0.prefix(32)), Array($0.suffix(32)), Array(SHA256.hash(data: $0))] }
                + [[UInt8](repeating: 0, count: 32), Array(SHA256.hash(data: stored.context.bytes))]
            let guesses = try lying.filter { $0.count == 32 }.map { try OPRFSeed(bytes: $0) }
            #expect(stored.wrapped.isEmpty == false && guesses.count >= 5)
            #expect(try !crack(stored, candidates, phrases, seeds: guesses))
            // The same cracker with the seed, which is what the master key is for: the list was good.
            #expect(try crack(stored, candidates, phrases, seeds: [stored.seed]))
            // No value that confirms a guess lies in a table, and neither does the seed itself.
            let confirmers = try Confirmers(person, stored)
            #expect(confirmers.forms.count > (withQuestions ? 30 : 4))
            let (dump, _) = try await world.dump()
            #expect(confirmers.found(in: dump) == [])
            #expect(!Forms("seed", bytes: stored.seed.bytes).isFound(in: dump))
            // The search finds what is there.
            #expect(Forms("user public key", bytes: stored.context.userPublicKey.bytes).isFound(in: dump))
        }
    }
}

@Suite(.onServer)
struct `Database and logs` {
    @Test func `contain no secret, token, e-mail or employee id in plaintext`() async throws {
        var options = WorldOptions()
        options.customQuestions = true
        try await inTurn(options) { world in
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
        var first = Person.withQuestions("id-\(Person.word())", at: company).withOwnQuestions()
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
            try await client.signed(
                by: admin, "POST", client.path(owned, "/cancellation"), ["note": .string("seen by \(first.email)")]),
            "done")
        expectOutcome(
            try await client.signed(
                by: admin, "POST", client.path(company, "/reclaimed-emails"),
                ["email": .string(owned.email), "reason": .string("wrote to \(owned.email)")]),
            "done")
        let heir = Person("id-\(Person.word())", at: company, email: owned.email)
        let joined = try await client.join(heir)
        let closed = try await client.send(client.request("DELETE", "/v1/sessions/current", by: member.session))
        #expect(closed.status == 204)
        return [admin, owner, renewed, elsewhere, member, joined]
    }
}
