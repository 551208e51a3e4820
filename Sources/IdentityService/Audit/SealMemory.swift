package import Ledger
import Synchronization

/// What a process knows of the checkpoints of all ledgers, and what it found wrong about them.
///
/// A checkpoint counts if the log's key signed its note, and not less than the system ledger records. The columns
/// beside a note are a cache: whoever may write the table chooses them.
package final class SealMemory: Sendable {
    /// The size and the root of a ledger that were sealed.
    struct Sealed: Sendable, Equatable {
        let size: Int64
        let root: [UInt8]
    }

    /// A row that the sealer sets right from what is proved.
    package enum Repair: String, CaseIterable, Sendable { case head, checkpoint }

    /// How many ledgers whose checkpoint is not yet verified a look takes, and how many others in turn.
    private static let unknownAtOnce = 1_000, turn = 256
    /// The longest time that a checkpoint may rest, from the end of one round to that of the next.
    package static let longestRest: Duration = .seconds(10)

    private struct State {
        var sealed: [LedgerID: Sealed] = [:]
        /// A seeded hash of the row that was verified.
        var rows: [LedgerID: Int] = [:]
        var faults: [LedgerID: String] = [:]
        /// The ledgers in which a recount found damage.
        var damage: [LedgerID: String] = [:]
        /// When a ledger was named in the log last, with the reason.
        var told: [LedgerID: (reason: String, at: ContinuousClock.Instant)] = [:]
        var repairs: [Repair: Int] = [:]
        /// How far the next look goes on in turn.
        var next = 0
        var ended = ContinuousClock.now
        var look: Duration = .zero
        /// The versions of the stream of records that were read: those after the first and up to the second.
        var records: (after: Int, to: Int)?
        var pagesBack = 0
    }

    private let key: LogKey?
    private let state = Mutex(State())

    /// A memory without any ledger.
    ///
    /// - Parameter key: The key that signs the log's checkpoints; `nil` believes any note.
    package init(key: LogKey?) { self.key = key }

    func sealed(_ ledger: LedgerID) -> Sealed? { state.withLock { $0.sealed[ledger] } }

    /// Returns the newest checkpoint that is proved, and whether the row repeats it.
    func judge(_ row: StoredCheckpoint?, of ledger: LedgerID) -> (sealed: Sealed?, isRight: Bool) {
        let print = row?.hashValue
        let (known, isSame) = state.withLock { ($0.sealed[ledger], print != nil && $0.rows[ledger] == print) }
        guard !isSame, let row else { return (known, isSame || known == nil) }
        guard let signed = try? SignedCheckpoint(parsing: row.text), signed.ledger == ledger, isSigned(signed) else {
            return (known, false)
        }
        let found = Sealed(size: signed.checkpoint.size, root: signed.checkpoint.root)
        guard known.map({ $0 == found || $0.size < found.size }) ?? true else { return (known, false) }
        let isRight = row.size == found.size && row.root == found.root
        learn(found, of: ledger, row: isRight ? print : nil)
        return (found, isRight)
    }

    /// Takes a checkpoint that this process signed, or one that the system ledger records.
    func learn(_ sealed: Sealed, of ledger: LedgerID, row: Int? = nil) {
        state.withLock { state in
            if let known = state.sealed[ledger], known.size >= sealed.size, known != sealed || row == nil { return }
            state.sealed[ledger] = sealed
            state.rows[ledger] = row
        }
    }

    private func isSigned(_ signed: SignedCheckpoint) -> Bool {
        guard let key else { return true }
        return (try? signed.verify(key)) != nil
    }
}

