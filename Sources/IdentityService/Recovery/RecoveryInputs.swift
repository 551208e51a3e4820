public import Canonical
public import FoundationEssentials

/// The input of a decision about a recovery.
public struct RecoveryDecisionInput: Sendable {
    /// The three decisions.
    public enum Action: String, Sendable {
        /// Permit one device key to set new credentials, once somebody else confirms.
        case open
        /// Confirm the recovery.
        case confirm
        /// Cancel the recovery before credentials are set.
        case cancel
    }
    /// The decision.
    public var action: Action
    /// The tenant's name.
    public var company: String
    /// The employee id in that tenant.
    public var companyEmployeeId: String
    /// The new device key's fingerprint, lower-case hex.
    public var fingerprint: String
    /// A reason code `[a-z0-9_.-]{1,64}`; needed to cancel.
    public var reason: String?
    /// The statement and the signature over it.
    public var signed: SubmittedStatement?

    /// Each parameter sets the property of the same name.
    public init(
        action: Action, company: String, companyEmployeeId: String, fingerprint: String, reason: String? = nil,
        signed: SubmittedStatement? = nil
    ) {
        self.action = action
        self.company = company
        self.companyEmployeeId = companyEmployeeId
        self.fingerprint = fingerprint
        self.reason = reason
        self.signed = signed
    }
}

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
