import Canonical
import Credentials
import Foundation
import IdentityService
import Postgres
import Testing

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
    @Test func `has a directory from the start, and is charged once where one is missing all the same`() async throws {
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
