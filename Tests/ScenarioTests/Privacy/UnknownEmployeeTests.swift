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

    /// How somebody may be challenged.
    enum Kind: CaseIterable, Sendable {
        case answers
        case passphrase
        case either

        var outcome: String { self == .answers ? "validateAnswers" : "validatePassphrase" }
        var showsQuestions: Bool { self != .passphrase }

        /// A person whose credential is of this kind.
        func person(_ id: String, at company: String) -> Person {
            guard self != .answers else { return Person.withQuestions(id, at: company) }
            var person = Person(id, at: company)
            person.questionsWithPassphrase = self == .either
            return person
        }
    }

    /// An id that nobody has and whose decoy asks for this.
    private func stranger(_ company: String, asked kind: Kind, _ client: Client) async throws -> Person {
        // Ids of one length, as the id of the known one is.
        for number in 100..<500 {
            let person = Person("decoy-\(number)", at: company)
            let device = Device()
            let asked = try await Flow.logIn(person, device, client).prove(device)
            if asked.outcome == kind.outcome, (asked["questions"] != nil) == kind.showsQuestions { return person }
        }
        throw Flow.Unexpected(description: "no decoy asks for \(kind)")
    }

    @Test(arguments: Kind.allCases, ["decoys.example", "no-company.example"])
    func `answers like a known one, the same each time`(kind: Kind, company: String) async throws {
        try await inTurn { world in
            let client = try world.client
            let known = kind.person("decoy-000", at: "decoys.example")
            _ = try await client.found("decoys.example", by: known)
            let stranger = try await stranger(company, asked: kind, client)
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

    @Test(arguments: Kind.allCases)
    func `locks after the same number of attempts`(kind: Kind) async throws {
        var options = WorldOptions()
        options.settings.budgets.unknownLimit = 4
        try await inTurn(options) { world in
            let client = try world.client
            let known = kind.person("known", at: "decoys.example")
            _ = try await client.found("decoys.example", by: known)
            var codes: [[String?]] = []
            var waits: [String?] = []
            for person in [known, try await stranger("decoys.example", asked: kind, client)] {
                var seen: [String?] = []
                for _ in 0..<6 { seen.append(try await observe(person, client).seen.code) }
                let device = Device()
                let flow = try await Flow.logIn(person, device, client)
                let asked = try await flow.prove(device)
                let locked =
                    kind == .answers
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
