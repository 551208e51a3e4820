import Canonical
import Foundation
import Ledger
import Postgres
import TestSupport
import Testing

@testable import IdentityService

/// Charges in the database come to what a plain model of them comes to, whatever happens in which order.
@Suite(.enabled(if: TestServer.isAvailable, Comment(rawValue: TestServer.hint)))
struct BudgetModelTests {
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `a random history is charged as the model says`(seed: UInt64) async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                var random = Seeded(state: seed)
                let ledger = LedgerID(UUID())
                var model = BudgetModel(random: &random), now = BudgetFixture.start.microseconds
                for step in 0..<250 {
                    let part = Int.random(in: 0..<model.parts.count, using: &random)
                    switch Int.random(in: 0..<12, using: &random) {
                    // A clock may run backwards.
                    case 0: now -= Int64.random(in: 0...30_000_000, using: &random)
                    case 1: now += Int64.random(in: 0...40_000_000_000, using: &random)
                    case 2: try await refund(ledger, &model, part, pool)
                    case 3: try await forget(ledger, &model, part, pool)
                    default: now += Int64.random(in: 0...9_000_000, using: &random)
                    }
                    let expected = model.charge(at: now)
                    let charged = try await charge(ledger, model, now, pool)
                    #expect(charged == expected, "step \(step), \(now), \(model)")
                    guard charged == expected else { return }
                }
                #expect(model.refusals > 10 && model.refusals < 240, "\(model.refusals)")
            }
        }
    }

    @Test func `no keys are no charge, and a ledger outside the scope is refused`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                var random = Seeded(state: 7)
                let model = BudgetModel(random: &random)
                let ledger = LedgerID(UUID())
                let hidden: SQL = """
                    SELECT charged FROM tenure.charge_attempt(\(ledger.uuid), \(model.parts.map(\.key)),
                        \(model.parts.map { Int32($0.limit) }), \(model.parts.map { Int32($0.cap) }), now(), 60, 0, 1, 60)
                    """
                let error = await #expect(throws: PostgresError.self) {
                    _ = try await pool.query(hidden, in: [LedgerID(UUID())])
                }
                #expect(error?.sqlState == .insufficientPrivilege)
                // It ends, rather than looks for rows for ever.
                let keys: [[UInt8]] = [], none: [Int32] = []
                let rows = try await pool.query(
                    """
                    SELECT charged FROM tenure.charge_attempt(
                        \(ledger.uuid), \(keys), \(none), \(none), now(), 60, 0, 1, 60)
                    """, in: [ledger])
                #expect(try rows.map { try $0.decode(Bool.self) } == [true])
            }
        }
    }

    private func charge(
        _ ledger: LedgerID, _ model: BudgetModel, _ time: Int64, _ pool: PostgresPool
    ) async throws -> BudgetModel.Charged {
        let now = PostgresTimestamp(microsecondsSinceUnixEpoch: time)
        let rows = try await pool.query(
            """
            SELECT charged, spent, exhausted, retry_after_seconds FROM tenure.charge_attempt(
                \(ledger.uuid), \(model.parts.map(\.key)), \(model.parts.map { Int32($0.limit) }),
                \(model.parts.map { Int32($0.cap) }), \(now), \(Int32(model.refillSeconds)), \(Int32(model.free)),
                \(Int32(model.delaySeconds)), \(Int32(1_000)))
            """, in: [ledger])
        let charged = try AttemptBudget.Charged(rows)
        return BudgetModel.Charged(
            isCharged: charged.isCharged, spent: Int(charged.spent), isExhausted: charged.isExhausted,
            retryAfterSeconds: Int(charged.retryAfterSeconds))
    }

    private func refund(
        _ ledger: LedgerID, _ model: inout BudgetModel, _ part: Int, _ pool: PostgresPool
    ) async throws {
        let keys = [model.parts[part].key]
        _ = try await pool.query("SELECT tenure.refund_attempts(\(ledger.uuid), \(keys), \(Int32(2)))", in: [ledger])
        model.parts[part].refund(2)
    }

    /// What a sweep does with a row.
    private func forget(
        _ ledger: LedgerID, _ model: inout BudgetModel, _ part: Int, _ pool: PostgresPool
    ) async throws {
        let key = model.parts[part].key
        _ = try await pool.query(
            "DELETE FROM tenure.budget WHERE ledger_id = \(ledger.uuid) AND key = \(key)", in: [ledger])
        model.parts[part].row = nil
    }
}

/// Numbers that are the same for the same seed (SplitMix64).
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
