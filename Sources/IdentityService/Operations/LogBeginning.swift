import Canonical
package import Credentials
import EventCoding
import FoundationEssentials
package import Identity
package import Keys
package import Ledger
package import Postgres

/// The beginning of an installation's log: the operator key, and the keys that write the log.
package struct LogBeginning: Sendable, Equatable {
    /// The public half of the operator key.
    package let operatorKey: PublicKeyBytes
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

    /// Reads how a log begins; `nil` if it was not founded. Rows behind the first event of the stream do not matter.
    ///
    /// - Throws: ``LedgerError``.
    package static func read(_ reader: LedgerReader) async throws -> LogBeginning? {
        try await reader.rows(of: .system, after: 0, limit: 1).first.flatMap { LogBeginning(try $0.event()) }
    }

    /// Reads how a log begins, and refuses keys that did not write it.
    ///
    /// - Throws: `KeysError` with the code `keys.wrong_keys`, or ``LedgerError``.
    package static func read(_ reader: LedgerReader, by ring: KeyRing) async throws -> LogBeginning? {
        do {
            try await reader.refreshDisowned()
            let beginning = try await read(reader)
            if let beginning { try ring.check(beginning.keyCheck) }
            guard !reader.codes.isReplaced else {
                throw KeysError(
                    code: .wrongKeys,
                    reason: "the key of the codes of events was replaced, and the database has the old one",
                    remedy: "restore the row `events` of tenure.purpose_key from a backup made after the replacement")
            }
            return beginning
        } catch let error as LedgerError where error.code == .foreignEntry {
            // Other keys find no code right; who has them learns that.
            let found = try await read(reader.checking(.unchecked))
            if let found { try ring.check(found.keyCheck) }
            throw error
        }
    }

    /// Founds a log: appends the operator's public key and the check value of the keys.
    ///
    /// - Parameter pool: Connections of the application role.
    /// - Throws: ``OperatorKeyError/Code/foundedMeanwhile`` if the log is founded already.
    package static func found(_ key: OperatorPublicKey, by ring: KeyRing, on pool: PostgresPool) async throws {
        guard let operatorKey = PublicKeyBytes(key.bytes), let keyCheck = Bytes32(ring.keyCheck) else {
            throw OperatorKeyError(.wrong)
        }
        let event = try EventCodec.encode(
            SystemFounded(operatorKey: operatorKey, keyCheck: keyCheck), id: UUID(), stream: .system, keys: [:],
            metadata: EventMetadata())
        let append = Append(events: [event], expectations: [.system: 0])
        let results = try await pool.withTransaction(in: [LedgerID.system], opening: [Appender.makingHeads([.system])])
        {
            connection, _ in
            try await Appender.append([append], codes: EventCodes(ring), on: &connection)
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
        let (found, keys): ([(hasUsers: Bool, lacksKeys: Bool)], Keys) = try await pool.withConnection { connection in
            let before = try await Keys.read(on: &connection)
            // Keys of the newest users are missing if an older backup was restored, those of all if none was.
            let newest = before.isComplete ? Self.newest : nil
            let statements = LedgerID.directories.map { Self.users(of: $0.uuid, newest: newest) }
            let found = try await connection.pipeline(statements).compactMap { rows in
                try rows.first?.decode(Bool.self, Bool.self)
            }
            // Read again, because the first user may have registered in between.
            return (found, try await Keys.read(on: &connection))
        }
        guard found.contains(where: \.hasUsers) else { return }
        let empty = [keys.ofPersons ? nil : "tenure.person_key", keys.seeds ? nil : "tenure.oprf_seed"]
            .compactMap(\.self)
        if !empty.isEmpty {
            throw refusal(empty.joined(separator: " and ") + (empty.count == 1 ? " is empty" : " are empty"))
        }
        if found.contains(where: \.lacksKeys) { throw refusal("tenure.person_key lacks keys of the newest users") }
    }

    /// Which tables of keys have rows.
    private struct Keys {
        let ofPersons: Bool
        let seeds: Bool

        var isComplete: Bool { ofPersons && seeds }

        static func read(on connection: inout PostgresConnection) async throws -> Keys {
            let rows = try await connection.query(
                "SELECT EXISTS (SELECT 1 FROM tenure.person_key), EXISTS (SELECT 1 FROM tenure.oprf_seed)")
            let (persons, seeds) = try rows.first?.decode(Bool.self, Bool.self) ?? (false, false)
            return Keys(ofPersons: persons, seeds: seeds)
        }
    }

    /// The query whether a directory has users who were not erased, and whether one of them has no key. It sees a
    /// concurrent registration with its key and events, or not at all.
    ///
    /// - Parameter newest: The number of newest events to read, or `nil` for all. The position is one value, so that it
    ///   is a condition of the index: otherwise each start reads all events of the directories.
    private static func users(of directory: UUID, newest: Int64?) -> SQL {
        let start: SQL =
            newest.map { "(SELECT l.size - \($0) FROM tenure.ledger AS l WHERE l.ledger_id = \(directory))" } ?? "0"
        return """
            WITH users AS (
                SELECT v.stream_id FROM tenure.event AS v
                WHERE v.ledger_id = \(directory) AND v.type = 'CredentialsSet' AND v.position > \(start)
                    AND NOT EXISTS (SELECT 1 FROM tenure.event AS x WHERE x.ledger_id = \(directory)
                        AND x.stream_id = v.stream_id AND x.kind = v.kind AND x.type = 'UserErased')
            )
            SELECT EXISTS (SELECT 1 FROM users), EXISTS (
                SELECT 1 FROM users AS u WHERE NOT EXISTS (
                    SELECT 1 FROM tenure.person_key AS k WHERE k.ledger_id = \(directory) AND k.key_id = u.stream_id))
            """
    }

    private static func refusal(_ missing: String) -> KeysError {
        KeysError(
            code: .keyTablesEmpty,
            reason: "the log has users who were not erased, but their keys are missing: \(missing)",
            remedy: "restore all four key tables from the backup that the log came from")
    }
}
