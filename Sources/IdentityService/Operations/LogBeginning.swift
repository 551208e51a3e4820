import Canonical
public import Credentials
import EventCoding
import FoundationEssentials
public import Identity
public import Keys
public import Ledger
public import Postgres

/// The beginning of an installation's log: the operator key, and the keys that write the log.
public struct LogBeginning: Sendable, Equatable {
    /// The public half of the operator key.
    public let operatorKey: PublicKeyBytes
    /// The check value of the keys that write the log, 32 bytes.
    let keyCheck: [UInt8]
    /// The leaf hash of the event, which every statement of the operator names as authority.
    let leaf: [UInt8]

    /// The beginning that a recorded event describes; `nil` for any other event.
    init?(_ event: RecordedEvent) {
        guard event.type == SystemFounded.type, event.stream == .system,
            let founded = try? EventCodec.payload(of: event) as? SystemFounded
        else { return nil }
        operatorKey = founded.operatorKey
        keyCheck = founded.keyCheck.bytes
        leaf = event.leaf
    }

    /// Reads how a log begins; `nil` if it was not founded.
    ///
    /// - Throws: ``LedgerError``.
    public static func read(_ reader: LedgerReader) async throws -> LogBeginning? {
        try await reader.streams([.system])[.system]?.first.flatMap(LogBeginning.init)
    }

    /// Reads how a log begins, and refuses keys that did not write it.
    ///
    /// - Throws: `KeysError` with the code `keys.wrong_keys`, or ``LedgerError``.
    public static func read(_ reader: LedgerReader, by ring: KeyRing) async throws -> LogBeginning? {
        let beginning = try await read(reader)
        if let beginning { try ring.check(beginning.keyCheck) }
        return beginning
    }

    /// Founds a log: appends the operator's public key and the check value of the keys.
    ///
    /// - Parameter pool: Connections of the application role.
    /// - Throws: ``OperatorKeyError/Code/foundedMeanwhile`` if the log is founded already.
    public static func found(_ key: OperatorPublicKey, by ring: KeyRing, on pool: PostgresPool) async throws {
        guard let operatorKey = PublicKeyBytes(key.bytes), let keyCheck = Bytes32(ring.keyCheck) else {
            throw OperatorKeyError(.wrong)
        }
        let event = try EventCodec.encode(
            SystemFounded(operatorKey: operatorKey, keyCheck: keyCheck), id: UUID(), stream: .system, keys: [:],
            metadata: EventMetadata())
        let append = Append(events: [event], expectations: [.system: 0])
        let results = try await pool.withTransaction(in: [LedgerID.system], opening: [Appender.makingHeads([.system])])
        {
            connection, _ in try await Appender.append([append], on: &connection)
        }
        do { for result in results { _ = try result.get() } } catch {
            guard error.code == .versionConflict else { throw error }
            throw OperatorKeyError(.foundedMeanwhile)
        }
    }
}

/// Refuses to serve if keys were not restored: people without keys would look erased.
package enum RestoredKeys {
    /// The number of newest events of each directory to check. An older backup of the keys lacks those of the newest
    /// users.
    private static let newest: Int64 = 100

    /// Checks over a pool of the reader role.
    ///
    /// - Throws: `KeysError` with the code `keys.tables_empty`, which names the table.
    package static func check(_ pool: PostgresPool) async throws {
        let directories = LedgerID.directories.map(\.uuid)
        // A single statement sees a concurrent registration with its keys and events, or not at all. The lower limit is
        // one value, so that it is a condition of the index: otherwise each start reads all events of the directories.
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                WITH found AS (
                    SELECT EXISTS (SELECT FROM tenure.person_key) AS keys, EXISTS (SELECT FROM tenure.oprf_seed) AS seeds
                ), users AS (
                    SELECT l.ledger_id, e.stream_id
                    FROM found AS f CROSS JOIN tenure.ledger AS l CROSS JOIN LATERAL (
                        SELECT v.stream_id, v.kind FROM tenure.event AS v
                        WHERE v.ledger_id = l.ledger_id AND v.type = 'CredentialsSet'
                            AND v.position > CASE WHEN f.keys AND f.seeds THEN l.size - \(Self.newest) ELSE 0 END
                        OFFSET 0) AS e
                    WHERE l.ledger_id = ANY(\(directories)) AND NOT EXISTS (
                        SELECT FROM tenure.event AS x WHERE x.ledger_id = l.ledger_id
                            AND x.stream_id = e.stream_id AND x.kind = e.kind AND x.type = 'UserErased')
                )
                SELECT f.keys, f.seeds, EXISTS (SELECT FROM users), EXISTS (
                    SELECT FROM users AS u WHERE NOT EXISTS (
                        SELECT FROM tenure.person_key AS k WHERE k.ledger_id = u.ledger_id AND k.key_id = u.stream_id))
                FROM found AS f
                """)
        }
        let found = try rows.first?.decode(Bool.self, Bool.self, Bool.self, Bool.self)
        guard let (keys, seeds, hasUsers, lacksKeys) = found, hasUsers else { return }
        let empty = [keys ? nil : "tenure.person_key", seeds ? nil : "tenure.oprf_seed"].compactMap(\.self)
        if !empty.isEmpty {
            throw refusal(empty.joined(separator: " and ") + (empty.count == 1 ? " is empty" : " are empty"))
        }
        if lacksKeys { throw refusal("tenure.person_key lacks keys of the newest users") }
    }

    private static func refusal(_ missing: String) -> KeysError {
        KeysError(
            code: .keyTablesEmpty,
            reason: "the log has users who were not erased, but their keys are missing: \(missing)",
            remedy: "restore all four key tables from the backup that the log came from")
    }
}
