import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
package import Keys
import Ledger
package import Postgres

/// Replaces the key of the codes of events. No process may serve meanwhile: what it appended with the old key would be
/// disowned.
package struct ReplaceEventsKey: Sendable {
    /// Other processes have connections to the database.
    package struct StillServed: Error {
        package init() {}
    }

    /// Connections of the application role, of which one is used, and of the reader role, which sees all ledgers.
    private let pool: PostgresPool, readers: PostgresPool
    private let masters: MasterKeyStore

    package init(pool: PostgresPool, readers: PostgresPool, masters: MasterKeyStore) {
        self.pool = pool
        self.readers = readers
        self.masters = masters
    }

    /// Replaces the key, and records what the old one's codes are worth.
    ///
    /// - Returns: The number of ledgers with events.
    /// - Throws: ``StillServed``, `KeysError`, ``LedgerError``, and `PostgresError`.
    package func run() async throws -> Int {
        let ring = try await KeyRing.load(from: pool, masters: masters), old = EventCodes(ring)
        try await LedgerReader(pool: readers, codes: old, storesTiles: false).refreshDisowned()
        var sizes = try await sizes()
        guard !sizes.isEmpty else { throw ServiceError(.companyUnknown) }
        let keys = masters.keys, version = old.disowned.version
        try await pool.withTransaction(in: [LedgerID.system]) { connection in
            let others = try await connection.query(
                """
                SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND usename = current_user
                    AND pid <> pg_backend_pid() LIMIT 1
                """)
            guard others.isEmpty else { throw StillServed() }
            var key = SecretKey()
            while old.keyIDs.contains(EventCodes(key: key.symmetric).keyID) { key = SecretKey() }
            try await ring.replaceEventsKey(by: key, keys, on: &connection)
            let starts = Array(stride(from: 0, to: sizes.count, by: EventsKeyReplaced.maximumCount))
            // The old key says so itself, so that a process that finds it in the database again knows that it ended.
            if let system = sizes.firstIndex(where: { $0.ledger == LedgerID.system.uuid }) {
                sizes[system].size += Int64(starts.count)
            }
            let events = try starts.map { start in
                let part = sizes[start..<min(start + EventsKeyReplaced.maximumCount, sizes.count)]
                return try EventCodec.encode(
                    EventsKeyReplaced(key: old.keyID, sizes: Array(part)), id: UUID(), stream: .disowned, keys: [:],
                    metadata: EventMetadata())
            }
            var append = Append(events: events, expectations: [.disowned: version])
            append.mayFollowHead = true
            let results = try await Appender.append([append], codes: old, on: &connection)
            for result in results { _ = try result.get() }
        }
        return sizes.count
    }

    /// The events of all ledgers. Heads are not believed: whoever writes the database may raise them.
    private func sizes() async throws -> [EventsKeyReplaced.Size] {
        let rows = try await readers.withConnection { connection in
            try await connection.query(
                "SELECT ledger_id, count(*) FROM tenure.event GROUP BY ledger_id ORDER BY ledger_id")
        }
        return try rows.map { row in
            let (ledger, size) = try row.decode(UUID.self, Int64.self)
            return EventsKeyReplaced.Size(ledger: ledger, size: size)
        }
    }
}
