/// The page of a list that is asked for.
package struct PageRequest: Sendable {
    /// Only items after this cursor, which the page before names.
    package var after: Int64
    /// The largest number of items.
    package var limit: Int

    package init(after: Int64 = 0, limit: Int) {
        self.after = after
        self.limit = limit
    }
}