extension SealMemory {
    /// Returns the ledgers to examine: those that grew or whose row says otherwise, and some others in turn.
    ///
    /// - Parameter look: All ledgers but the system ledger, by id.
    func candidates(_ look: [LedgerSizes]) -> [LedgerID] {
        state.withLock { state in
            var unknown = 0
            var ledgers: [LedgerID] = []
            if state.next >= look.count { state.next = 0 }
            let turn = state.next..<state.next + Self.turn
            state.next = turn.upperBound
            for (index, row) in look.enumerated() {
                let known = state.sealed[row.ledger]
                if known == nil, row.sealed > 0 { unknown += 1 }
                let isNew = known == nil && row.sealed > 0 && unknown <= Self.unknownAtOnce
                let isOther = row.size != known?.size ?? row.sealed || row.sealed != known?.size ?? row.sealed
                if isNew || isOther || turn.contains(index) { ledgers.append(row.ledger) }
            }
            // A head that was deleted, or counts nothing.
            if state.sealed.count > look.count {
                ledgers += Set(state.sealed.keys).subtracting(look.map(\.ledger)).subtracting([.system])
            }
            return ledgers
        }
    }

    /// The versions of the stream of records that were read, and how many pages of older ones.
    var records: (after: Int, to: Int)? { state.withLock { $0.records } }

    func read(records: (after: Int, to: Int)) { state.withLock { $0.records = records } }

    /// Whether one more page of older records is read without need: a process begins with the newest.
    func readsBack(atMost pages: Int) -> Bool {
        state.withLock { state in
            guard let records = state.records, records.after > 0, state.pagesBack < pages else { return false }
            state.pagesBack += 1
            return true
        }
    }

    /// Records that a ledger is left out; returns whether it is named in the log now: once a minute for one reason.
    func leaveOut(_ ledger: LedgerID, _ reason: String, at now: ContinuousClock.Instant = .now) -> Bool {
        state.withLock { state in
            state.faults[ledger] = reason
            if let told = state.told[ledger], told.reason == reason, now - told.at < .seconds(60) { return false }
            state.told[ledger] = (reason, now)
            return true
        }
    }

    /// Takes what a recount found in a ledger, or that it found nothing; returns whether that is new.
    func recounted(_ ledger: LedgerID, _ reason: String?) -> Bool {
        state.withLock { state in
            defer { state.damage[ledger] = reason }
            return state.damage[ledger] != reason
        }
    }

    func settle(_ ledger: LedgerID) { state.withLock { $0.faults[ledger] = nil } }

    func count(_ repair: Repair) { state.withLock { $0.repairs[repair, default: 0] += 1 } }

    /// The number of rows that were set right.
    package func repairs(_ repair: Repair) -> Int { state.withLock { $0.repairs[repair] ?? 0 } }

    /// The ledgers that are left out or damaged, each with the reason.
    package var faults: [LedgerID: String] {
        state.withLock { state in state.faults.merging(state.damage) { fault, _ in fault } }
    }

    /// How long the last look at all ledgers took.
    var look: Duration {
        get { state.withLock { $0.look } }
        set { state.withLock { $0.look = newValue } }
    }

    /// Notes that a round ended, and returns the time since the last one did.
    func endRound(at now: ContinuousClock.Instant = .now) -> Duration {
        state.withLock { state in
            defer { state.ended = now }
            return now - state.ended
        }
    }

    /// What is wrong with the seals, in sentences without data; empty if nothing is.
    package func reasons(at now: ContinuousClock.Instant = .now) -> [String] {
        let ended = state.withLock { $0.ended }, faults = faults.count
        var reasons: [String] = []
        if now - ended > Self.longestRest {
            reasons.append("no round of checkpoints has ended for \((now - ended).components.seconds) seconds")
        }
        let left = faults == 1 ? "a ledger" : "\(faults) ledgers"
        if faults > 0 { reasons.append("\(left) cannot be sealed; run tenure doctor") }
        return reasons
    }

    /// Gauges and counters in the Prometheus text format.
    package var metrics: String {
        let repairs = Repair.allCases.map {
            "tenure_seal_repairs_total{row=\"\($0)\"} \(self.repairs($0))\n"
        }
        return """
            # HELP tenure_unsealable_ledgers Ledgers that the newest round of checkpoints left out, or that are damaged.
            # TYPE tenure_unsealable_ledgers gauge
            tenure_unsealable_ledgers \(faults.count)
            # HELP tenure_seal_repairs_total Heads and checkpoints that somebody else changed, and that were set right.
            # TYPE tenure_seal_repairs_total counter

            """ + repairs.joined()
    }
}
