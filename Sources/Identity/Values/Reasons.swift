/// Why an employee was cancelled.
public enum CancellationReason: String, Sendable, Hashable, CaseIterable {
    /// An admin cancelled the employee; it can be taken back.
    case cancelled
    /// The company reclaimed the e-mail address; it cannot be taken back.
    case reclaimed
}

/// Why a session ended.
public enum SessionEnd: String, Sendable, Hashable, CaseIterable {
    /// The employee logged out, or lost the key or the account.
    case closed
    /// A refresh token came twice.
    case refreshReused
    /// Its time was over.
    case expired
}
