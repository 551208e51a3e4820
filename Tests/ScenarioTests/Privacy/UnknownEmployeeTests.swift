import Canonical
import IdentityService
import Testing

@Suite(.onServer)
struct `An unknown employee` {
    /// What a caller sees of a login up to a wrong answer: statuses, members, sizes.
    private struct Seen: Equatable {
        var started: [String]
        var challengeBytes: Int
        var asked: [String]
        var outcome: String?
        var questionIds: [Int]
        var wrong: [String]
        var code: String?
    }

    private func observe(_ person: Person, _ client: Client) async throws -> (seen: Seen, questions: JSONValue?) {
        let device = Device()
        let started = try await client.post("/v1/logins", person.login(device))
        let flow = try await Flow.logIn(person, device, client)
        let asked = try await flow.prove(device)
        let shown = asked["questions"]?.items ?? []
        let wrong: HTTPReply
        if asked.outcome == "validateAnswers" {
            wrong = try await flow.step("answers", person.answers(to: shown) { _, _ in "wrong" })
        } else {
            wrong = try await flow.step("passphrase", ["passphrase": "wrong passphrase"])
        }
        let seen = Seen(
            started: try started.json.members.keys.sorted(),
            challengeBytes: Base64.decode(flow.challenge)?.count ?? 0, asked: try asked.json.members.keys.sorted(),
            outcome: asked.outcome, questionIds: shown.map { $0["questionId"]?.text?.utf8.count ?? 0 },
            wrong: try wrong.json.members.keys.sorted(), code: wrong.code)
        return (seen, asked["questions"])
    }

    /// An id that nobody has and whose decoy asks for this.
    private func stranger(_ company: String, asked outcome: String, _ client: Client) async throws -> Person {
        for number in 0..<200 {
            let person = Person("decoy-\(number)", at: company)
            let device = Device()
            let flow = try await Flow.logIn(person, device, client)
            if try await flow.prove(device).outcome == outcome { return person }
        }
        throw Flow.Unexpected(description: "no decoy asks for \(outcome)")
    }

    @Test(arguments: ["validateAnswers", "validatePassphrase"], ["decoys.example", "no-company.example"])
    func `answers like a known one, the same each time`(outcome: String, company: String) async throws {
        try await inTurn { world in
            let client = try world.client
            let known =
                outcome == "validateAnswers"
                ? Person.withQuestions("decoy-000", at: "decoys.example") : Person("decoy-000", at: "decoys.example")
            _ = try await client.found("decoys.example", by: known)
            let stranger = try await stranger(company, asked: outcome, client)
            let first = try await observe(stranger, client)
            #expect(first.questions == (try await observe(stranger, client)).questions)
            var spelled = stranger
            spelled.id = " " + stranger.id.uppercased()
            #expect(first.questions == (try await observe(spelled, client)).questions)
            var real = try await observe(known, client).seen
            // Only the sizes of the names differ, and they are not in the challenge.
            #expect(abs(real.challengeBytes - first.seen.challengeBytes) <= 0)
            real.challengeBytes = first.seen.challengeBytes
            #expect(real == first.seen)
        }
    }

    @Test(arguments: ["validateAnswers", "validatePassphrase"])
    func `locks after the same number of attempts`(outcome: String) async throws {
        var options = WorldOptions()
        options.settings.budgets.unknownLimit = 4
        try await inTurn(options) { world in
            let client = try world.client
            let known =
                outcome == "validateAnswers"
                ? Person.withQuestions("known", at: "decoys.example") : Person("known", at: "decoys.example")
            _ = try await client.found("decoys.example", by: known)
            var codes: [[String?]] = []
            var waits: [String?] = []
            for person in [known, try await stranger("decoys.example", asked: outcome, client)] {
                var seen: [String?] = []
                for _ in 0..<6 { seen.append(try await observe(person, client).seen.code) }
                let device = Device()
                let flow = try await Flow.logIn(person, device, client)
                let asked = try await flow.prove(device)
                let locked =
                    outcome == "validateAnswers"
                    ? try await flow.step("answers", person.answers(to: asked["questions"]?.items ?? []))
                    : try await flow.step("passphrase", ["passphrase": "wrong passphrase"])
                try expectProblem(locked, "credentials.locked")
                codes.append(seen)
                waits.append(locked.headers["retry-after"].map { String($0.count) })
            }
            #expect(codes[0] == codes[1])
            #expect(codes[0].suffix(2) == ["credentials.locked", "credentials.locked"])
            #expect(codes[0].prefix(4).allSatisfy { $0 != "credentials.locked" })
            #expect(waits[0] == waits[1])
        }
    }
}
