import Canonical
import FoundationEssentials
import Postgres

/// Refuses to generate first keys beside a log that other keys wrote.
///
/// The target Ledger is not a dependency, so the fixed ledgers are repeated here: the system ledger and the 256
/// directories. Every tenant has an app in the first and a user in one of the others.
enum WrittenLog {
    /// The system ledger, and the directory of each byte.
    static let ledgers: [UUID] = [ledger(0, 0)] + (0...255).map { ledger(1, $0) }

    private static func ledger(_ kind: UInt8, _ byte: UInt8) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0x80, 0, 0x80, 0, 0, 0, 0, 0, kind, byte))
    }

    /// Refuses a database that has events or keys of persons.
    ///
    /// - Throws: ``KeysError/Code/keyTablesEmpty``, and `PostgresError`.
    static func refuse(_ connection: inout PostgresConnection) async throws {
        try await LedgerSetting.apply(ledgers, &connection)
        let rows = try await connection.query(
            """
            SELECT EXISTS (SELECT 1 FROM tenure.event WHERE ledger_id = ANY(\(ledgers))),
                EXISTS (SELECT 1 FROM tenure.person_key WHERE ledger_id = ANY(\(ledgers)))
                    OR EXISTS (SELECT 1 FROM tenure.oprf_seed WHERE ledger_id = ANY(\(ledgers)))
            """)
        guard let (hasEvents, hasKeys) = try rows.first?.decode(Bool.self, Bool.self), hasEvents || hasKeys else {
            return
        }
        throw KeysError(
            code: .keyTablesEmpty,
            reason: hasEvents
                ? "the log has events, but the keys that wrote it are missing: purpose_key and bucket_key are empty"
                : "the users' keys exist, but those that open them are missing: purpose_key and bucket_key are empty",
            remedy: """
                restore tenure.purpose_key, tenure.bucket_key, tenure.person_key and tenure.oprf_seed from the backup that \
                the log came from; new keys cannot open the log, and would let every name be claimed again
                """)
    }
}

/// The setting `tenure.ledgers`, with which row-level security compares the ledger of every row.
enum LedgerSetting {
    /// The statement that names the ledgers of the transaction, which must have begun with BEGIN.
    static func set(_ ledgers: [UUID]) -> SQL {
        let text = "{" + ledgers.map(\.lowercased).joined(separator: ",") + "}"
        return "SELECT tenure.enter_scope(\(text), true)"
    }

    /// Names the ledgers until the end of the transaction.
    static func apply(_ ledgers: [UUID], _ connection: inout PostgresConnection) async throws {
        _ = try await connection.query(set(ledgers))
    }

    /// Reads the ledgers that the transaction has named.
    static func read(_ connection: inout PostgresConnection) async throws -> [UUID] {
        let rows = try await connection.query(
            "SELECT coalesce(nullif(current_setting('tenure.ledgers', true), '')::uuid[], '{}'::uuid[])")
        return try rows.first?.decode([UUID].self) ?? []
    }
}
