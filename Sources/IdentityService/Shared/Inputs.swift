public import Canonical

/// The page of a list that is asked for.
public struct PageRequest: Sendable {
    /// Only items after this cursor, which the page before names.
    public var after: Int64
    /// The largest number of items.
    public var limit: Int

    /// Each parameter sets the property of the same name.
    public init(after: Int64 = 0, limit: Int) {
        self.after = after
        self.limit = limit
    }
}

/// The filter of a list of events.
public struct EventQuery: Sendable {
    /// Which of them.
    public var page: PageRequest
    /// Only events of this type.
    public var type: String?
    /// Only events that concern this employee id.
    public var employee: String?
    /// Only events recorded at this time or before.
    public var asOf: Timestamp?

    /// Each parameter sets the property of the same name.
    public init(
        _ page: PageRequest, type: String? = nil, employee: String? = nil, asOf: Timestamp? = nil
    ) {
        self.page = page
        self.type = type
        self.employee = employee
        self.asOf = asOf
    }
}
