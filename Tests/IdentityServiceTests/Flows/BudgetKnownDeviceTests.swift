import Canonical
import Foundation
@testable import Identity
import Keys
import Ledger
import Postgres
import Testing
import TestSupport
@testable import IdentityService

/// The row of a known device: what changes it, and what forgets it.
@Suite(.enabled(if: TestServer.isAvailable, Comment(rawValue: TestServer.hint)))
struct BudgetKnownDeviceTests {
    private let rules = BudgetRules()

    private func after(_ seconds: Int) -> Timestamp { BudgetFixture.start.adding(.seconds(seconds)) }

    private func sweep(_ database: TestDatabase, _ pool: PostgresPool, at time: Timestamp) async throws -> Int {
        try await database.withPool(as: .reader) { readerPool in
            try await ExpiringRows.budgets.delete(at: time, pool: pool, readerPool: readerPool)
        }
    }

    private func rows(_ budget: AttemptBudget, _ pool: PostgresPool) async throws -> Int {
        let keys = budget.parts.map(\.key)
        return try await pool.query(
            "SELECT FROM tenure.budget WHERE key = ANY (\(keys))", in: [budget.ledger]
        ).count
    }

    @Test func `a known device's budget is kept for a year after its last charge`() async throws {
        try await TestDatabase.with { database in
            let budget = AttemptBudget(BudgetFixture.flow(), isKnownDevice: true, ring: .random())
            try await database.withPool { pool in
                for second in [0, 100] { try await BudgetFixture.expect(true, budget, pool, at: after(second), rules) }
                // The attempts are back long before; the failures in a row are remembered.
                #expect(try await sweep(database, pool, at: after(31_536_100)) == 0)
                #expect(try await sweep(database, pool, at: after(31_536_100 + 86_400)) == 1)
                #expect(try await rows(budget, pool) == 0)
                let charged = try await BudgetFixture.charged(budget, pool, at: after(31_700_000), rules)
                #expect(charged.isCharged && charged.counts.first == 1)
            }
        }
    }

    @Test func `a known device's consecutive failures are kept as long as its budget`() async throws {
        try await TestDatabase.with { database in
            var rules = BudgetRules()
            rules.knownFailuresInARow = 3
            let budget = AttemptBudget(BudgetFixture.flow(), isKnownDevice: true, ring: .random())
            try await database.withPool { pool in
                for second in [0, 1] { try await BudgetFixture.expect(true, budget, pool, at: after(second), rules) }
                let month = 30 * 86_400
                #expect(try await sweep(database, pool, at: after(month)) == 0)
                let third = try await BudgetFixture.charged(budget, pool, at: after(month), rules)
                #expect(third.isCharged && third.counts.first == 1 && budget.hasFailedTooOften(third))
                // The charge moved the day on which it is forgotten.
                #expect(try await sweep(database, pool, at: after(31_536_000 + 2 * 86_400)) == 0)
                #expect(try await sweep(database, pool, at: after(31_536_000 + month + 2 * 86_400)) == 1)
                let fourth = try await BudgetFixture.charged(budget, pool, at: after(40_000_000), rules)
                #expect(fourth.isCharged && !budget.hasFailedTooOften(fourth))
            }
        }
    }

    @Test func `a known device's budget moves in the index at most once a day`() async throws {
        try await TestDatabase.with { database in
            let budget = AttemptBudget(BudgetFixture.flow(), isKnownDevice: true, ring: .random())
            try await database.withPool { pool in
                let midnight = BudgetFixture.start.microseconds / 86_400_000_000 * 86_400_000_000
                func charge(_ second: Int64) async throws -> Int64 {
                    let time = Timestamp(microseconds: midnight + second * 1_000_000)
                    try await BudgetFixture.expect(true, budget, pool, at: time, rules)
                    let found = try await pool.query("SELECT forget_at FROM tenure.budget", in: [budget.ledger])
                    #expect(found.count == 1)
                    return try #require(found.first).decode(PostgresTimestamp.self).microsecondsSinceUnixEpoch
                }
                let first = try await charge(86_400)
                let second = try await charge(86_400 + 40_000), last = try await charge(2 * 86_400 - 1)
                #expect(second == first && last == first)
                #expect(try await charge(2 * 86_400) == first + 86_400_000_000)
            }
        }
    }

    @Test func `a known device's row goes with a full refund, and stays while other attempts are spent`() async throws {
        try await TestDatabase.with { database in
            let budget = AttemptBudget(BudgetFixture.flow(), isKnownDevice: true, ring: .random())
            try await database.withPool { pool in
                for second in 0..<3 { try await BudgetFixture.expect(true, budget, pool, at: after(second), rules) }
                _ = try await pool.query(budget.refund(2), in: [budget.ledger])
                #expect(try await rows(budget, pool) == 1)
                let fourth = try await BudgetFixture.charged(budget, pool, at: after(3), rules)
                #expect(fourth.isCharged && fourth.counts.first == 2)
                _ = try await pool.query(budget.refund(2), in: [budget.ledger])
                #expect(try await rows(budget, pool) == 0)
            }
        }
    }

