public import Canonical

extension Employee {
    /// What somebody wants of an employee.
    public enum Command: Sendable, Equatable {
        /// Make the account, with its first key.
        case register(Register)
        /// Show the key of a device, after a right challenge.
        case presentKey(PresentKey)
        /// Let a key log in.
        case authorizeKey(AuthorizeKey)
        /// Turn a waiting key down.
        case refuseKey(EndKey)
        /// End an authorized key.
        case revokeKey(EndKey)
        /// Make the employee active.
        case approve(Approve)
        /// Let the employee not log in any more.
        case cancel(Cancel)
        /// Take a cancellation back.
        case reinstate(Reinstate)
        /// Take back an address that the company owns.
        case reclaimEmail(ReclaimEmail)
    }

    /// Makes the account, with its first key.
    public struct Register: Sendable, Equatable {
        /// The new employee, random.
        public var employeeID: EmployeeID
        /// The user behind the employee.
        public var userID: UserID
        /// The company.
        public var companyName: CompanyName
        /// The employee id.
        public var companyEmployeeID: CompanyEmployeeID
        /// The address.
        public var email: EmailAddress
        /// Whether the address is claimed for the company.
        public var isCompanyOwnedEmail: Bool
        /// Whether this registration founds the tenant: its ledger is empty.
        public var isFounding: Bool
        /// The tenant's policy; of no effect when founding.
        public var policy: TenantPolicy
        /// The key of the device.
        public var key: PublicKeyBytes
        /// The flow.
        public var flow: FlowID
        /// The app's countersignature under the policy `automatic`, when it can give one.
        public var countersignature: KeyDecision?

        /// Makes the command.
        public init(
            employeeID: EmployeeID, userID: UserID, companyName: CompanyName, companyEmployeeID: CompanyEmployeeID,
            email: EmailAddress, isCompanyOwnedEmail: Bool, isFounding: Bool, policy: TenantPolicy,
            key: PublicKeyBytes, flow: FlowID, countersignature: KeyDecision? = nil
        ) {
            self.employeeID = employeeID
            self.userID = userID
            self.companyName = companyName
            self.companyEmployeeID = companyEmployeeID
            self.email = email
            self.isCompanyOwnedEmail = isCompanyOwnedEmail
            self.isFounding = isFounding
            self.policy = policy
            self.key = key
            self.flow = flow
            self.countersignature = countersignature
        }
    }

    /// Shows the key of a device.
    public struct PresentKey: Sendable, Equatable {
        /// The key.
        public var key: PublicKeyBytes
        /// The flow in which the device proved possession.
        public var flow: FlowID
        /// Now.
        public var time: Timestamp

        /// Makes the command.
        public init(key: PublicKeyBytes, flow: FlowID, time: Timestamp) {
            self.key = key
            self.flow = flow
            self.time = time
        }
    }

    /// Somebody's signed decision about a key.
    public struct KeyDecision: Sendable, Equatable {
        /// Who decides.
        public var caller: Caller
        /// What they signed; the signature and the statement's contents were verified before.
        public var statement: SignedStatement

        /// Makes a decision.
        public init(caller: Caller, statement: SignedStatement) {
            self.caller = caller
            self.statement = statement
        }

        /// The member `by`.
        public var authority: Authority { caller.authority(statement) }
    }

    /// Lets a key log in.
    public struct AuthorizeKey: Sendable, Equatable {
        /// The key.
        public var key: PublicKeyBytes
        /// The decision.
        public var decision: KeyDecision
        /// The tenant's policy.
        public var policy: TenantPolicy
        /// Now.
        public var time: Timestamp

        /// Makes the command.
        public init(key: PublicKeyBytes, decision: KeyDecision, policy: TenantPolicy, time: Timestamp) {
            self.key = key
            self.decision = decision
            self.policy = policy
            self.time = time
        }
    }

    /// Turns a waiting key down, or ends an authorized one.
    public struct EndKey: Sendable, Equatable {
        /// The key.
        public var key: PublicKeyBytes
        /// Why, as a code.
        public var reason: ReasonCode
        /// Why, in free text.
        public var note: FreeText?
        /// The decision.
        public var decision: KeyDecision
        /// The tenant's policy.
        public var policy: TenantPolicy
        /// Now.
        public var time: Timestamp

        /// Makes the command.
        public init(
            key: PublicKeyBytes, reason: ReasonCode, note: FreeText? = nil, decision: KeyDecision,
            policy: TenantPolicy, time: Timestamp
        ) {
            self.key = key
            self.reason = reason
            self.note = note
            self.decision = decision
            self.policy = policy
            self.time = time
        }
    }
}
