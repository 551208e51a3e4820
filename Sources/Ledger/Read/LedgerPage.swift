/// A part of a ledger, in the order of positions.
public struct LedgerPage: Sendable {
    /// The events, those of the types asked for.
    public let events: [RecordedEvent]
    /// The position up to which the ledger has been read: where the next page starts after. Never past an event that
    /// was not looked at, whatever the filter left out.
    public let cursor: Int64
    /// The number of events of the ledger when the page was read.
    public let size: Int64

    /// Whether there was more to read.
    public var hasMore: Bool { cursor < size }
}
