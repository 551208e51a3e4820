import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// The rows that end all sessions depending on an app's link or on a secret.
///
/// The append that unlinks an app or revokes a secret writes one row, however many sessions there are. The row names a
/// version of the tenant's stream, which every append that opens a session guards. A session was therefore opened
/// either before the row or after it, and linking the app again does not revive old sessions.
enum SessionCutoff {
    /// Which sessions of a tenant a statement is about.
    enum Sessions {
        case session(UUID)
        case sessions(ofEmployee: UUID)

        /// The condition on `tenure.session AS o`.
        fileprivate var condition: SQL {
            switch self {
            case .session(let id): "o.session_id = \(id)"
            case .sessions(ofEmployee: let id): "o.employee_id = \(id)"
            }
        }
    }

    /// The condition in a statement on `tenure.session AS s` that no cutoff has ended the session.
    ///
    /// The transaction must name ``ledgers(of:)``: in a narrower scope the rows are invisible.
    static func isInForce(_ sessions: Sessions, of tenant: UUID) -> SQL {
        "\(isLinked) AND s.secret_id NOT IN (\(revokedSecrets(sessions, of: tenant)))"
    }

    /// The part of ``isInForce(_:of:)`` about the app: its link did not end.
    static let isLinked: SQL = """
        s.app_id IS NOT NULL AND s.secret_id IS NOT NULL AND s.tenant_version IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM tenure.session_cutoff c WHERE c.ledger_id = s.ledger_id
                AND c.subject = s.app_id AND c.tenant_version > s.tenant_version)
        """

    /// The secrets that were revoked, among those that opened the sessions.
    ///
    /// It does not refer to the row of the session outside: in a distributed database the secrets lie on another node.
    /// A secret is revoked for all versions of all tenants.
    static func revokedSecrets(_ sessions: Sessions, of tenant: UUID) -> SQL {
        """
        SELECT c.subject FROM tenure.session_cutoff c WHERE c.ledger_id = \(LedgerID.system.uuid) AND c.subject IN (
            SELECT o.secret_id FROM tenure.session o WHERE o.ledger_id = \(tenant) AND \(sessions.condition))
        """
    }

    /// The ledgers that a statement with ``isInForce(_:of:)`` reads.
    static func ledgers(of tenant: UUID) -> [LedgerID] { [LedgerID(tenant), .system] }

    /// The row that ends the sessions that an app opened before `version` of the tenant's stream.
    static func unlinked(_ app: AppID, from tenant: TenantID, version: Int, at time: Timestamp) -> Row {
        Row(ledger: tenant.uuid, subject: app.uuid, version: Int64(version), createdAt: time)
    }

    /// The row that ends the sessions that a secret opened, in every tenant.
    static func revoked(_ secret: SecretID, at time: Timestamp) -> Row {
        Row(ledger: LedgerID.system.uuid, subject: secret.uuid, version: .max, createdAt: time)
    }

    /// One row.
    struct Row: CodedRow, Equatable {
        var ledger: UUID
        var subject: UUID
        var version: Int64
        var createdAt: Timestamp
        var code: [UInt8]?

        static let table = RowTable<Row>(
            "session_cutoff", Row.init,
            Column(key: "ledger_id", \.ledger), Column(key: "subject", \.subject),
            Column("tenant_version", \.version), Column("created_at", \.createdAt), .code(\.code))
    }
}
