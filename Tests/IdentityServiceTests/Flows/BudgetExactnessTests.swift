import Canonical
import Foundation
import Keys
import Ledger
import Postgres
import Testing
import TestSupport
@testable import IdentityService

@Suite(.enabled(if: TestServer.isAvailable, Comment(rawValue: TestServer.hint)))
struct BudgetExactnessTests {
    @Test func `200 parallel charges over two pools use exactly the limit`() async throws {
        try await TestDatabase.with { database in
            let budget = AttemptBudget(BudgetFixture.flow(), isKnownDevice: false, ring: .random())
            let charged = try await database.withPool(maximumConnections: 8) { first in
                try await database.withPool(maximumConnections: 8) { second in
                    try await withThrowingTaskGroup(of: Bool.self) { group in
                        for index in 0..<200 {
                            group.addTask {
                                try await BudgetFixture.charge(
                                    budget, index.isMultiple(of: 2) ? first : second, at: BudgetFixture.start)
                            }
                        }
                        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                    }
                }
            }
            #expect(charged == 20)
        }
    }

    @Test func `the budget refills slowly and stops at the lifetime cap`() async throws {
        try await TestDatabase.with { database in
            let budget = AttemptBudget(BudgetFixture.flow(), isKnownDevice: false, ring: .random())
            try await database.withPool { pool in
                var now = BudgetFixture.start
                for _ in 0..<20 { try await BudgetFixture.expect(true, budget, pool, at: now) }
                try await BudgetFixture.expect(false, budget, pool, at: now.adding(.seconds(3_599)))
                for _ in 0..<80 {
                    now = now.adding(.seconds(3_600))
                    try await BudgetFixture.expect(true, budget, pool, at: now)
                    try await BudgetFixture.expect(false, budget, pool, at: now)
                }
                // A hundred were charged: no time helps any more.
                try await BudgetFixture.expect(false, budget, pool, at: now.adding(.seconds(10_000_000)))
            }
        }
    }

    @Test func `a known device has a budget of its own and growing delays`() async throws {
        try await TestDatabase.with { database in
            let ring = KeyRing.random()
            let unknown = AttemptBudget(BudgetFixture.flow(), isKnownDevice: false, ring: ring)
            let known = AttemptBudget(BudgetFixture.flow(), isKnownDevice: true, ring: ring)
            try await database.withPool { pool in
                for _ in 0..<20 { try await BudgetFixture.expect(true, unknown, pool, at: BudgetFixture.start) }
                try await BudgetFixture.expect(false, unknown, pool, at: BudgetFixture.start)
                for _ in 0..<5 { try await BudgetFixture.expect(true, known, pool, at: BudgetFixture.start) }
                try await BudgetFixture.expect(true, known, pool, at: BudgetFixture.start)
                try await BudgetFixture.expect(false, known, pool, at: BudgetFixture.start)
                try await BudgetFixture.expect(true, known, pool, at: BudgetFixture.start.adding(.seconds(1)))
                try await BudgetFixture.expect(false, known, pool, at: BudgetFixture.start.adding(.seconds(2)))
                try await BudgetFixture.expect(true, known, pool, at: BudgetFixture.start.adding(.seconds(3)))
            }
        }
    }

    @Test func `a refund restores its charge and ends a delay`() async throws {
        try await TestDatabase.with { database in
            let budget = AttemptBudget(BudgetFixture.flow(), isKnownDevice: false, ring: .random())
            try await database.withPool { pool in
                for _ in 0..<20 { try await BudgetFixture.expect(true, budget, pool, at: BudgetFixture.start) }
                _ = try await pool.query(budget.refund(2), in: [budget.ledger])
                try await BudgetFixture.expect(true, budget, pool, at: BudgetFixture.start)
                try await BudgetFixture.expect(true, budget, pool, at: BudgetFixture.start)
                try await BudgetFixture.expect(false, budget, pool, at: BudgetFixture.start)
            }
        }
    }
}

@Suite(.enabled(if: TestServer.isAvailable, Comment(rawValue: TestServer.hint)))
struct BudgetStrangersTests {
    /// Charges alone, over many apps and companies: what an attempt costs beside is shown elsewhere, with fewer.
    @Test func `10,000 attempts from unknown devices leave a known device its whole budget`() async throws {
        try await TestDatabase.with { database in
            let ring = KeyRing.random()
            let user = UUID(), credential = UUID()
            let strangers = (0..<50).map { _ in
                AttemptBudget(
                    BudgetFixture.flow(user: user, credential: credential), isKnownDevice: false, ring: ring)
            }
            let owner = AttemptBudget(
                BudgetFixture.flow(user: user, credential: credential), isKnownDevice: true, ring: ring)
            try await database.withPool(maximumConnections: 8) { pool in
                let served = try await withThrowingTaskGroup(of: Int.self) { group in
                    for worker in 0..<8 {
                        group.addTask {
                            var served = 0
                            for attempt in 0..<1_250 {
                                let stranger = strangers[(worker + attempt) % strangers.count]
                                let time = BudgetFixture.start.adding(.seconds(attempt))
                                if try await BudgetFixture.charge(stranger, pool, at: time, BudgetRules()) {
                                    served += 1
                                }
                            }
                            return served
                        }
                    }
                    return try await group.reduce(0, +)
                }
                #expect(served == 20)
                for _ in 0..<5 {
                    try await BudgetFixture.expect(true, owner, pool, at: BudgetFixture.start, BudgetRules())
                }
            }
        }
    }
}
