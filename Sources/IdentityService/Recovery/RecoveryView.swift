public import Canonical
public import FoundationEssentials

/// A recovery as admins see it.
public struct RecoveryView: Sendable, Equatable {
    /// The employee who needs the recovery.
    public var employee: EmployeeSummary
    /// The tenant's id, which a statement about the recovery names.
    public var tenantId: UUID
    /// The user's id, which a statement about the recovery names.
    public var userId: UUID
    /// The account's id, which a statement about the recovery names.
    public var employeeId: UUID
    /// The new device key's fingerprint, lower-case hex, which the employee reads out.
    public var fingerprint: String
    /// `waiting`, `opened` or `confirmed`.
    public var state: String
    /// When the device last requested the recovery, or when the recovery was opened without a request.
    public var requestedAt: Timestamp
    /// When the request or the recovery expires.
    public var expiresAt: Timestamp
    /// The employee id of the admin who opened it, unless erased.
    public var openedBy: String?
    /// When new credentials may be set from, once the recovery is opened.
    public var availableAt: Timestamp?
    /// Whether one decision suffices, because the tenant had a single admin.
    public var soleAdmin = false
}
