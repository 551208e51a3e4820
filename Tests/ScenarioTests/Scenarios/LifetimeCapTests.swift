import Canonical
import Credentials
import IdentityService
import Testing

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
    func `locks out new devices, tells the owner, and looks the same for nobody`(isBlind: Bool) async throws {
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
