import Canonical
import Credentials
import Foundation
import HTTPAPI
import IdentityService
import Testing

/// Advisories about limits that were passed, or that locked the owner out. `Tests/advisories.md` has the table.
@Suite(.onServer)
struct `Advisories about attempts` {
    /// What became of many wrong attempts by strangers: how many were looked at, and how many turned away.
    private func expectWithinLimit(
        _ replies: [HTTPReply], _ world: TenureWorld, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let limit = BudgetRules().unknownLimit
        let wrong = replies.count { $0.code == "passphrase.incorrect" }
        #expect(wrong > 0 && wrong <= limit, "\(wrong)", sourceLocation: sourceLocation)
        #expect(
            replies.count { $0.code == "credentials.locked" } == replies.count - wrong, "\(replies)",
            sourceLocation: sourceLocation)
        #expect(try await world.count("AttemptCharged") == wrong, sourceLocation: sourceLocation)
    }

    private func flows(
        _ count: Int, of person: Person, at clients: [Client]
    ) async throws -> [Flow] {
        try await concurrently(count) { number in
            let device = Device()
            let flow = try await Flow.logIn(person, device, clients[number % clients.count])
            expectOutcome(try await flow.prove(device), "validatePassphrase")
            return flow
        }
    }

    @Test func `CVE-2023-47111, CVE-2024-4629: parallel attempts at two services do not exceed the limit`() async throws
    {
        try await inTurn { world in
            let client = try world.client
            let owner = try await client.found("parallel.example")
            try await world.withSecondInstance { url in
                let flows = try await flows(60, of: owner.person, at: [client, try Client(url, world.app)])
                let replies = try await concurrently(60) { number in
                    try await flows[number].step("passphrase", ["passphrase": .string("wrong phrase \(number)")])
                }
                try await expectWithinLimit(replies, world)
            }
        }
    }

    @Test func `CVE-2025-64102, CVE-2026-33640: newer calls are charged too, and the owner is not locked out`()
        async throws
    {
        try await inTurn { world in
            let client = try world.client
            let owner = try await client.foundBlind("newer.example")
            let spent = try await flows(BudgetRules().unknownLimit, of: owner.person, at: [client])
            for flow in spent {
                _ = try await flow.step("passphrase", ["passphrase": "wrong phrase"])
            }
            // The blind call, and the right passphrase as the next attempt: a stranger learns nothing more.
            let blind = try await BlindFlow.start(.logins, owner.person, Device(), client)
            let opening = try blind.opening(passphrase: try #require(owner.person.passphrase))
            let element = try opening.first()
            try expectProblem(
                try await blind.evaluate([(element.slot, element.element)]), "credentials.locked")
            try expectProblem(try await client.logIn(owner.person, Device()), "credentials.locked")
            expectOutcome(try await client.logIn(owner.person, owner.device), "success")
            expectOutcome(try await client.logInBlind(owner.person, owner.device), "success")
        }
    }

    @Test func `CVE-2025-24806: six spellings of one account share one counter`() async throws {
        try await inTurn { world in
            let client = try world.client
            let owner = try await client.found("Spelled.Example", by: Person("Jo Ann", at: "Spelled.Example"))
            let spellings = [
                ("Spelled.Example", "Jo Ann"), ("spelled.example", "jo ann"), ("SPELLED.EXAMPLE", "JO  ANN"),
                (" spelled.example ", " Jo Ann"), ("ｓpelled.example", "Jo Ann"), ("Spelled.Example", "Ｊo Ann"),
            ]
            let replies = try await concurrently(30) { number in
                var person = owner.person
                (person.company, person.id) = spellings[number % spellings.count]
                let device = Device()
                let flow = try await Flow.logIn(person, device, client)
                expectOutcome(try await flow.prove(device), "validatePassphrase")
                return try await flow.step("passphrase", ["passphrase": .string("wrong phrase \(number)")])
            }
            try await expectWithinLimit(replies, world)
        }
    }

    @Test func `CVE-2026-108162: a forged client address does not reset the rate limit`() async throws {
        var options = WorldOptions()
        options.rateLimit = RateLimit(perSecond: 0.01, burst: 5)
        try await inTurn(options) { world in
            let client = try world.client
            let replies = try await concurrently(12) { number in
                let start = client.request("POST", "/v1/logins", Person("e", at: "claimed.example").login(Device()))
                return try await client.send(
                    start.with("X-Forwarded-For", "198.51.100.\(number)").with("Forwarded", "for=198.51.100.\(number)"))
            }
            #expect(replies.count { $0.status == 201 } <= 6, "\(replies)")
            #expect(replies.count { $0.code == "request.rate_limited" } >= 6)
        }
    }
}
