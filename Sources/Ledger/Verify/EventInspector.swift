/// Judges what events say; the ledger itself knows only their form.
public protocol EventInspector: Sendable {
    /// Whether events of a type are judged at all; the others are held against their rows only, which is faster.
    func concerns(_ type: String) -> Bool

    /// Judges an event by itself; called on several cores at once, in no order.
    ///
    /// - Returns: What is wrong, or nil.
    func inspect(_ event: RecordedEvent) -> String?

    /// Judges an event by those before it; called in the order of positions.
    ///
    /// - Returns: What is wrong, or nil.
    mutating func follow(_ event: RecordedEvent) -> String?

    /// Takes note of an event that was not read, in its place between those that are followed.
    mutating func pass(_ leaf: [UInt8], at position: Int64, of ledger: LedgerID)
}

/// Takes every event as it is.
public struct UncriticalInspector: EventInspector {
    /// Makes one.
    public init() {}
    /// No event has to be read.
    public func concerns(_ type: String) -> Bool { false }
    /// Nothing is wrong.
    public func inspect(_ event: RecordedEvent) -> String? { nil }
    /// Nothing is wrong.
    public func follow(_ event: RecordedEvent) -> String? { nil }
    /// Nothing is noted.
    public func pass(_ leaf: [UInt8], at position: Int64, of ledger: LedgerID) {}
}
