import Canonical
import Foundation
import Ledger
import Postgres
import Testing
import TestSupport
@testable import IdentityService

/// Charges in the database come to what a plain model of them comes to, whatever happens in which order.
@Suite(.enabled(if: TestServer.isAvailable, Comment(rawValue: TestServer.hint)))
struct BudgetModelTests {
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `a random history is charged as the model predicts`(seed: UInt64) async throws {
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

    @Test func `no keys cause no charge, and a ledger outside the scope is refused`() async throws {
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
            isCharged: charged.isCharged, spent: Int(charged.counts.first ?? 0), isExhausted: charged.isExhausted,
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

/// A budget and its shares in plain arithmetic, as credentials.md section 5 has them. Times are microseconds.
struct BudgetModel {
    struct Charged: Equatable {
        var isCharged: Bool
        var spent: Int
        var isExhausted: Bool
        var retryAfterSeconds: Int
    }

    struct Row {
        var spent = 0
        var lifetime = 0
        var refilledAt: Int64
        var blockedUntil: Int64?
    }

    struct Part {
        let key: [UInt8]
        let limit: Int
        let cap: Int
        var row: Row?

        mutating func refund(_ count: Int) {
            guard var row else { return }
            guard max(row.spent, row.lifetime) > count else {
                self.row = nil
                return
            }
            row.spent = max(0, row.spent - count)
            row.lifetime = max(0, row.lifetime - count)
            row.blockedUntil = nil
            self.row = row
        }
    }

    var parts: [Part] = []
    let refillSeconds: Int
    let free: Int
    let delaySeconds: Int
    private(set) var refusals = 0

    init(random: inout some RandomNumberGenerator) {
        refillSeconds = Int.random(in: 5...900, using: &random)
        free = Int.random(in: 0...4, using: &random)
        delaySeconds = Int.random(in: 1...30, using: &random)
        for number in 1...Int.random(in: 1...3, using: &random) {
            let cap = Bool.random(using: &random) ? 0 : Int.random(in: 60...200, using: &random)
            parts.append(
                Part(
                    key: Array(repeating: UInt8(number), count: 32), limit: Int.random(in: 2...20, using: &random),
                    cap: cap))
        }
    }

    private var refill: Int64 { Int64(refillSeconds) * 1_000_000 }

    /// Charges all parts or none.
    mutating func charge(at time: Int64) -> Charged {
        for index in parts.indices where parts[index].row == nil { parts[index].row = Row(refilledAt: time) }
        if let wait = parts.compactMap({ waitBefore($0, time) }).max() {
            refusals += 1
            return Charged(
                isCharged: false, spent: 0, isExhausted: true, retryAfterSeconds: max(1, Self.seconds(wait)))
        }
        var isExhausted = false, isOver = false, wait: Int64 = 0
        for index in parts.indices {
            var row = refilled(parts[index], time)
            let isCapped = parts[index].cap > 0 && row.lifetime + 1 >= parts[index].cap
            if free > 0, isCapped {
                row.blockedUntil = time + 86_400_000_000
            } else if free > 0, row.spent >= free {
                let delay = Int64(delaySeconds) * 1_000_000 << Int64(min(20, row.spent - free))
                row.blockedUntil = time + min(3_600_000_000, delay)
            }
            row.spent += 1
            row.lifetime += 1
            parts[index].row = row
            let part = parts[index]
            if isCapped, free > 0 { isExhausted = true } else if isCapped { isOver = true }
            if row.spent >= part.limit {
                isExhausted = true
                wait = max(wait, refill - (time - row.refilledAt) % refill)
            }
            if let blocked = row.blockedUntil, blocked > time { wait = max(wait, blocked - time) }
        }
        return Charged(
            isCharged: true, spent: parts[0].row?.spent ?? 0, isExhausted: isExhausted || isOver,
            retryAfterSeconds: isOver ? 0 : Self.seconds(wait))
    }

    private func waitBefore(_ part: Part, _ time: Int64) -> Int64? {
        guard let row = part.row else { return nil }
        var wait: Int64?
        if let blocked = row.blockedUntil, blocked > time { wait = blocked - time }
        if refilled(part, time).spent >= part.limit || (free == 0 && part.cap > 0 && row.lifetime >= part.cap) {
            wait = max(wait ?? 0, refill - (time - row.refilledAt) % refill)
        }
        return wait
    }

    /// The row with the attempts that came back by a time.
    private func refilled(_ part: Part, _ time: Int64) -> Row {
        var row = part.row ?? Row(refilledAt: time)
        let age = time - row.refilledAt
        let refills = age > 0 ? Int(age / refill) : 0
        if refills >= row.spent {
            row.spent = 0
            row.refilledAt = max(row.refilledAt, time)
        } else {
            row.spent -= refills
            row.refilledAt += Int64(refills) * refill
        }
        return row
    }

    private static func seconds(_ wait: Int64) -> Int { Int((wait + 999_999) / 1_000_000) }
}
