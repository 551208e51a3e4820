/// Records appends.
public protocol Appending: Sendable {
    /// Records an append, or throws why nothing of it was recorded.
    ///
    /// - Throws: ``LedgerError``. After ``LedgerError/Code/outcomeUnknown`` the same append may be sent again: with the
    ///   same event ids it is recorded once, and the first outcome is returned.
    func append(_ append: Append) async throws(LedgerError) -> Appended
}
