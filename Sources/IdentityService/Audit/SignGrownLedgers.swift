package import Canonical
import EventCoding
import FoundationEssentials
import Identity
package import Ledger
package import Logging
package import Postgres

/// Signs the checkpoints of all ledgers that grew, records them in the system ledger, and signs that ledger's own
/// checkpoint, the anchor.
///
/// The record and the signed notes are committed together, against the exact version of the checkpoint stream. If
/// several processes sign at once, one wins and the others find nothing left to do. The anchor is stored only in its
/// table, so signing never causes work for the next round.
///
/// If nothing grew for ``longestSilence``, it records the system ledger's own checkpoint, which marks the time: an event
/// that is backdated by more contradicts a mark.
package struct SignGrownLedgers: Sendable {
    /// The longest time between two records of checkpoints. The promise is fifteen minutes; a round has the rest.
    package static let longestSilence: Duration = .seconds(14 * 60)
    private let reader: LedgerReader
    private let ledgers: FindGrownLedgers
    private let appender: any AppendTarget
    private let pool: PostgresPool
    private let signer: CheckpointSigner
    private let now: (@Sendable () -> Timestamp)?
    private let logger: Logger

    /// Signs with `signer`.
    ///
    /// - Parameters:
    ///   - pool: Connections of the application role.
    ///   - readerPool: Connections of the reader role, which sees all ledgers.
    ///   - now: A clock in place of the database's, for tests with a clock of their own.
    package init(
        pool: PostgresPool, readerPool: PostgresPool, codes: EventCodes, appender: any AppendTarget,
        signer: CheckpointSigner, now: (@Sendable () -> Timestamp)? = nil, logger: Logger
    ) {
        self.pool = pool
        self.appender = appender
        self.signer = signer
        self.now = now
        self.logger = logger
        reader = LedgerReader(pool: pool, codes: codes)
        ledgers = FindGrownLedgers(pool: readerPool)
    }

    /// Signs everything that was committed before the call, unless another process does.
    ///
    /// - Returns: The new anchor; `nil` if nothing changed since the last one.
    /// - Throws: ``LedgerError`` and the errors of the database.
    @discardableResult
    package func run() async throws -> Anchor? {
        // Read before the ledgers: what was committed by then is covered at the end of the round.
        let start = try await clock()
        var last: LedgerID?, isComplete = false, hasSigned = false
        while !isComplete {
            // Read before the ledgers, so that a checkpoint that another process signs meanwhile makes this append a
            // conflict.
            let (version, time) = try await ledgers.latest()
            let grown = try await ledgers.next(after: last, limit: CheckpointSealed.maximumCount)
            isComplete = grown.count < CheckpointSealed.maximumCount
            last = grown.last?.ledger ?? last
            var checkpoints = try await signed(grown)
            if checkpoints.isEmpty {
                guard isComplete else { continue }
                // A record of nothing ends a round of several. Otherwise signing would cause work for the next round,
                // except for the mark of a log at rest.
                if !hasSigned {
                    guard let time, time.adding(Self.longestSilence) <= start else { break }
                    checkpoints = try await mark()
                }
                guard hasSigned || !checkpoints.isEmpty else { break }
            }
            do {
                try await record(checkpoints, version, asOf: isComplete ? start : nil)
                hasSigned = true
            } catch let error as LedgerError {
                guard error.code == .versionConflict else { throw error }
                // Another process signs them.
                break
            }
        }
        return try await anchor()
    }

    /// The system ledger's own checkpoint; none if the ledger differs from what was signed before.
    private func mark() async throws -> [SignedCheckpoint] {
        guard let system = try await ledgers.system(evenAtRest: true) else { return [] }
        return try await signed([system])
    }

    /// Signs the checkpoints of ledgers that extend their previous checkpoint.
    private func signed(_ grown: [GrownLedger]) async throws -> [SignedCheckpoint] {
        var checkpoints: [SignedCheckpoint] = []
        for ledger in grown {
            if let checkpoint = try await signed(ledger) { checkpoints.append(checkpoint) }
        }
        return checkpoints
    }

    /// Signs nothing for a ledger that does not contain what was signed before: a signature would legitimise the
    /// change. `tenure verify` reports where the change is.
    private func signed(_ ledger: GrownLedger) async throws -> SignedCheckpoint? {
        guard let sealed = ledger.sealed else {
            let (size, root) = try await reader.root(ledger.ledger, size: ledger.size)
            return try signer.sign(ledger.ledger, size: size, root: root)
        }
        let (before, now) = try await reader.roots(ledger.ledger, at: sealed.size, and: ledger.size)
        guard before == sealed.root else {
            logger.error(
                "a ledger differs from its signed checkpoint, so it is not signed again",
                metadata: ["ledger": "\(ledger.ledger)", "size": "\(sealed.size)"])
            return nil
        }
        return try signer.sign(ledger.ledger, size: ledger.size, root: now)
    }

    /// Records signed checkpoints.
    ///
    /// - Parameter start: The database's clock at the start of the round, if this ends it.
    private func record(_ checkpoints: [SignedCheckpoint], _ version: Int, asOf start: Timestamp?) async throws {
        let payload = CheckpointSealed(
            checkpoints: checkpoints.compactMap { signed in
                guard let ledger = signed.ledger, let root = Bytes32(signed.checkpoint.root) else { return nil }
                return .init(ledger: ledger.uuid, size: signed.checkpoint.size, root: root)
            }, clock: try await clock(), asOf: start)
        let event = try EventCodec.encode(
            payload, id: UUID(), stream: .checkpoints, keys: [:], metadata: EventMetadata())
        var append = Append(
            events: [event], expectations: [.checkpoints: version], time: now?() ?? .now(),
            effectLedgers: Set(checkpoints.compactMap(\.ledger)), effects: { _ in [Self.storing(checkpoints)] })
        // Signing never stops, not even for a system ledger that is ahead of the clock.
        append.mayFollowHead = true
        _ = try await appender.append(append)
    }

    /// The database's clock: those of processes may differ.
    private func clock() async throws -> Timestamp {
        if let now { return now() }
        return try await ledgers.clock()
    }

    private func anchor() async throws -> Anchor? {
        guard let system = try await ledgers.system(), let checkpoint = try await signed(system) else { return nil }
        _ = try await pool.query(Self.storing([checkpoint]), in: [.system])
        return try Anchor(key: signer.key, checkpoint: checkpoint)
    }

    /// Replaces earlier checkpoints, never later ones.
    private static func storing(_ signed: [SignedCheckpoint]) -> SQL {
        let known = signed.filter { $0.ledger != nil }
        let checkpoints = known.map(\.checkpoint)
        return """
            INSERT INTO tenure.checkpoint AS c (ledger_id, size, root, note)
            SELECT n.ledger_id, n.size, n.root, n.note
            FROM unnest(\(known.compactMap(\.ledger?.uuid)), \(checkpoints.map(\.size)), \(checkpoints.map(\.root)),
                \(known.map(\.note.text))) AS n(ledger_id, size, root, note)
            ON CONFLICT ON CONSTRAINT checkpoint_pkey DO UPDATE
            SET size = excluded.size, root = excluded.root, note = excluded.note WHERE c.size < excluded.size
            """
    }
}

