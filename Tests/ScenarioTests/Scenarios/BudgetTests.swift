import Canonical
import IdentityService
import Testing

@Suite(.onServer)
struct `The budget of unknown devices` {
    /// One wrong attempt from a new device.
    private func guess(_ person: Person, _ client: Client) async throws -> HTTPReply {
        let device = Device()
        let flow = try await Flow.logIn(person, device, client)
        _ = try await flow.prove(device)
        return try await flow.step("passphrase", ["passphrase": "wrong passphrase"])
    }

    @Test func `gets back what a successful flow spent, and no more`() async throws {
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

    @Test func `fills again slowly, and ends at the cap of a lifetime`() async throws {
        var options = WorldOptions()
        options.settings.budgets.unknownLimit = 2
        options.settings.budgets.unknownRefillSeconds = 2
        options.settings.budgets.unknownLifetimeCap = 3
        try await inTurn(options) { world in
            let client = try world.client
            let owner = try await client.found("cap.example")
            // A guess takes time, and the budget may fill meanwhile; the cap is exact all the same.
            var wrong = 0
            for _ in 0..<10 {
                let reply = try await guess(owner.person, client)
                if reply.code == "passphrase.incorrect" { wrong += 1 }
                try await Task.sleep(for: .milliseconds(1_100))
            }
            #expect(wrong == 3)
            try expectProblem(try await guess(owner.person, client), "credentials.locked")
            expectOutcome(try await client.logIn(owner.person, owner.device), "success")
        }
    }
}
