import Canonical
import Foundation
import Keys
import Ledger
import Postgres
import TestSupport
import Testing

@testable import IdentityService

@Suite(.enabled(if: TestServer.isAvailable, Comment(rawValue: TestServer.hint)))
struct BudgetForgettingTests {
    private let rules = BudgetRules()

    private func sweep(_ database: TestDatabase, _ pool: PostgresPool, at time: Timestamp) async throws -> Int {
        try await database.withPool(as: .reader) { readerPool in
            try await ExpiringRows.budgets.delete(at: time, pool: pool, readerPool: readerPool)
        }
    }

    private func after(_ seconds: Int) -> Timestamp { BudgetFixture.start.adding(.seconds(seconds)) }

    @Test func `a known device's refilled budget is forgotten if failures are not counted`() async throws {
        var rules = rules
        rules.knownFailuresInARow = 0
        try await TestDatabase.with { database in
            let budget = AttemptBudget(BudgetFixture.flow(), isKnownDevice: true, ring: .random())
            try await database.withPool { pool in
                for second in 0..<8 { _ = try await BudgetFixture.charge(budget, pool, at: after(second), rules) }
                let full = 7 + 20 * 600 + 3_600
                #expect(try await sweep(database, pool, at: after(full - 10)) == 0)
                // Before it is forgotten it is as good as none: the first attempt is the first one again.
                let charged = try await BudgetFixture.charged(budget, pool, at: after(full - 10), rules)
                #expect(charged.isCharged && charged.counts.first == 1)
                // Moments are whole days.
                #expect(try await sweep(database, pool, at: after(2 * full + 86_400)) == 1)
            }
        }
    }

    @Test func `a decoy's budget is forgotten a year after its last charge, a user's never`() async throws {
        try await TestDatabase.with { database in
            let ring = KeyRing.random()
            let budgets = [false, true].map { isDecoy in
                AttemptBudget(BudgetFixture.flow(isDecoy: isDecoy), isKnownDevice: false, ring: ring)
            }
            try await database.withPool { pool in
                for budget in budgets {
                    for second in [0, 100] {
                        try await BudgetFixture.expect(true, budget, pool, at: after(second), rules)
                    }
                }
                #expect(try await sweep(database, pool, at: after(31_536_100)) == 0)
                #expect(try await sweep(database, pool, at: after(31_536_100 + 86_400)) == 3)
                #expect(try await sweep(database, pool, at: after(315_360_000)) == 0)
            }
        }
    }

    @Test func `a charge moves a budget in the index at most once a day`() async throws {
        try await TestDatabase.with { database in
            let ring = KeyRing.random()
            try await database.withPool { pool in
                for isDecoy in [false, true] {
                    let budget = AttemptBudget(
                        BudgetFixture.flow(isDecoy: isDecoy), isKnownDevice: false, ring: ring)
                    func moments() async throws -> [Int64?] {
                        let keys = budget.parts.map(\.key)
                        let sql: SQL = "SELECT forget_at FROM tenure.budget WHERE key = ANY (\(keys))"
                        return try await pool.query(sql, in: [budget.ledger]).map {
                            try $0.decode(PostgresTimestamp?.self)?.microsecondsSinceUnixEpoch
                        }
                    }
                    let midnight = BudgetFixture.start.microseconds / 86_400_000_000 * 86_400_000_000
                    func charge(_ second: Int64) async throws -> [Int64?] {
                        let time = Timestamp(microseconds: midnight + second * 1_000_000)
                        try await BudgetFixture.expect(true, budget, pool, at: time, rules)
                        return try await moments()
                    }
                    let first = try await charge(86_400)
                    #expect(first.count == 3 && !first.contains(nil))
                    let second = try await charge(86_400 + 40_000), last = try await charge(2 * 86_400 - 1)
                    #expect(second == first && last == first)
                    let next = try await charge(2 * 86_400)
                    #expect(next != first)
                }
            }
        }
    }

    @Test func `a charge during the deletion still counts`() async throws {
        try await TestDatabase.with { database in
            let budget = AttemptBudget(BudgetFixture.flow(isDecoy: true), isKnownDevice: false, ring: .random())
            let spent = try await database.withPool(maximumConnections: 8) { pool in
                try await withThrowingTaskGroup(of: Int?.self) { group in
                    for index in 0..<300 {
                        group.addTask {
                            if index.isMultiple(of: 3) {
                                _ = try await sweep(database, pool, at: after(40_000_000))
                                return nil
                            }
                            let charged = try await BudgetFixture.charged(
                                budget, pool, at: BudgetFixture.start, BudgetFixture.undivided)
                            return charged.isCharged ? Int(charged.counts.first ?? 0) : nil
                        }
                    }
                    return try await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
                }
            }
            #expect(!spent.isEmpty && spent.allSatisfy { (1...20).contains($0) })
        }
    }

    // A known device's row counts failures in a row, and so outlives what was given back.
    @Test(arguments: [false])
    func `a budget's rows go once every charge is refunded, and no earlier`(isKnown: Bool) async throws {
        try await TestDatabase.with { database in
            let budget = AttemptBudget(BudgetFixture.flow(), isKnownDevice: isKnown, ring: .random())
            try await database.withPool { pool in
                func rows() async throws -> Int {
                    try await pool.query("SELECT FROM tenure.budget", in: [budget.ledger]).count
                }
                for _ in 0..<3 { try await BudgetFixture.expect(true, budget, pool, at: after(0), rules) }
                #expect(try await rows() == budget.parts.count)
                _ = try await pool.query(budget.refund(2), in: [budget.ledger])
                #expect(try await rows() == budget.parts.count)
                // The hours gave all attempts back, but not what was learned by them.
                try await BudgetFixture.expect(true, budget, pool, at: after(40_000), rules)
                _ = try await pool.query(budget.refund(1), in: [budget.ledger])
                #expect(try await rows() == budget.parts.count)
                _ = try await pool.query(budget.refund(1), in: [budget.ledger])
                #expect(try await rows() == 0)
                let charged = try await BudgetFixture.charged(budget, pool, at: after(40_000), rules)
                #expect(charged.isCharged && charged.counts.first == 1 && !charged.isExhausted)
            }
        }
    }

    @Test func `a charge beside one without a head is refused and counts nothing`() async throws {
        try await TestDatabase.with { database in
            let budget = AttemptBudget(BudgetFixture.flow(), isKnownDevice: false, ring: .random())
            let charging = budget.charging(BudgetFixture.undivided, at: after(0)), ledgers: Set = [budget.ledger]
            try await database.withPool(maximumConnections: 4) { pool in
                let second = try await pool.withTransaction(in: ledgers) { connection in
                    _ = try await connection.query(charging)
                    let second = Task { try await pool.query(charging, in: ledgers) }
                    try await database.someoneWaits()
                    return second
                }
                let error = await #expect(throws: PostgresError.self) { _ = try await second.value }
                #expect(error?.sqlState == .serializationFailure)
                let rows = try await pool.query("SELECT spent FROM tenure.budget", in: ledgers)
                #expect(try rows.map { try $0.decode(Int32.self) } == [1, 1, 1])
                // Where the head is held, both are charged.
                try await BudgetFixture.expect(true, budget, pool, at: after(0))
            }
        }
    }
}

extension TestDatabase {
    /// Returns when a connection to this database waits for a transaction of another one.
    fileprivate func someoneWaits() async throws {
        var observer = try await connect(as: .superuser)
        while try await observer.query(
            """
            SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'transactionid'
            """
        ).isEmpty {
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
