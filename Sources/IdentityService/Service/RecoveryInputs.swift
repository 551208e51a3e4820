public import Canonical
public import FoundationEssentials

/// What to do with a recovery.
public struct RecoveryDecisionInput: Sendable {
    /// The three decisions.
    public enum Action: String, Sendable {
        /// Let one key set new credentials once somebody else confirms it.
        case open
        /// Confirm it.
        case confirm
        /// End it before credentials are set.
        case cancel
    }
    /// The decision.
    public var action: Action
    /// The company's name.
    public var company: String
    /// The employee's id in that company.
    public var companyEmployeeId: String
    /// The new key's fingerprint, lower-case hex.
    public var fingerprint: String
    /// A reason code `[a-z0-9_.-]{1,64}`; needed to cancel.
    public var reason: String?
    /// The statement and the signature over it.
    public var signed: SignedStatement?

    /// Describes a decision.
    public init(
        action: Action, company: String, companyEmployeeId: String, fingerprint: String, reason: String? = nil,
        signed: SignedStatement? = nil
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
    /// The employee who asks.
    public var employee: EmployeeSummary
    /// Random id of the company, which a statement about the recovery names.
    public var tenantId: UUID
    /// Random id of the user, likewise.
    public var userId: UUID
    /// Random id of the account, likewise.
    public var employeeId: UUID
    /// The new key's fingerprint, lower-case hex: what the person reads out.
    public var fingerprint: String
    /// `waiting`, `opened` or `confirmed`.
    public var state: String
    /// When the device asked last, or when it was opened where none had asked.
    public var requestedAt: Timestamp
    /// When it ends by itself.
    public var expiresAt: Timestamp
    /// The employee id of whoever opened it, unless erased.
    public var openedBy: String?
}
