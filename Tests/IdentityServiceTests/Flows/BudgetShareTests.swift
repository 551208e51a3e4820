import Canonical
import Foundation
import Keys
import Ledger
import Postgres
import TestSupport
import Testing

@testable import IdentityService

@Suite(.enabled(if: TestServer.isAvailable, Comment(rawValue: TestServer.hint)))
struct BudgetShareTests {
    private let rules = BudgetRules()

    /// How many of 200 parallel charges over two pools are served, when the charges take these budgets in turn.
    private func served(_ budgets: [AttemptBudget], _ database: TestDatabase) async throws -> [Int] {
        try await database.withPool(maximumConnections: 6) { first in
            try await database.withPool(maximumConnections: 6) { second in
                try await withThrowingTaskGroup(of: Int?.self) { group in
                    for index in 0..<200 {
                        let place = (index / 2) % budgets.count
                        group.addTask {
                            let pool = index.isMultiple(of: 2) ? first : second
                            return try await BudgetFixture.charge(
                                budgets[place], pool, at: BudgetFixture.start, rules) ? place : nil
                        }
                    }
                    var counts = budgets.map { _ in 0 }
                    for try await place in group { place.map { counts[$0] += 1 } }
                    return counts
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func `one app gets half of a budget and one tenant three quarters, exactly`(isDecoy: Bool) async throws {
        try await TestDatabase.with { database in
            let ring = KeyRing.random()
            let user = UUID(), credential = UUID(), home = UUID(), apps = [UUID(), UUID(), UUID()]
            func budget(_ app: Int, _ tenant: UUID) -> AttemptBudget {
                let flow = BudgetFixture.flow(
                    app: apps[app], tenant: tenant, user: user, credential: credential, isDecoy: isDecoy)
                return AttemptBudget(flow, isKnownDevice: false, ring: ring)
            }
            #expect(try await served([budget(0, home)], database) == [10])
            // The company has five left, however many apps ask.
            let rest = try await served([budget(0, home), budget(1, home), budget(2, home)], database)
            #expect(rest[0] == 0 && rest.reduce(0, +) == 5)
            // The person has five left, however many companies are named.
            let last = try await served([budget(1, UUID()), budget(2, UUID()), budget(0, UUID())], database)
            #expect(last[2] == 0 && last.reduce(0, +) == 5)
            #expect(try await served([budget(0, home), budget(1, UUID()), budget(2, UUID())], database) == [0, 0, 0])
        }
    }

    @Test func `an attempt that a share refuses is charged to no budget`() async throws {
        try await TestDatabase.with { database in
            let budget = AttemptBudget(BudgetFixture.flow(), isKnownDevice: false, ring: .random())
            _ = try await served([budget], database)
            #expect(try await rows(database) == [[10, 10], [10, 10], [10, 10]])
        }
    }

    @Test func `a refund restores the shares too`() async throws {
        try await TestDatabase.with { database in
            let budget = AttemptBudget(BudgetFixture.flow(), isKnownDevice: false, ring: .random())
            try await database.withPool { pool in
                for _ in 0..<10 { try await BudgetFixture.expect(true, budget, pool, at: BudgetFixture.start, rules) }
                try await BudgetFixture.expect(false, budget, pool, at: BudgetFixture.start, rules)
                _ = try await pool.query(budget.refund(2), in: [budget.ledger])
                #expect(try await rows(database) == [[8, 8], [8, 8], [8, 8]])
                for _ in 0..<2 { try await BudgetFixture.expect(true, budget, pool, at: BudgetFixture.start, rules) }
                try await BudgetFixture.expect(false, budget, pool, at: BudgetFixture.start, rules)
            }
        }
    }

    @Test func `an app that never stops exhausts only its own share of a lifetime`() async throws {
        try await TestDatabase.with { database in
            let ring = KeyRing.random()
            let user = UUID(), credential = UUID(), tenant = UUID()
            let greedy = AttemptBudget(
                BudgetFixture.flow(tenant: tenant, user: user, credential: credential), isKnownDevice: false,
                ring: ring)
            let other = AttemptBudget(
                BudgetFixture.flow(tenant: tenant, user: user, credential: credential), isKnownDevice: false,
                ring: ring)
            try await database.withPool { pool in
                var now = BudgetFixture.start, charged = 0
                for _ in 0..<80 {
                    now = now.adding(.seconds(3_600))
                    if try await BudgetFixture.charge(greedy, pool, at: now, rules) { charged += 1 }
                }
                #expect(charged == 50)
                try await BudgetFixture.expect(false, greedy, pool, at: now.adding(.seconds(86_400 * 365)), rules)
                try await BudgetFixture.expect(true, other, pool, at: now, rules)
            }
        }
    }

    /// Spent and lifetime of every row.
    private func rows(_ database: TestDatabase) async throws -> [[Int32]] {
        var connection = try await database.connect(as: .superuser)
        let rows = try await connection.query("SELECT spent, lifetime FROM tenure.budget")
        return try rows.map { row in
            let (spent, lifetime) = try row.decode(Int32.self, Int32.self)
            return [spent, lifetime]
        }
    }
}
