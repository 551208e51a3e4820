package import Canonical
import Synchronization

/// The rows of the log that count for nothing: no service wrote them, and the system ledger says so of each.
///
/// A process shares one with all its readers. It is also where they report the rows without a code that they met, so
/// that these are disowned.
public final class DisownedEntries: Sendable {
    private struct State {
        var leaves: [LedgerID: [Int64: [UInt8]]] = [:]
        var met: [LedgerID: [Int64: [UInt8]]] = [:]
        var metCount = 0
        var count = 0, version = 0
        var sizes: [[UInt8]: [LedgerID: Int64]] = [:]
        var acceptedTime: (@Sendable (LedgerID) async throws -> Timestamp?)?
    }

    /// How many reports are kept until somebody takes them. Further ones are made again by later reads.
    private static let capacity = 10_000
    private let state = Mutex(State())

    /// No row.
    public init() {}

    /// The number of disowned rows.
    public var count: Int { state.withLock { $0.count } }

    /// The version up to which the system ledger's stream of disowned rows was read.
    public var version: Int {
        get { state.withLock { $0.version } }
        set { state.withLock { $0.version = max($0.version, newValue) } }
    }

    /// Disowns the row at a position, if the leaf hash of its entry is this one.
    public func insert(_ place: LedgerError.Place, leaf: [UInt8]) {
        state.withLock { state in
            if state.leaves[place.ledger, default: [:]].updateValue(leaf, forKey: place.position) == nil {
                state.count += 1
            }
            if state.met[place.ledger]?.removeValue(forKey: place.position) != nil { state.metCount -= 1 }
        }
    }

    /// Takes the sizes of ledgers up to which the codes of a key count that was replaced.
    package func end(key id: [UInt8], at sizes: [LedgerID: Int64]) {
        state.withLock { $0.sizes[id, default: [:]].merge(sizes) { first, _ in first } }
    }

    /// Whether the codes of a key count up to some place only.
    func ends(_ id: [UInt8]) -> Bool { state.withLock { $0.sizes[id] != nil } }

    /// Whether the codes of a replaced key count at a position. They count everywhere until the log was read.
    func reaches(_ id: [UInt8], _ position: Int64, in ledger: LedgerID) -> Bool {
        state.withLock { state in state.sizes[id].map { position <= $0[ledger] ?? 0 } ?? true }
    }

    /// Sets what reads from the log which time of a ledger the operator accepted. The row beside the head says so too,
    /// but whoever writes the database may write it.
    package func readAcceptedTimes(_ read: @Sendable @escaping (LedgerID) async throws -> Timestamp?) {
        state.withLock { $0.acceptedTime = read }
    }

    /// Whether events of a ledger may have a time that its head has, ahead of the clock.
    package func accepts(_ time: Timestamp, in ledger: LedgerID) async -> Bool {
        guard let read = state.withLock({ $0.acceptedTime }) else { return true }
        return (try? await read(ledger)).flatMap { $0 }.map { $0 >= time } ?? false
    }

    /// The leaf hash with which the row at a position is disowned.
    public func leaf(at place: LedgerError.Place) -> [UInt8]? {
        state.withLock { $0.count == 0 ? nil : $0.leaves[place.ledger]?[place.position] }
    }

    /// The positions of the disowned rows of a ledger, in order.
    package func positions(in ledger: LedgerID) -> [Int64] {
        state.withLock { state in (state.leaves[ledger] ?? [:]).keys.sorted() }
    }

    /// Reports a row without a code, unless it is disowned.
    package func report(_ place: LedgerError.Place, leaf: [UInt8]) {
        state.withLock { state in
            guard state.metCount < Self.capacity, state.leaves[place.ledger]?[place.position] != leaf else { return }
            if state.met[place.ledger, default: [:]].updateValue(leaf, forKey: place.position) == nil {
                state.metCount += 1
            }
        }
    }

    /// Reports that the head of a ledger does not count the events that are there.
    package func reportFalseHead(of ledger: LedgerID) {
        report(LedgerError.Place(ledger: ledger, position: 0), leaf: [])
    }

    /// The ledgers of which something is reported.
    public var reported: Set<LedgerID> { state.withLock { Set($0.met.keys) } }

    /// Returns the rows of a ledger that were reported since the last call, each with its leaf hash.
    public func takeReports(of ledger: LedgerID) -> [(place: LedgerError.Place, leaf: [UInt8])] {
        state.withLock { state in
            let met = state.met.removeValue(forKey: ledger) ?? [:]
            state.metCount -= met.count
            return met.filter { $0.key > 0 }.sorted { $0.key < $1.key }
                .map { (LedgerError.Place(ledger: ledger, position: $0.key), $0.value) }
        }
    }
}
