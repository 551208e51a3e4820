import Canonical
import Foundation
import Identity
import Keys
import Ledger
import Postgres
import TestSupport
import Testing

@testable import IdentityService

/// The share of a budget that one network has, if everybody comes through the pages app.
@Suite(.enabled(if: TestServer.isAvailable, Comment(rawValue: TestServer.hint)))
struct BudgetNetworkTests {
    private let rules = BudgetRules()

    @Test(arguments: [false, true])
    func `a flood from one network does not end the new devices of another`(isDecoy: Bool) async throws {
        try await TestDatabase.with { database in
            let ring = KeyRing.random(), pages = UUID(), home = UUID(), user = UUID(), credential = UUID()
            func budget(from address: String) -> AttemptBudget {
                var flow = BudgetFixture.flow(
                    app: pages, tenant: home, user: user, credential: credential, isDecoy: isDecoy)
                flow.network = CallerNetwork(of: address).digest(ring)
                return AttemptBudget(flow, isKnownDevice: false, ring: ring)
            }
            try await database.withPool { pool in
                var charged = 0
                for index in 0..<40 {
                    let flood = budget(from: "192.0.2.\(index)")
                    if try await BudgetFixture.charge(flood, pool, at: BudgetFixture.start, rules) { charged += 1 }
                }
                #expect(charged == 10)
                for _ in 0..<5 {
                    try await BudgetFixture.expect(
                        true, budget(from: "198.51.100.7"), pool, at: BudgetFixture.start, rules)
                }
                // Many networks together have what a tenant has.
                try await BudgetFixture.expect(
                    false, budget(from: "203.0.113.7"), pool, at: BudgetFixture.start, rules)
            }
        }
    }

    @Test func `new credentials delete the shares of networks too`() async throws {
        try await TestDatabase.with { database in
            let ring = KeyRing.random(), user = UUID(), credential = UUID()
            var flow = BudgetFixture.flow(user: user, credential: credential)
            flow.network = CallerNetwork(of: "192.0.2.7").digest(ring)
            let budget = AttemptBudget(flow, isKnownDevice: false, ring: ring)
            try await database.withPool { pool in
                try await BudgetFixture.expect(true, budget, pool, at: BudgetFixture.start, rules)
                for statement in AttemptBudget.deletions(
                    credentials: [.init(credential)], devices: [], of: .init(user), ring: ring)
                {
                    _ = try await pool.query(statement, in: [budget.ledger])
                }
                let left = try await pool.query(
                    "SELECT key FROM tenure.budget WHERE ledger_id = \(budget.ledger.uuid)", in: [budget.ledger])
                #expect(left.isEmpty)
            }
        }
    }
}