/// A ledger that grew since its last checkpoint.
struct GrownLedger: Sendable {
    let ledger: LedgerID
    /// The number of its events now.
    let size: Int64
    /// The last checkpoint, if there is one.
    let sealed: (size: Int64, root: [UInt8])?
}

/// Finds the ledgers that grew since their last checkpoint, over the reader role, which sees all of them.
struct FindGrownLedgers: Sendable {
    let pool: PostgresPool

    /// The version of the checkpoint stream, which an append of further ones expects, and the time of its last event.
    func latest() async throws -> (version: Int, time: Timestamp?) {
        let stream = StreamID.checkpoints
        let rows = try await pool.query(
            """
            SELECT version, time FROM tenure.event
            WHERE ledger_id = \(stream.ledger.uuid) AND stream_id = \(stream.id) AND kind = \(stream.kind)
            ORDER BY version DESC LIMIT 1
            """, in: [LedgerID]())
        guard let row = rows.first else { return (0, nil) }
        let (version, time) = try row.decode(Int32.self, PostgresTimestamp.self)
        return (Int(version), Timestamp(microseconds: time.microsecondsSinceUnixEpoch))
    }

    /// The clock of the database.
    func clock() async throws -> Timestamp {
        let rows = try await pool.query(
            "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint", in: [LedgerID]())
        return Timestamp(microseconds: try rows.first?.decode(Int64.self) ?? 0)
    }

    /// Returns at most `limit` grown ledgers after a ledger, ordered by id, without the system ledger.
    func next(after last: LedgerID?, limit: Int) async throws -> [GrownLedger] {
        let start = last ?? .system
        return try await found("l.ledger_id > \(start.uuid) ORDER BY l.ledger_id LIMIT \(Int64(limit))")
    }

    /// Returns the system ledger if it grew.
    ///
    /// - Parameter evenAtRest: Whether it is returned also if it did not grow.
    func system(evenAtRest: Bool = false) async throws -> GrownLedger? {
        try await found("l.ledger_id = \(LedgerID.system.uuid)", evenAtRest: evenAtRest).first
    }

    private func found(_ which: SQL, evenAtRest: Bool = false) async throws -> [GrownLedger] {
        let rows = try await pool.query(
            """
            SELECT l.ledger_id, l.size, c.size, c.root FROM tenure.ledger AS l
            LEFT JOIN tenure.checkpoint AS c ON c.ledger_id = l.ledger_id
            WHERE (\(evenAtRest) OR l.size > coalesce(c.size, 0)) AND \(which)
            """, in: [LedgerID]())
        return try rows.map { row in
            let (ledger, size, sealedSize, root) = try row.decode(UUID.self, Int64.self, Int64?.self, [UInt8]?.self)
            let sealed = sealedSize.flatMap { size in root.map { (size, $0) } }
            return GrownLedger(ledger: LedgerID(ledger), size: size, sealed: sealed)
        }
    }
}
