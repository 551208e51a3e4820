import Canonical
import Credentials
import IdentityService
import Testing

@Suite(.onServer)
struct `Scenario 11: a hundred wrong attempts` {
    @Test func `at two instances use exactly the share of their app and do not lock out the owner`()
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

    @Test func `are counted together over spellings, kinds of credential and flows`() async throws {
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

    @Test func `are not charged to the owner's known device, whose own wrong attempts wait longer`()
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

@Suite(.onServer)
struct `The budget of unknown devices` {
    /// One wrong attempt from a new device.
    private func guess(_ person: Person, _ client: Client) async throws -> HTTPReply {
        let device = Device()
        let flow = try await Flow.logIn(person, device, client)
        _ = try await flow.prove(device)
        return try await flow.step("passphrase", ["passphrase": "wrong passphrase"])
    }

    @Test func `is refunded exactly what a successful flow spent`() async throws {
        var options = WorldOptions()
        options.settings.budgets.unknownLimit = 3
        try await inTurn(options) { world in
            let client = try world.client
            let owner = try await client.found("refund.example")
            try expectProblem(try await guess(owner.person, client), "passphrase.incorrect")
            let device = Device()
            let flow = try await Flow.logIn(owner.person, device, client)
            let asked = try await flow.prove(device)
            try expectProblem(
                try await flow.step("passphrase", ["passphrase": "wrong passphrase"]), "passphrase.incorrect")
            expectOutcome(try await flow.complete(owner.person, asked), "authorizationPending")
            // The first guess is still spent: two are left of three.
            for _ in 0..<2 { try expectProblem(try await guess(owner.person, client), "passphrase.incorrect") }
            try expectProblem(try await guess(owner.person, client), "credentials.locked")
        }
    }

    @Test func `refills slowly and stops at the lifetime cap`() async throws {
        var options = WorldOptions()
        options.settings.budgets.unknownLimit = 2
        options.settings.budgets.unknownRefillSeconds = 2
        options.settings.budgets.unknownLifetimeCap = 3
        let clock = TestClock()
        options.settings.now = { clock.now }
        try await inTurn(options) { world in
            let client = try world.client
            let owner = try await client.found("cap.example")
            // A guess takes time, and the budget may fill meanwhile; the cap is exact all the same.
            var wrong = 0
            for _ in 0..<10 {
                let reply = try await guess(owner.person, client)
                if reply.code == "passphrase.incorrect" { wrong += 1 }
                clock.pass(.milliseconds(1_100))
            }
            #expect(wrong == 3)
            try expectProblem(try await guess(owner.person, client), "credentials.locked")
            expectOutcome(try await client.logIn(owner.person, owner.device), "success")
        }
    }
}

/// Few attempts end these credentials, long before a budget is spent.
@Suite(.onServer, .sharedWorld { $0.settings.budgets.unknownLifetimeCap = 3 })
struct `The end of a credential's lifetime` {
    /// One wrong attempt from a new device; the code it got.
    private func guess(_ person: Person, isBlind: Bool, _ client: Client) async throws -> String? {
        let flow = try await BlindFlow.start(.logins, person, Device(), client)
        guard isBlind else {
            return try await wrong(flow, person).code
        }
        let context = try flow.context
        let opening =
            context.acceptsPassphrase
            ? try flow.opening(passphrase: "wrong passphrase")
            : try BlindOpening(
                context: context,
                answers: try SuppliedAnswers(
                    context.questionIds.prefix(3).map { (questionId: $0, answer: "x") },
                    questionIds: context.questionIds))
        let first = try opening.first()
        return try await flow.evaluate([(first.slot, first.element)]).code
    }

    private func wrong(_ flow: BlindFlow, _ person: Person) async throws -> HTTPReply {
        flow.asked.outcome == "validatePassphrase"
            ? try await flow.flow.step("passphrase", ["passphrase": "wrong passphrase"])
            : try await flow.flow.step("answers", person.answers(to: flow.asked["questions"]?.items ?? []))
    }

    @Test(arguments: [false, true])
    func `locks out new devices, notifies the owner, and looks the same for a decoy`(isBlind: Bool) async throws {
        let client = try sharedWorld().client
        let company = isBlind ? "cap-blind.example" : "cap-direct.example"
        let owner = isBlind ? try await client.foundBlind(company) : try await client.found(company)
        func logIn(_ device: Device) async throws -> HTTPReply {
            isBlind ? try await client.logInBlind(owner.person, device) : try await client.logIn(owner.person, device)
        }
        var codes: [[Bool]] = []
        for person in [owner.person, Person("nobody", at: company)] {
            var seen: [Bool] = []
            for attempt in 0..<6 {
                if attempt == 2, person.id == owner.person.id {
                    let before = try await logIn(owner.device)
                    expectOutcome(before, "success")
                    #expect(before["session"]?["credentialsChangeRequired"] == nil)
                }
                seen.append(try await guess(person, isBlind: isBlind, client) == "credentials.locked")
            }
            codes.append(seen)
        }
        #expect(codes == [[false, false, false, true, true, true], [false, false, false, true, true, true]])

        // The right secret is locked out from a new device, with a wait like that of a budget that is spent.
        let flow = try await BlindFlow.start(.logins, owner.person, Device(), client)
        let locked = try await flow.flow.step(
            "passphrase", ["passphrase": .string(try #require(owner.person.passphrase))])
        try expectProblem(locked, "credentials.locked")
        #expect((1...3_600).contains(Int(locked.headers["retry-after"] ?? "") ?? 0))

        for _ in 0..<2 {
            let known = try await logIn(owner.device)
            expectOutcome(known, "success")
            #expect(known["session"]?["credentialsChangeRequired"]?.flag == true)
        }
    }
}
