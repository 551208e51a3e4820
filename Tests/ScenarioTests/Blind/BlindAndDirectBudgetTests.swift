import Canonical
import Credentials
import Foundation
import IdentityService
import Postgres
import Testing

/// One budget for both modes. A world of its own, because other people's budgets in the same directory would be counted.
@Suite(.onServer, .sharedWorld)
struct `The budget of both modes` {
    private func started() async throws -> (Member, BlindFlow) {
        let client = try sharedWorld().client
        let company = "guard-both.example"
        let founder = try await client.foundBlind(company, by: .withQuestions("f", at: company))
        return (founder, try await BlindFlow.start(.logins, founder.person, Device(), client))
    }

    @Test func `direct attempts and blind ones are charged to one budget, and a success gives its own back`()
        async throws
    {
        let (founder, flow) = try await started()
        #expect(try await flow.open(try flow.opening(answers: founder.person) { _, _ in "no" }) == nil)
        let shown = flow.asked["questions"]?.items ?? []
        let wrong = try await flow.flow.step("answers", founder.person.answers(to: shown) { _, _ in "no" })
        try expectProblem(wrong, "answers.incorrect")
        // A direct attempt uses up what a blind one before it had left.
        let rest = try flow.opening(answers: founder.person).remaining().map { ($0.slot, $0.element) }
        try expectProblem(try await flow.evaluate(rest), "flow.wrong_step")
        #expect(try await spent(flow) == 2)
        expectOutcome(try #require(try await flow.complete(founder.person)), "authorizationPending")
        #expect(try await spent(flow) == 0)
    }

    /// The largest count in the budgets of the directory in which this flow's user lies.
    private func spent(_ flow: BlindFlow) async throws -> Int {
        let first = Hex.encode([try flow.context.userId.bytes[0]])
        return try await sharedWorld().superuser { connection in
            let rows = try await connection.query(
                """
                SELECT coalesce(max(spent), 0) FROM tenure.budget WHERE right(ledger_id::text, 2) = \(first)
                """)
            return Int(try rows.first?.decode(Int32.self) ?? 0)
        }
    }
}
