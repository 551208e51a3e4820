import Canonical
import Credentials
import Foundation
import IdentityService
import Postgres
import Testing

@Suite(.onServer)
struct `Attempts in blind mode` {
    @Test func `at two instances, mixed with direct ones, use exactly the share of their app`() async throws {
        try await inTurn { world in
            let first = try world.client
            let owner = try await first.foundBlind("blind-limit.example")
            try await world.withSecondInstance { url in
                let second = try Client(url, world.app)
                let flows = try await concurrently(90) { number in
                    try await BlindFlow.start(
                        .logins, owner.person, Device(), number.isMultiple(of: 2) ? first : second)
                }
                let replies = try await concurrently(90) { number in
                    if number.isMultiple(of: 3) {
                        return try await flows[number].flow.step("passphrase", ["passphrase": "wrong passphrase"])
                    }
                    let request = try flows[number].opening(passphrase: "wrong passphrase \(number)").first()
                    return try await flows[number].evaluate([(request.slot, request.element)])
                }
                let served = replies.filter { $0.status == 200 || $0.code == "passphrase.incorrect" }
                #expect(served.count == 10)
                #expect(replies.count { $0.code == "credentials.locked" } == 80)
                #expect(try await world.count("AttemptCharged") == 10)
                for reply in replies where reply.code == "credentials.locked" {
                    #expect(reply["evaluations"] == nil)
                }
                // A known device has a budget of its own.
                expectOutcome(try await second.logInBlind(owner.person, owner.device), "success")
            }
        }
    }

    @Test func `that run concurrently in one flow are charged once each`() async throws {
        try await inTurn { world in
            let client = try world.client
            let owner = try await client.foundBlind(
                "blind-one-flow.example", by: .withQuestions("f", at: "blind-one-flow.example"))
            let flow = try await BlindFlow.start(.logins, owner.person, Device(), client)
            let opening = try flow.opening(answers: owner.person)
            let all = try ([opening.first()] + opening.remaining()).map { ($0.slot, $0.element) }
            let replies = try await concurrently(10) { number in try await flow.evaluate([all[number]]) }
            let served = replies.count { $0.status == 200 }
            #expect(served >= 1)
            #expect(replies.allSatisfy { $0.status == 200 || $0.code == "flow.wrong_step" }, "\(replies)")
            #expect(try await world.count("AttemptCharged") == served)
            let last = try await flow.evaluate([all[0]])
            #expect(last.status == 200)
            let rest = try await concurrently(6) { _ in try await flow.evaluate(Array(all[1...])) }
            #expect(rest.count { $0.status == 200 } == 1, "\(rest)")
        }
    }
}

/// One budget for both modes. A world of its own, because other people's budgets in the same directory would be counted.
@Suite(.onServer, .sharedWorld)
struct `The budget of both modes` {
    private func started() async throws -> (Member, BlindFlow) {
        let client = try sharedWorld().client
        let company = "guard-both.example"
        let founder = try await client.foundBlind(company, by: .withQuestions("f", at: company))
        return (founder, try await BlindFlow.start(.logins, founder.person, Device(), client))
    }

    @Test func `is charged by direct and blind attempts alike, and a success refunds its own`()
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
