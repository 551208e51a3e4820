public import FoundationEssentials
public import Ledger

/// A bundle as a source of events: no database, and no keys, so that personal texts stay sealed.
///
/// Every event is proved against a checkpoint before it is handed over; what is not asked for need not be read.
public struct BundleLog: EventSource {
    private static let pageSize = 500
    private let bundle: BundleReader

    /// Reads a bundle that was opened, and whose checkpoints were verified.
    public init(_ bundle: BundleReader) { self.bundle = bundle }

    /// The ledgers of the bundle with the sizes of their checkpoints: system, directories, then tenants by their ids.
    public var ledgers: [(id: LedgerID, size: Int64)] {
        let all = bundle.manifest.parts.map { (id: $0.ledger, size: $0.size) }
        return all.filter { !$0.id.isTenant } + all.filter(\.id.isTenant)
    }

    /// Hands over the events of a ledger.
    ///
    /// - Throws: `ProofError` at the first entry that is not what was signed.
    public func replay(
        _ ledger: LedgerID, _ range: EventLog.Range, types: [String]?,
        _ body: ([OpenedEvent], Int64) async throws -> Void
    ) async throws {
        var page: [OpenedEvent] = []
        let types = types.map { Set($0) }
        var last: Int64 = 0
        try await read(ledger) { event in
            if range.isOver(event) { return false }
            last = event.position
            if range.isBefore(event) || !(types?.contains(event.type) ?? true) { return true }
            page.append(OpenedEvent(event, keys: nil))
            if page.count == Self.pageSize {
                try await body(page, last)
                page.removeAll(keepingCapacity: true)
            }
            return true
        }
        try await body(page, last)
    }

    /// The first event of a ledger, where the bundle has it.
    public func founding(of ledger: LedgerID) async throws -> RecordedEvent? {
        var first: RecordedEvent?
        try await read(ledger) { event in
            if event.position == 1 { first = event }
            return false
        }
        return first
    }

    /// None: the names in them are sealed.
    public func registrations(of employees: [UUID], in ledger: LedgerID) async throws -> [OpenedEvent] { [] }

    /// Reads until `body` has enough.
    private func read(_ ledger: LedgerID, _ body: (RecordedEvent) async throws -> Bool) async throws {
        guard let part = bundle.manifest.parts.first(where: { $0.ledger == ledger }) else { return }
        do {
            try await bundle.read(part) { event in
                guard try await body(event) else { throw Enough() }
            }
        } catch is Enough {
            return
        }
    }

    private struct Enough: Error {}
}
