/// Judges what events say; the ledger itself knows only their form.
public protocol EventInspector: Sendable {
    /// Judges an event by itself; called on several cores at once, in no order.
    ///
    /// - Returns: What is wrong, or nil.
    func inspect(_ event: RecordedEvent) -> String?

    /// Judges an event by those before it; called in the order of positions.
    ///
    /// - Returns: What is wrong, or nil.
    mutating func follow(_ event: RecordedEvent) -> String?
}

/// Takes every event as it is.
public struct UncriticalInspector: EventInspector {
    /// Makes one.
    public init() {}
    /// Nothing is wrong.
    public func inspect(_ event: RecordedEvent) -> String? { nil }
    /// Nothing is wrong.
    public func follow(_ event: RecordedEvent) -> String? { nil }
}