    @Test func `a known device's budget is forgotten with its key, and no other is`() async throws {
        try await TestDatabase.with { database in
            let ring = KeyRing.random(), state = BudgetFixture.flow()
            var second = state
            second.employeePublicKey = [4] + [UInt8](repeating: 8, count: 64)
            let lost = AttemptBudget(state, isKnownDevice: true, ring: ring)
            let kept = AttemptBudget(second, isKnownDevice: true, ring: ring)
            let strangers = AttemptBudget(state, isKnownDevice: false, ring: ring)
            let device = try #require(PublicKeyBytes(state.employeePublicKey))
            try await database.withPool { pool in
                for budget in [lost, kept, strangers] {
                    try await BudgetFixture.expect(true, budget, pool, at: after(0), rules)
                }
                let deletions = AttemptBudget.deletions(
                    credentials: [CredentialID(state.credentialId)], devices: [device], of: UserID(state.userId),
                    ring: ring)
                _ = try await pool.pipeline(deletions, in: [lost.ledger])
                #expect(try await rows(lost, pool) == 0)
                #expect(try await rows(kept, pool) == 1)
                #expect(try await rows(strangers, pool) == 3)
                // Without a device, those of all unknown devices go, and their shares.
                let others = AttemptBudget.deletions(
                    credentials: [CredentialID(state.credentialId)], devices: [], of: UserID(state.userId), ring: ring)
                _ = try await pool.pipeline(others, in: [lost.ledger])
                #expect(try await rows(kept, pool) == 1)
                #expect(try await rows(strangers, pool) == 0)
            }
        }
    }
}

@Suite(.enabled(if: TestServer.isAvailable, Comment(rawValue: TestServer.hint)))
struct BudgetFailuresTests {
    private func after(_ seconds: Int) -> Timestamp { BudgetFixture.start.adding(.seconds(seconds)) }

    @Test func `a known device with too many consecutive failures has one attempt a day`() async throws {
        try await TestDatabase.with { database in
            var rules = BudgetFixture.undivided
            rules.knownFailuresInARow = 8
            let budget = AttemptBudget(BudgetFixture.flow(), isKnownDevice: true, ring: .random())
            try await database.withPool { pool in
                let day = 86_400
                for number in 0..<7 {
                    let charged = try await BudgetFixture.charged(budget, pool, at: after(number * day / 24), rules)
                    #expect(charged.isCharged && !budget.hasFailedTooOften(charged))
                }
                let last = try await BudgetFixture.charged(budget, pool, at: after(day), rules)
                #expect(last.isCharged && last.isExhausted && last.retryAfterSeconds == 86_400)
                #expect(budget.hasFailedTooOften(last))
                try await BudgetFixture.expect(false, budget, pool, at: after(2 * day - 1), rules)
                try await BudgetFixture.expect(true, budget, pool, at: after(2 * day), rules)
                // However long nobody tries: the attempts come back, the day stays.
                try await BudgetFixture.expect(true, budget, pool, at: after(30 * day), rules)
                try await BudgetFixture.expect(false, budget, pool, at: after(31 * day - 1), rules)
                try await BudgetFixture.expect(true, budget, pool, at: after(31 * day), rules)
            }
        }
    }

    @Test func `a success resets the consecutive failures`() async throws {
        try await TestDatabase.with { database in
            var rules = BudgetFixture.undivided
            rules.knownFailuresInARow = 4
            let budget = AttemptBudget(BudgetFixture.flow(), isKnownDevice: true, ring: .random())
            try await database.withPool { pool in
                for second in 0..<3 { try await BudgetFixture.expect(true, budget, pool, at: after(second), rules) }
                // The flow that succeeds had one of the three charges.
                _ = try await pool.query(budget.refund(1), in: [budget.ledger])
                for second in 3..<6 {
                    let charged = try await BudgetFixture.charged(budget, pool, at: after(second), rules)
                    #expect(charged.isCharged && !budget.hasFailedTooOften(charged))
                }
                let fourth = try await BudgetFixture.charged(budget, pool, at: after(1_000), rules)
                #expect(fourth.isCharged && budget.hasFailedTooOften(fourth))
                _ = try await pool.query(budget.refund(1), in: [budget.ledger])
                try await BudgetFixture.expect(true, budget, pool, at: after(1_001), rules)
            }
        }
    }

    @Test func `an unknown device has no daily attempt and never counts as known`() async throws {
        try await TestDatabase.with { database in
            var rules = BudgetFixture.undivided
            (rules.knownFailuresInARow, rules.unknownLifetimeCap) = (2, 3)
            (rules.unknownAppLifetimeCap, rules.unknownTenantLifetimeCap) = (0, 0)
            let budget = AttemptBudget(BudgetFixture.flow(), isKnownDevice: false, ring: .random())
            try await database.withPool { pool in
                for second in 0..<3 {
                    let charged = try await BudgetFixture.charged(budget, pool, at: after(second), rules)
                    #expect(charged.isCharged && !budget.hasFailedTooOften(charged))
                }
                try await BudgetFixture.expect(false, budget, pool, at: after(10 * 86_400), rules)
            }
        }
    }
}
