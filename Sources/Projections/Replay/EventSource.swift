public import FoundationEssentials
public import Ledger

/// Where events are replayed from: the log of a database, or a bundle.
public protocol EventSource: Sendable {
    /// Hands over the events of a ledger, a page at a time, in the order of positions.
    ///
    /// - Parameters:
    ///   - types: Only events of these types; nil for all.
    ///   - body: Gets the events of a page that are in the range, and the position up to which was read.
    func replay(
        _ ledger: LedgerID, _ range: EventLog.Range, types: [String]?,
        _ body: ([OpenedEvent], Int64) async throws -> Void) async throws

    /// The first event of a ledger, which names a company; nil where it is not there.
    func founding(of ledger: LedgerID) async throws -> RecordedEvent?

    /// The registrations of employees, as far as they are there.
    func registrations(of employees: [UUID], in ledger: LedgerID) async throws -> [OpenedEvent]
}

extension EventSource {
    /// Hands over all events of a ledger in a range.
    public func replay(
        _ ledger: LedgerID, _ range: EventLog.Range = EventLog.Range(),
        _ body: ([OpenedEvent], Int64) async throws -> Void
    ) async throws {
        try await replay(ledger, range, types: nil, body)
    }
}
