import Canonical
import Credentials
import IdentityService
import Testing

@Suite(.onServer)
struct `Attempts in blind mode` {
    @Test func `from two processes at once, mixed with direct ones, use exactly the share of their app`() async throws {
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

    @Test func `at once within one flow are charged for as many as were evaluated`() async throws {
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
