import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// The notices of one kind about one account: three a day, in UTC.
///
/// Otherwise somebody who may decide could hide one notice among hundreds, or fill a mailbox. The row belongs to one day.
/// The append that queues the notice counts it, so a decision that fails counts nothing. Two decisions about an account
/// conflict, so they cannot both be the third.
struct NoticeBudget: Sendable {
    /// The notices of a day.
    static let limit: Int32 = 3
    private static let day: Int64 = 86_400_000_000

    private let ledger: LedgerID
    private let key: [UInt8]
    private let time: Timestamp

    /// Whether the notices of a kind are limited. Who must be able to stop a recovery or a return is always told of its
    /// opening.
    static func limits(_ kind: MailKind) -> Bool {
        switch kind {
        case .recoveryOpened, .returnRequested, .returnOpened, .returnReminder: false
        // Mails with a link to verify are charged to the address.
        case .verify, .activation: false
        case .deviceAdded, .adminAppointed, .returnCompleted: true
        }
    }

    init(_ kind: MailKind, about employee: EmployeeID, in tenant: TenantID, at time: Timestamp, _ ring: KeyRing) {
        ledger = LedgerID(tenant.uuid)
        self.time = time
        let account = Array("\(kind.rawValue)/\(time.microseconds / Self.day)/\(employee)".utf8)
        key = ring.lookupDigest(kind: "budget-notice", account, scope: tenant.uuid)
    }

    /// Whether the day's notices were queued.
    func isSpent(_ pool: PostgresPool) async throws -> Bool {
        let rows = try await pool.query(
            "SELECT spent FROM tenure.budget WHERE ledger_id = \(ledger.uuid) AND key = \(key)", in: [ledger])
        return try rows.first.map { try $0.decode(Int32.self) >= Self.limit } ?? false
    }

    /// The statement that counts one notice.
    var counting: SQL {
        let midnight = Timestamp(microseconds: (time.microseconds / Self.day + 1) * Self.day).postgres
        return """
            INSERT INTO tenure.budget AS b (ledger_id, key, spent, lifetime, refilled_at, forget_at)
            VALUES (\(ledger.uuid), \(key), 1, 1, \(time.postgres), \(midnight))
            ON CONFLICT (ledger_id, key) DO UPDATE SET spent = b.spent + 1, lifetime = b.lifetime + 1
            """
    }
}
