import Canonical
import Credentials
import Foundation
import IdentityService
import Postgres
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
    func `is answered like a known one, the same each time`(kind: Kind, company: String) async throws {
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
            // The lengths of names differ, and do not show in the challenge.
            #expect(try await observe(known, client).seen == first.seen)
            #expect(first.seen.challengeBytes > 0)
        }
    }

    @Test(arguments: Kind.allCases)
    func `is locked after the same number of attempts`(kind: Kind) async throws {
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

@Suite(.onServer)
struct `An unknown employee in blind mode` {
    /// Sizes, members and codes of a whole wrong attempt, and how many rows it wrote.
    private struct Shape: Equatable {
        var members: [[String]] = []
        var sizes: [Int] = []
        var codes: [String?] = []
        var budgetRows = 0
    }

    private func attempt(_ person: Person, _ world: TenureWorld) async throws -> Shape? {
        let client = try world.client
        let flow = try await BlindFlow.start(.logins, person, Device(), client)
        guard flow.asked.outcome == "validateAnswers" else { return nil }
        let before = try await budgets(world)
        let context = try flow.context
        let opening = try BlindOpening(
            context: context,
            answers: try SuppliedAnswers(
                context.questionIds.map { (questionId: $0, answer: "wrong") }, questionIds: context.questionIds))
        let first = try opening.first()
        let others = try opening.remaining().map { ($0.slot, $0.element) }
        let one = try await flow.evaluate([(first.slot, first.element)])
        let nine = try await flow.evaluate(others)
        let again = try await flow.evaluate(others)
        let wrong: JSONValue = ["userSignature": .string(Base64.encode([UInt8](repeating: 1, count: 64)))]
        let proof = try await flow.flow.step("proof", wrong)
        let second = try await flow.flow.step("proof", wrong)
        var shape = Shape()
        for reply in [flow.asked, one, nine, again, proof, second] {
            shape.codes.append(reply.code ?? reply.outcome)
            shape.members.append(try reply.json.members.keys.sorted())
            for item in reply["evaluations"]?.items ?? [] {
                shape.members.append(item.members.keys.sorted())
                shape.sizes.append(try bytes(base64: item["evaluation"]?.text).count)
                shape.sizes.append(try bytes(base64: item["sealedCopy"]?.text).count)
            }
        }
        shape.sizes.append(try bytes(base64: flow.asked["opening"]?["context"]?.text).count)
        shape.sizes.append(try bytes(base64: flow.asked["opening"]?["recordHash"]?.text).count)
        shape.sizes.append(one.body.count)
        shape.sizes.append(nine.body.count)
        shape.budgetRows = try await budgets(world) - before
        return shape
    }

    private func budgets(_ world: TenureWorld) async throws -> Int {
        try await world.superuser { connection in
            let rows = try await connection.query("SELECT coalesce(sum(spent), 0) FROM tenure.budget")
            return Int(try rows.first?.decode(Int64.self) ?? 0)
        }
    }

    @Test func `is answered like a known one, in members, sizes, codes and charges`() async throws {
        try await inTurn { world in
            let company = "blind-decoys.example"
            let known = Person.withQuestions("known", at: company)
            _ = try await world.client.foundBlind(company, by: known)
            let real = try #require(try await attempt(known, world))
            #expect(
                real.codes == [
                    "validateAnswers", nil, nil, "flow.wrong_step", "answers.incorrect", "flow.wrong_step",
                ])
            // The budget, the share of the app, and that of the company.
            #expect(real.budgetRows == 3)
            var compared = 0
            for number in 0..<8 {
                guard let unknown = try await attempt(Person("nobody \(number)", at: company), world) else { continue }
                #expect(unknown == real)
                compared += 1
            }
            #expect(compared >= 2)
        }
    }

    @Test func `is locked like a known one, and its keys and context stay the same`() async throws {
        var options = WorldOptions()
        options.settings.budgets.unknownLimit = 3
        try await inTurn(options) { world in
            let client = try world.client
            _ = try await client.foundBlind("blind-locks.example")
            let nobody = Person("nobody", at: "blind-locks.example")
            var contexts: Set<[UInt8]> = []
            var codes: [String?] = []
            for _ in 0..<5 {
                let flow = try await BlindFlow.start(.logins, nobody, Device(), client)
                let context = try flow.context
                contexts.insert(context.bytes)
                let opening =
                    context.acceptsPassphrase
                    ? try flow.opening(passphrase: "wrong passphrase")
                    : try BlindOpening(
                        context: context,
                        answers: try SuppliedAnswers(
                            context.questionIds.prefix(3).map { (questionId: $0, answer: "x") },
                            questionIds: context.questionIds))
                let first = try opening.first()
                codes.append(try await flow.evaluate([(first.slot, first.element)]).code)
            }
            #expect(codes == [nil, nil, nil, "credentials.locked", "credentials.locked"])
            #expect(contexts.count == 1)
        }
    }

    /// Whoever has a name wrote to their directory; so a charge that had to make it would tell that nobody has the name.
    @Test func `has a directory ledger from the start, and is charged once if it is missing`() async throws {
        try await inTurn { world in
            let company = "blind-heads.example"
            let known = Person.withQuestions("known", at: company)
            _ = try await world.client.foundBlind(company, by: known)
            let heads = try await world.number("SELECT count(*) FROM tenure.ledger WHERE size = 0")
            #expect(heads >= 250)
            let real = try #require(try await attempt(known, world))
            var compared = 0, made: Int64 = 0
            for number in 0..<8 {
                _ = try await world.superuser { connection in
                    try await connection.execute("DELETE FROM tenure.ledger WHERE size = 0")
                }
                guard let unknown = try await attempt(Person("nobody \(number)", at: company), world) else { continue }
                #expect(unknown == real)
                // None where nobody's directory happens to be somebody's.
                made += try await world.number("SELECT count(*) FROM tenure.ledger WHERE size = 0")
                compared += 1
            }
            #expect(compared >= 2 && made >= 1 && made <= compared)
        }
    }
}
