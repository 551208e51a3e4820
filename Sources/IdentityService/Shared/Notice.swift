public import Canonical

/// A message to the owner of an account, included in every reply to their sessions.
public struct Notice: Sendable, Equatable {
    /// The kind of message, such as `recovery.opened`.
    public var type: String
    /// When a recovery was opened.
    public var openedAt: Timestamp?
    /// The employee id of the admin who opened it, unless erased; absent in other tenants.
    public var openedBy: String?
    /// When it can be completed.
    public var availableAt: Timestamp?
    /// When the last certain chance to cancel it ends.
    public var cancelBefore: Timestamp?

    /// Each parameter sets the property of the same name.
    public init(
        type: String, openedAt: Timestamp? = nil, openedBy: String? = nil, availableAt: Timestamp? = nil,
        cancelBefore: Timestamp? = nil
    ) {
        self.type = type
        self.openedAt = openedAt
        self.openedBy = openedBy
        self.availableAt = availableAt
        self.cancelBefore = cancelBefore
    }
}
