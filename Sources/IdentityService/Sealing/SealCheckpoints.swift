import Canonical
import FoundationEssentials
import Identity
public import Ledger
public import Logging
public import Postgres
import Projections

/// Signs the checkpoints of all ledgers that grew, records them in the system ledger, and signs that ledger's own: the
/// anchor.
///
/// The record and the signed notes are committed together, against the exact version of the stream of checkpoints: of
/// several processes that seal at once, one wins and the others find nothing left to do. The anchor is recorded nowhere
/// but in its table, so a sealing never makes work for the next one.
public struct SealCheckpoints: Sendable {
    private let reader: LedgerReader
    private let ledgers: SealableLedgers
    private let appender: any Appending
    private let pool: PostgresPool
    private let signer: CheckpointSigner
    private let logger: Logger

    /// Seals with a signer.
    ///
    /// - Parameters:
    ///   - pool: Connections of the application role.
    ///   - readerPool: Connections of the reader role, which sees which ledgers there are.
    public init(
        pool: PostgresPool, readerPool: PostgresPool, appender: any Appending, signer: CheckpointSigner, logger: Logger
    ) {
        self.pool = pool
        self.appender = appender
        self.signer = signer
        self.logger = logger
        reader = LedgerReader(pool: pool)
        ledgers = SealableLedgers(pool: readerPool)
    }

    /// Seals everything that was committed before the call, unless another process does.
    ///
    /// - Returns: The new anchor; nil when nothing changed since the last one.
    @discardableResult
    public func run() async throws -> Anchor? {
        var last: LedgerID?
        while true {
            // Before the ledgers are read, so that what another process seals in between makes this append a conflict.
            let version = try await ledgers.version()
            let grown = try await ledgers.next(after: last, limit: CheckpointSealed.maximumCount)
            guard let end = grown.last else { break }
            last = end.ledger
            let checkpoints = try await signed(grown)
            guard !checkpoints.isEmpty else { continue }
            do { try await record(checkpoints, version) } catch let error as LedgerError {
                guard error.code == .versionConflict else { throw error }
                // Another process is at it.
                break
            }
        }
        return try await anchor()
    }

    /// The checkpoints of ledgers whose trees go on from what was sealed before.
    private func signed(_ grown: [SealableLedger]) async throws -> [SignedCheckpoint] {
        var checkpoints: [SignedCheckpoint] = []
        for ledger in grown {
            if let checkpoint = try await signed(ledger) { checkpoints.append(checkpoint) }
        }
        return checkpoints
    }

    /// Nothing is signed of a ledger that does not contain what was signed before: a signature would make the change
    /// look right. `tenure verify` says where it is.
    private func signed(_ ledger: SealableLedger) async throws -> SignedCheckpoint? {
        guard let sealed = ledger.sealed else {
            let (size, root) = try await reader.root(ledger.ledger, size: ledger.size)
            return try signer.sign(ledger.ledger, size: size, root: root)
        }
        let (before, now) = try await reader.roots(ledger.ledger, at: sealed.size, and: ledger.size)
        guard before == sealed.root else {
            logger.error(
                "a ledger is not what was sealed: it is not sealed again",
                metadata: ["ledger": "\(ledger.ledger)", "size": "\(sealed.size)"])
            return nil
        }
        return try signer.sign(ledger.ledger, size: ledger.size, root: now)
    }

    private func record(_ checkpoints: [SignedCheckpoint], _ version: Int) async throws {
        let payload = CheckpointSealed(
            checkpoints: checkpoints.compactMap { signed in
                guard let ledger = signed.ledger, let root = Bytes32(signed.checkpoint.root) else { return nil }
                return .init(ledger: ledger.uuid, size: signed.checkpoint.size, root: root)
            })
        let event = try EventCodec.encode(
            payload, id: UUID(), stream: .checkpoints, keys: [:], metadata: EventMetadata())
        let append = Append(
            events: [event], expectations: [.checkpoints: version],
            effectLedgers: Set(checkpoints.compactMap(\.ledger)), effects: { _ in [Self.storing(checkpoints)] })
        _ = try await appender.append(append)
    }

    private func anchor() async throws -> Anchor? {
        guard let system = try await ledgers.system(), let checkpoint = try await signed(system) else { return nil }
        _ = try await pool.query(Self.storing([checkpoint]), in: [.system])
        return try Anchor(key: signer.key, checkpoint: checkpoint)
    }

    /// Puts checkpoints in the places of earlier ones, never of later ones.
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
