import Canonical
import IdentityService
import Testing

@Suite(.onServer)
struct `Scenario 11: a hundred wrong attempts` {
    @Test func `from two processes at once use exactly the share of their app, and the owner is not locked out`()
        async throws
    {
        try await inTurn { world in
            let first = try world.client
            let owner = try await first.found("limit.example")
            try await world.withSecondInstance { url in
                let second = try Client(url, world.app)
                let flows = try await concurrently(100) { number in
                    let device = Device()
                    let flow = try await Flow.logIn(owner.person, device, number.isMultiple(of: 2) ? first : second)
                    expectOutcome(try await flow.prove(device), "validatePassphrase")
                    return flow
                }
                let replies = try await concurrently(100) { number in
                    try await flows[number].step("passphrase", ["passphrase": .string("wrong passphrase \(number)")])
                }
                let wrong = replies.filter { $0.code == "passphrase.incorrect" }
                let locked = replies.filter { $0.code == "credentials.locked" }
                #expect(wrong.count == 10)
                #expect(locked.count == 90)
                for reply in wrong { try expectProblem(reply, "passphrase.incorrect", goesOn: true) }
                for reply in locked { try expectProblem(reply, "credentials.locked") }
                #expect(try await world.count("AttemptCharged") == 10)

                // The right passphrase from an unknown device is locked out as well; the known device is not.
                let stranger = try await first.logIn(owner.person, Device())
                try expectProblem(stranger, "credentials.locked")
                for client in [first, second] {
                    expectOutcome(try await client.logIn(owner.person, owner.device), "success")
                }
            }
        }
    }

    @Test func `count together over spellings, kinds of credential and flows`() async throws {
        var options = WorldOptions()
        options.settings.budgets.unknownLimit = 4
        try await inTurn(options) { world in
            let client = try world.client
            var person = Person("Both", at: "Mixed.Example")
            person.questionsWithPassphrase = true
            _ = try await client.found("Mixed.Example", by: person)
            var codes: [String?] = []
            for (number, name) in ["mixed.example", "MIXED.EXAMPLE", " Mixed.Example", "mixed.example"].enumerated() {
                var spelled = person
                spelled.company = name
                let device = Device()
                let flow = try await Flow.logIn(spelled, device, client)
                let shown = try await flow.prove(device)["questions"]?.items ?? []
                let reply =
                    number.isMultiple(of: 2)
                    ? try await flow.step("passphrase", ["passphrase": "wrong passphrase"])
                    : try await flow.step("answers", person.answers(to: shown) { _, _ in "wrong" })
                codes.append(reply.code)
            }
            #expect(
                codes == ["passphrase.incorrect", "answers.incorrect", "passphrase.incorrect", "answers.incorrect"])
            // A registration elsewhere with that person's e-mail asks for the same credential.
            let elsewhere = person.also("x", at: "elsewhere.example")
            let device = Device()
            let flow = try await Flow.register(elsewhere, device, client)
            _ = try await flow.prove(device)
            let reply = try await flow.step("passphrase", ["passphrase": "wrong passphrase"])
            try expectProblem(reply, "credentials.locked")
        }
    }

    @Test func `are not charged to a known device of the owner, whose own wrong ones wait longer and longer`()
        async throws
    {
        var options = WorldOptions()
        options.settings.budgets.knownFreeOfDelay = 2
        options.settings.budgets.knownDelaySeconds = 30
        try await inTurn(options) { world in
            let client = try world.client
            let owner = try await client.found("delay.example")
            for _ in 0..<2 {
                let flow = try await Flow.logIn(owner.person, owner.device, client)
                _ = try await flow.prove(owner.device)
                let reply = try await flow.step("passphrase", ["passphrase": "wrong passphrase"])
                try expectProblem(reply, "passphrase.incorrect", goesOn: true)
            }
            let flow = try await Flow.logIn(owner.person, owner.device, client)
            _ = try await flow.prove(owner.device)
            _ = try await flow.step("passphrase", ["passphrase": "wrong passphrase"])
            let delayed = try await flow.step("passphrase", ["passphrase": "wrong passphrase"])
            try expectProblem(delayed, "credentials.locked")
            // Unknown devices have a budget of their own.
            expectOutcome(try await client.logIn(owner.person, Device()), "authorizationPending")
        }
    }
}
