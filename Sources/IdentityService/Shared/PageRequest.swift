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
