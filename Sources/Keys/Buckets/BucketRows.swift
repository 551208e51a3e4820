import FoundationEssentials
import Postgres

/// The wrapped keys and seeds of one bucket, to be rewrapped under its next key.
struct BucketRows: Sendable {
    struct Row: Sendable {
        var ledger: UUID
        var id: UUID
        var wrapped: [UInt8]
    }

    /// The greatest number of rows in one statement.
    private static let rowsPerStatement = 1_000

    private var persons: [Row] = []
    private var seeds: [OPRFPurpose: [Row]] = [:]

    var count: Int { persons.count + seeds.values.reduce(0) { $0 + $1.count } }

    /// Reads the rows in the ledgers that the transaction has named.
    static func read(_ bucket: Bucket, _ connection: inout PostgresConnection) async throws -> BucketRows {
        var all = BucketRows()
        let persons = try await connection.query(
            "SELECT ledger_id, key_id, wrapped FROM tenure.person_key WHERE bucket = \(Int16(bucket.number))")
        for row in persons {
            let (ledger, id, wrapped) = try row.decode(UUID.self, UUID.self, [UInt8].self)
            all.persons.append(Row(ledger: ledger, id: id, wrapped: wrapped))
        }
        let seeds = try await connection.query(
            """
            SELECT purpose, ledger_id, credential_id, wrapped FROM tenure.oprf_seed
            WHERE get_byte(sha256(uuid_send(credential_id)), 0) = \(Int32(bucket.number))
            """)
        for row in seeds {
            let (name, ledger, id, wrapped) = try row.decode(String.self, UUID.self, UUID.self, [UInt8].self)
            guard let purpose = OPRFPurpose(rawValue: name) else {
                throw KeysError(code: .rekeyingIncomplete, reason: "a seed has an unknown purpose")
            }
            all.seeds[purpose, default: []].append(Row(ledger: ledger, id: id, wrapped: wrapped))
        }
        return all
    }

    /// Wraps every row under the new key and stores it.
    func rewrap(from old: BucketKey, to new: BucketKey, _ connection: inout PostgresConnection) async throws {
        let epoch = Int32(clamping: new.epoch)
        for rows in Self.chunks(persons) {
            let changed = try Self.rewrapped(rows, PersonKeys.purpose, old, new)
            let count = try await connection.execute(
                """
                UPDATE tenure.person_key AS k SET epoch = \(epoch), wrapped = n.wrapped
                FROM unnest(\(changed.map(\.ledger)), \(changed.map(\.id)), \(changed.map(\.wrapped)))
                    AS n (ledger_id, key_id, wrapped)
                WHERE k.ledger_id = n.ledger_id AND k.key_id = n.key_id
                """)
            try Self.expect(changed.count, count)
        }
        for (purpose, all) in seeds {
            for rows in Self.chunks(all) {
                let changed = try Self.rewrapped(rows, purpose.wrapPurpose, old, new)
                let count = try await connection.execute(
                    """
                    UPDATE tenure.oprf_seed AS s SET epoch = \(epoch), wrapped = n.wrapped
                    FROM unnest(\(changed.map(\.ledger)), \(changed.map(\.id)), \(changed.map(\.wrapped)))
                        AS n (ledger_id, credential_id, wrapped)
                    WHERE s.ledger_id = n.ledger_id AND s.credential_id = n.credential_id
                        AND s.purpose = \(purpose.rawValue)
                    """)
                try Self.expect(changed.count, count)
            }
        }
    }

    private static func rewrapped(
        _ rows: ArraySlice<Row>, _ purpose: String, _ old: BucketKey, _ new: BucketKey
    ) throws(KeysError) -> [Row] {
        var changed: [Row] = []
        for var row in rows {
            let key = try old.unwrap(row.wrapped, purpose: purpose, id: row.id, ledger: row.ledger)
            row.wrapped = try new.wrap(key, purpose: purpose, id: row.id, ledger: row.ledger)
            changed.append(row)
        }
        return changed
    }

    private static func chunks(_ rows: [Row]) -> [ArraySlice<Row>] {
        stride(from: 0, to: rows.count, by: rowsPerStatement).map {
            rows[$0..<min($0 + rowsPerStatement, rows.count)]
        }
    }

    private static func expect(_ expected: Int, _ count: Int) throws(KeysError) {
        guard count == expected else {
            throw KeysError(
                code: .rekeyingIncomplete, reason: "\(count) of \(expected) rows were wrapped again")
        }
    }
}
