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
    private let records: CheckpointRecords
    private let repair: LedgerRepair
    private let disowning: DisownEntries
    private let now: (@Sendable () -> Timestamp)?
    private let logger: Logger
    /// What this process knows of all checkpoints.
    package let memory: SealMemory

    /// Signs with `signer`.
    ///
    /// - Parameters:
    ///   - pool: Connections of the application role.
    ///   - readerPool: Connections of the reader role, which sees all ledgers.
    ///   - tiles: The codes of stored tiles; `nil` computes each root from the events.
    ///   - memory: What the process knows of checkpoints; `nil` begins with nothing.
    ///   - now: A clock in place of the database's, for tests with a clock of their own.
    package init(
        pool: PostgresPool, readerPool: PostgresPool, codes: EventCodes, appender: any AppendTarget,
        signer: CheckpointSigner, tiles: TileCodes? = nil, memory: SealMemory? = nil,
        now: (@Sendable () -> Timestamp)? = nil, logger: Logger
    ) {
        self.pool = pool
        self.appender = appender
        self.signer = signer
        self.now = now
        self.logger = logger
        let memory = memory ?? SealMemory(key: signer.key), reader = LedgerReader(pool: pool, codes: codes)
        self.memory = memory
        self.reader = tiles.map(reader.using) ?? reader
        ledgers = FindGrownLedgers(pool: readerPool)
        records = CheckpointRecords(reader: reader, memory: memory)
        repair = LedgerRepair(pool: pool, codes: codes, memory: memory, logger: logger)
        disowning = DisownEntries(reader: reader, appender: appender, now: now, logger: logger)
    }

    /// Signs everything that was committed before the call, unless another process does.
    ///
    /// An error of one ledger leaves out that ledger, which ``memory`` names, and stops no other.
    ///
    /// - Returns: The new anchor; `nil` if nothing changed since the last one.
    /// - Throws: ``LedgerError`` and the errors of the database.
    @discardableResult
    package func run() async throws -> Anchor? {
        // Read before the ledgers: what was committed by then is covered at the end of the round.
        let start = try await clock()
        let began = ContinuousClock.now
        let candidates = memory.candidates(try await ledgers.look())
        memory.look = .now - began
        // What readers met may lie in a ledger that seems at rest.
        let met = reader.codes.disowned.reported.subtracting(candidates).subtracting([.system])
        var rest = (candidates + met)[...]
        var isComplete = false, hasSigned = false, isWhole = true
        var isSystemGood = try await apart(.system, isAll: false) { try await disownInSystem() } != nil
        while !isComplete {
            // Read before the ledgers, so that a checkpoint that another process signs meanwhile makes this append a
            // conflict.
            let (version, time) = try await reader.end(of: .checkpoints)
            let followed: Void? = try await apart(.system, isAll: false) { try await records.follow(to: version) }
            isSystemGood = isSystemGood && followed != nil
            let part = Array(rest.prefix(CheckpointSealed.maximumCount))
            rest = rest.dropFirst(part.count)
            isComplete = rest.isEmpty
            var (checkpoints, isPartWhole) = try await signed(part)
            isWhole = isWhole && isPartWhole
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
                try await record(checkpoints, version, asOf: isComplete && isWhole ? start : nil)
                hasSigned = true
            } catch let error as LedgerError {
                guard error.code == .versionConflict else { throw error }
                // Another process signs them.
                break
            }
        }
        return try await anchor(isAll: isSystemGood)
    }

    /// The system ledger's own checkpoint; none if the ledger differs from what was signed before.
    private func mark() async throws -> [SignedCheckpoint] {
        guard let system = try await ledgers.rows([.system]).first else { return [] }
        let checkpoint = try await apart(.system, { try await signed(system, evenAtRest: true) }) ?? nil
        return checkpoint.map { [$0] } ?? []
    }

    /// Signs the checkpoints of those ledgers that extend their previous checkpoint.
    ///
    /// - Returns: The checkpoints, and whether no ledger was left out that may be as good as the others.
    private func signed(_ ids: [LedgerID]) async throws -> ([SignedCheckpoint], isWhole: Bool) {
        guard !ids.isEmpty else { return ([], true) }
        var checkpoints: [SignedCheckpoint] = []
        var missing = Set(ids), isWhole = true
        for found in try await ledgers.rows(ids) {
            missing.remove(found.ledger)
            let isGood = try await apart(found.ledger) {
                if let checkpoint = try await signed(found) { checkpoints.append(checkpoint) }
                return true
            }
            if isGood == nil, memory.faults[found.ledger] == Self.unavailable { isWhole = false }
        }
        for ledger in missing {
            try await apart(ledger) { _ = try await repair.setHead(ledger, from: 0) }
        }
        return (checkpoints, isWhole)
    }

    private static let unavailable = "the database did not answer for it"

    /// Does work for one ledger. Its error leaves out that ledger, unless the database does not answer at all.
    ///
    /// - Parameter isAll: Whether the ledger is sound if the work succeeds.
    @discardableResult
    private func apart<Result>(
        _ ledger: LedgerID, isAll: Bool = true, _ work: () async throws -> Result
    ) async throws -> Result? {
        let reason: String
        do {
            let result = try await work()
            if isAll { memory.settle(ledger) }
            return result
        } catch is CancellationError {
            throw CancellationError()
        } catch let error as SealFault {
            reason = error.reason
        } catch let error as LedgerError {
            guard error.code != .cancelled else { throw error }
            reason = error.code == .unavailable ? Self.unavailable : error.reason
        } catch {
            reason = Self.unavailable
        }
        _ = try await ledgers.clock()
        if memory.leaveOut(ledger, reason) {
            logger.error(
                "a ledger is not sealed; run tenure verify", metadata: ["ledger": "\(ledger)", "reason": "\(reason)"])
        }
        return nil
    }

    /// The number of events of a ledger without a gap. A head that says otherwise is set right.
    private func head(of found: GrownLedger) async throws -> Int64 {
        found.isHeadRight
            ? found.size : try await repair.setHead(found.ledger, from: memory.sealed(found.ledger)?.size ?? 0)
    }

    /// Signs nothing for a ledger that does not contain what was signed before: a signature would legitimise the
    /// change. `tenure verify` reports where the change is.
    private func signed(_ found: GrownLedger, evenAtRest: Bool = false) async throws -> SignedCheckpoint? {
        let ledger = found.ledger
        var (sealed, isRight) = memory.judge(found.checkpoint, of: ledger)
        var size = try await head(of: found)
        // Another process may have sealed more meanwhile.
        if size < sealed?.size ?? 0 { size = try await repair.setHead(ledger, from: size) }
        if !isRight { sealed = try await checkpoint(of: found, at: size) }
        let last = sealed ?? SealMemory.Sealed(size: 0, root: MerkleTree.emptyRoot)
        guard size >= last.size else { throw SealFault(reason: "it has fewer events than its checkpoint covers") }
        if size - last.size > MerkleTile.width { try await reader.check(ledger, last.size..<size) }
        try await disown(ledger, last.size)
        guard size > last.size || (evenAtRest && size > 0) else { return nil }
        let (before, now) = try await roots(ledger, from: last.size, to: &size)
        guard before == last.root else { throw Self.differs }
        // What the roots were computed from is examined with them.
        try await disown(ledger, last.size)
        guard size > last.size || evenAtRest else { return nil }
        return try signer.sign(ledger, size: size, root: now)
    }

    /// Disowns what was met behind a checkpoint. Who made these rows chose their times, which the head does not follow.
    private func disown(_ ledger: LedgerID, _ sealed: Int64) async throws {
        if try await disowning.run(ledger, sealed: sealed) { _ = try await repair.setHead(ledger, from: sealed) }
    }

    /// Examines the system ledger before its records are read.
    private func disownInSystem() async throws {
        try await disowning.refresh()
        guard let system = try await ledgers.rows([.system]).first else { return }
        let sealed = memory.judge(system.checkpoint, of: .system).sealed?.size ?? 0, size = try await head(of: system)
        if size > sealed { try await reader.check(.system, sealed..<size) }
        try await disown(.system, sealed)
    }

    private static let differs = SealFault(reason: "it differs from its signed checkpoint")

    /// Returns the roots at two sizes. If the head counts events behind a gap, it is set right first.
    private func roots(
        _ ledger: LedgerID, from sealed: Int64, to size: inout Int64
    ) async throws -> (earlier: [UInt8], later: [UInt8]) {
        do { return try await reader.roots(ledger, at: sealed, and: size) } catch {
            guard error.code == .invalidEntry || error.code == .beyondHead else { throw error }
            let right = try await repair.setHead(ledger, from: sealed)
            guard sealed..<size ~= right else { throw error }
            size = right
            return try await reader.roots(ledger, at: sealed, and: size)
        }
    }

    /// Sets right the row of a checkpoint, and returns the newest checkpoint that is proved: by its note, by a record,
    /// or else by the first event alone, which takes nothing for granted.
    private func checkpoint(of found: GrownLedger, at size: Int64) async throws -> SealMemory.Sealed? {
        let ledger = found.ledger
        guard let sealed = try await records.find(ledger) else {
            guard size > 0 else { return nil }
            try await reader.check(ledger, 0..<1)
            try await disown(ledger, 0)
            let root = try await reader.root(ledger, size: 1).root
            try await repair.setCheckpoint(signer.sign(ledger, size: 1, root: root), replacing: found.checkpoint)
            return SealMemory.Sealed(size: 1, root: root)
        }
        guard size >= sealed.size else { throw SealFault(reason: "it has fewer events than its checkpoint covers") }
        guard try await reader.root(ledger, size: sealed.size).root == sealed.root else { throw Self.differs }
        try await repair.setCheckpoint(
            signer.sign(ledger, size: sealed.size, root: sealed.root), replacing: found.checkpoint)
        return sealed
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
        checkpoints.forEach(memory.learn)
    }

    /// The database's clock: those of processes may differ.
    private func clock() async throws -> Timestamp {
        if let now { return now() }
        return try await ledgers.clock()
    }

    private func anchor(isAll: Bool) async throws -> Anchor? {
        guard let system = try await ledgers.rows([.system]).first,
            let checkpoint = try await apart(.system, isAll: isAll, { try await signed(system) }) ?? nil
        else { return nil }
        _ = try await pool.query(Self.storing([checkpoint]), in: [.system])
        memory.learn(checkpoint)
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
