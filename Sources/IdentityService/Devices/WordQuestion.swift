import Canonical
package import FoundationEssentials
import Keys
import Ledger
import Postgres
import TenureAPI

/// The question which of three rows the other side shows, before somebody lets a device key in.
///
/// A row is the first bytes of a fingerprint, which people read as words or as digits. Two rows are decoys: keyed
/// digests of the fingerprint, so they are the same whenever the question is asked. So is the order, which says nothing.
package struct WordQuestion: Sendable, Equatable {
    /// The number of wrong choices that refuse the key.
    package static let limit: Int32 = 2
    package let rows: [[UInt8]]
    /// Whether the key had so many wrong choices that it can only be refused.
    package let isSpent: Bool
}

/// What somebody chose.
package enum WordChoice: Sendable, Equatable {
    /// The row of the key.
    case right
    /// Another row, for the first time.
    case wrong
    /// Another row for the second time, or any row after that. The key can only be refused.
    case spent
}

/// Reads the question about a device key.
package struct AskForWords: UseCase {
    /// The SHA-256 of the device key, 32 bytes.
    package let fingerprint: [UInt8]
    package let tenant: UUID

    package init(fingerprint: [UInt8], tenant: UUID) {
        self.fingerprint = fingerprint
        self.tenant = tenant
    }

    package func run(_ run: UseCaseRun<WordQuestion>) async throws -> WordQuestion {
        try await WordCounter(fingerprint: fingerprint, tenant: tenant, context: run.context).question()
    }
}

/// Takes the answer to the question about a device key. Wrong ones are counted for the key, whoever gives them.
package struct ChooseWords: UseCase {
    /// The SHA-256 of the device key, 32 bytes.
    package let fingerprint: [UInt8]
    package let tenant: UUID
    /// The row that was chosen.
    package let row: [UInt8]

    package init(fingerprint: [UInt8], tenant: UUID, row: [UInt8]) {
        self.fingerprint = fingerprint
        self.tenant = tenant
        self.row = row
    }

    /// Compares the row, and counts it if it is wrong.
    package func run(_ run: UseCaseRun<WordChoice>) async throws -> WordChoice {
        try await WordCounter(fingerprint: fingerprint, tenant: tenant, context: run.context)
            .choose(row, at: run.call.time)
    }
}

/// The rows of a device key, and its wrong choices in the tenant's ledger.
struct WordCounter: Sendable {
    let fingerprint: [UInt8]
    let tenant: UUID
    let context: ServiceContext

    private var ledger: LedgerID { LedgerID(tenant) }
    private var key: [UInt8] { context.ring.lookupDigest(kind: "budget-words", fingerprint, scope: tenant) }

    func question() async throws -> WordQuestion {
        WordQuestion(rows: rows, isSpent: try await count() >= WordQuestion.limit)
    }

    /// Compares a row, and counts it if it is wrong.
    func choose(_ row: [UInt8], at time: Timestamp) async throws -> WordChoice {
        guard try await count() < WordQuestion.limit else { return .spent }
        guard row != Array(fingerprint.prefix(FingerprintWords.count)) else { return .right }
        return try await add(at: time) < WordQuestion.limit ? .wrong : .spent
    }

    private var rows: [[UInt8]] {
        let decoys = (1...2).map { number in
            digest("words-decoy", fingerprint + [UInt8(number)])
        }
        return ([fingerprint] + decoys).map { Array($0.prefix(FingerprintWords.count)) }
            .sorted { digest("words-order", $0).lexicographicallyPrecedes(digest("words-order", $1)) }
    }

    private func count() async throws -> Int32 {
        let rows = try await context.pool.query(
            "SELECT spent FROM tenure.budget WHERE ledger_id = \(ledger.uuid) AND key = \(key)", in: [ledger])
        return try rows.first?.decode(Int32.self) ?? 0
    }

    /// Counts a wrong choice, and returns how many there are. They are known for longer than a key waits.
    private func add(at time: Timestamp) async throws -> Int32 {
        let forgotten = time.adding(.seconds(Int64(BudgetRules.yearSeconds))).postgres
        let rows = try await context.pool.query(
            """
            INSERT INTO tenure.budget AS b (ledger_id, key, spent, lifetime, refilled_at, forget_at)
            VALUES (\(ledger.uuid), \(key), 1, 1, \(time.postgres), \(forgotten))
            ON CONFLICT (ledger_id, key) DO UPDATE SET spent = b.spent + 1, lifetime = b.lifetime + 1 RETURNING spent
            """, in: [ledger])
        return try rows.first?.decode(Int32.self) ?? WordQuestion.limit
    }

    private func digest(_ kind: String, _ bytes: [UInt8]) -> [UInt8] {
        context.ring.lookupDigest(kind: kind, bytes, scope: tenant)
    }
}
