package import Canonical
import EventCoding
import FoundationEssentials
import Identity
package import Ledger
package import Logging
package import Postgres

/// Disowns rows of the log that no service wrote and no checkpoint covers, and keeps what a process knows of them.
///
/// The rows stay where they are. What a process knows is at most one round of checkpoints old.
package struct DisownEntries: Sendable {
    /// How many rows one read examines, and one append disowns.
    private static let page = 500
    private let reader: LedgerReader
    private let appender: any AppendTarget
    private let logger: Logger
    private let now: (@Sendable () -> Timestamp)?

    /// - Parameters:
    ///   - reader: A reader with the service's codes.
    ///   - now: A clock in place of this machine's, for tests with a clock of their own.
    package init(
        reader: LedgerReader, appender: any AppendTarget, now: (@Sendable () -> Timestamp)? = nil, logger: Logger
    ) {
        self.reader = reader
        self.appender = appender
        self.now = now
        self.logger = logger
    }

    /// Reads what other processes disowned.
    ///
    /// - Throws: ``LedgerError``.
    package func refresh() async throws { try await reader.refreshDisowned() }

    /// Returns the rows that a log disowns up to its checkpoint, for who has no keys. Behind it nothing vouches for what
    /// the log says.
    ///
    /// - Throws: ``LedgerError``.
    package static func sealed(in pool: PostgresPool) async throws -> DisownedEntries {
        let anchor = try await StoredCheckpoint.find(.system, pool)?.expectedRoot
        return try await read(in: pool, upTo: anchor?.size ?? 0).entries
    }

    /// Reads the same, with the decisions that count, the newest first.
    static func read(
        in pool: PostgresPool, upTo size: Int64
    ) async throws -> (entries: DisownedEntries, decisions: [(entry: EntryDisowned, time: Timestamp)]) {
        let reader = LedgerReader(pool: pool, codes: .unchecked, storesTiles: false)
        var events: [RecordedEvent] = []
        var version = 0
        while case let rows = try await reader.rows(of: .disowned, after: version, limit: page), let last = rows.last {
            events += rows.filter { $0.position <= size }.compactMap { try? $0.event() }
            version = last.streamVersion
        }
        return DisownedEntries.decided(by: events)
    }

    /// Disowns the rows of a ledger that readers of this process met, but for those that a checkpoint covers: these are
    /// damage.
    ///
    /// - Parameter sealed: The number of events that the ledger's checkpoint covers.
    /// - Returns: Whether there were such rows.
    /// - Throws: ``LedgerError``.
    package func run(_ ledger: LedgerID, sealed: Int64) async throws -> Bool {
        let disowned = reader.codes.disowned
        let rows = disowned.takeReports(of: ledger).filter { $0.place.position > sealed }
        var rest = rows[...]
        while !rest.isEmpty {
            do { try await disown(Array(rest.prefix(Self.page))) } catch {
                for row in rest { disowned.report(row.place, leaf: row.leaf) }
                throw error
            }
            rest = rest.dropFirst(Self.page)
        }
        return !rows.isEmpty
    }

    private func disown(_ found: [(place: LedgerError.Place, leaf: [UInt8])]) async throws {
        let disowned = reader.codes.disowned
        for attempt in 0... {
            let rows = found.filter { disowned.leaf(at: $0.place) != $0.leaf }
            guard !rows.isEmpty else { return }
            let events = try rows.compactMap { place, leaf in
                try Bytes32(leaf).map { leaf in
                    try EventCodec.encode(
                        EntryDisowned(ledger: place.ledger.uuid, position: place.position, leaf: leaf),
                        id: UUID(), stream: .disowned, keys: [:], metadata: EventMetadata())
                }
            }
            var append = Append(events: events, expectations: [.disowned: disowned.version], time: now?() ?? .now())
            // As records of checkpoints.
            append.mayFollowHead = true
            do { _ = try await appender.append(append) } catch {
                guard error.code == .versionConflict, attempt < 3 else { throw error }
                try await refresh()
                continue
            }
            for row in rows {
                logger.error(
                    "a row of the log has no code of a service and is disowned; find out who writes the database",
                    metadata: ["ledger": "\(row.place.ledger)", "position": "\(row.place.position)"])
            }
            return try await refresh()
        }
    }
}
