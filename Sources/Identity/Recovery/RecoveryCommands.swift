public import Canonical

extension User {
    /// The account and device key that a decision about a recovery concerns.
    public struct RecoveryTarget: Sendable, Equatable {
        /// The tenant that decides.
        public var tenant: TenantID
        /// The user's account in that tenant.
        public var employee: EmployeeID
        /// The fingerprint of the new device key.
        public var fingerprint: KeyFingerprint

        /// Each parameter sets the property of the same name.
        public init(tenant: TenantID, employee: EmployeeID, fingerprint: KeyFingerprint) {
            self.tenant = tenant
            self.employee = employee
            self.fingerprint = fingerprint
        }
    }

    /// Whether the tenant's decisions suffice for a user, whose credentials are valid in all tenants.
    public struct RecoveryReach: Sendable, Equatable {
        /// Whether the user has accounts in other tenants.
        public var hasAccountsElsewhere: Bool
        /// Whether the user's address is in a confirmed domain of the tenant.
        public var ownsAddress: Bool

        /// Each parameter sets the property of the same name.
        public init(hasAccountsElsewhere: Bool, ownsAddress: Bool) {
            self.hasAccountsElsewhere = hasAccountsElsewhere
            self.ownsAddress = ownsAddress
        }

        /// Whether decisions of the tenant's admins suffice. Otherwise a device key of the account has to confirm.
        public var suffices: Bool { !hasAccountsElsewhere || ownsAddress }
    }

    /// The account that a recovery is about, as its tenant has it.
    public struct RecoveryAccount: Sendable, Equatable {
        /// The account and device key.
        public var target: RecoveryTarget
        /// The account with its device keys.
        public var state: Employee.State
        /// The role that the tenant gives it.
        public var role: EmployeeRole
        /// Whether the tenant's decisions suffice.
        public var reach: RecoveryReach

        /// Each parameter sets the property of the same name.
        public init(target: RecoveryTarget, state: Employee.State, role: EmployeeRole, reach: RecoveryReach) {
            self.target = target
            self.state = state
            self.role = role
            self.reach = reach
        }

        /// The subject for the table of authority.
        func subject(of user: UserID) -> AuthoritySubject { AuthoritySubject(target.employee, of: user, role: role) }
    }

    /// The command that opens a recovery.
    public struct OpenRecovery: Sendable, Equatable {
        /// The recovery.
        public var id: RecoveryID
        /// The account.
        public var account: RecoveryAccount
        /// The decision.
        public var decision: AuthorityDecision
        /// The tenant's delay.
        public var delay: Duration
        /// Whether the tenant has a single admin. One decision then suffices, after twice the delay.
        public var soleAdmin: Bool
        /// The time of the decision.
        public var time: Timestamp

        /// Each parameter sets the property of the same name.
        public init(
            id: RecoveryID, account: RecoveryAccount, decision: AuthorityDecision, delay: Duration, soleAdmin: Bool,
            time: Timestamp
        ) {
            self.id = id
            self.account = account
            self.decision = decision
            self.delay = delay
            self.soleAdmin = soleAdmin
            self.time = time
        }

        /// The time in which no new credentials can be set.
        var wait: Duration { Self.wait(delay, soleAdmin: soleAdmin) }

        /// Returns the time in which no new credentials can be set after a recovery was opened.
        public static func wait(_ delay: Duration, soleAdmin: Bool) -> Duration { soleAdmin ? delay * 2 : delay }
    }

    /// The command that confirms a recovery.
    public struct ConfirmRecovery: Sendable, Equatable {
        /// The account.
        public var account: RecoveryAccount
        /// The hash of the event that opened the recovery.
        public var opened: Bytes32
        /// The decision.
        public var decision: AuthorityDecision
        /// The time of the decision.
        public var time: Timestamp

        /// Each parameter sets the property of the same name.
        public init(account: RecoveryAccount, opened: Bytes32, decision: AuthorityDecision, time: Timestamp) {
            self.account = account
            self.opened = opened
            self.decision = decision
            self.time = time
        }
    }

    /// The command that cancels a recovery before credentials are set.
    public struct CancelRecovery: Sendable, Equatable {
        /// The account.
        public var account: RecoveryAccount
        /// The reason, as a code.
        public var reason: ReasonCode
        /// The decision. Its key may have ended meanwhile.
        public var decision: AuthorityDecision
        /// The time of the decision.
        public var time: Timestamp

        /// Each parameter sets the property of the same name.
        public init(account: RecoveryAccount, reason: ReasonCode, decision: AuthorityDecision, time: Timestamp) {
            self.account = account
            self.reason = reason
            self.decision = decision
            self.time = time
        }
    }

    /// The command that ends a recovery because the user proved the credentials on a device.
    public struct EndRecovery: Sendable, Equatable {
        /// The account that logged in, in whichever tenant.
        public var account: Employee.State
        /// The device key of the log-in.
        public var key: PublicKeyBytes
        /// Whether the credentials are replaced at the same time, which leaves nothing to recover.
        public var replacesCredentials: Bool
        /// The time of the log-in.
        public var time: Timestamp

        /// A successful log-in, or a change of credentials, on a device.
        public init(
            account: Employee.State, key: PublicKeyBytes, replacesCredentials: Bool = false, time: Timestamp
        ) {
            self.account = account
            self.key = key
            self.replacesCredentials = replacesCredentials
            self.time = time
        }
    }

    /// The command that sets new credentials by a recovery.
    public struct RecoverCredentials: Sendable, Equatable {
        /// The new credentials. Their record was verified before.
        public var event: CredentialsChanged
        /// The account, with the device key of the flow.
        public var account: RecoveryAccount
        /// The positions of the events that the record names.
        public var approvals: [Int64]
        /// What the persons who opened and confirmed it are now.
        public var signers: RecoverySigners
        /// Now.
        public var time: Timestamp

        /// A completion of a recovery.
        public init(
            event: CredentialsChanged, account: RecoveryAccount, approvals: [Int64], signers: RecoverySigners,
            time: Timestamp
        ) {
            self.event = event
            self.account = account
            self.approvals = approvals
            self.signers = signers
            self.time = time
        }
    }

    /// The roles that the persons who opened and confirmed a recovery have at its completion; a cancelled one has none.
    public struct RecoverySigners: Sendable, Equatable {
        /// The role of the person who opened it.
        public var opener: EmployeeRole
        /// The role of the person who confirmed it; `nil` without a confirmation.
        public var confirmer: EmployeeRole?

        /// Two persons by their roles.
        public init(opener: EmployeeRole, confirmer: EmployeeRole?) {
            self.opener = opener
            self.confirmer = confirmer
        }

        /// The persons behind a recovery, as a tenant sees them now.
        public init(of recovery: Recovery?, in tenant: Tenant.State) {
            func role(_ authority: Authority?) -> EmployeeRole? {
                guard case .employee(let id, _)? = authority else { return nil }
                return tenant.role(of: id)
            }
            self.init(opener: role(recovery?.openedBy) ?? .employee, confirmer: role(recovery?.confirmation?.by))
        }

        /// Whether the decisions stand: both persons still have the authority that their decisions needed about somebody of
        /// this role. The owner of the account confirms with a key and needs no role.
        func stand(about role: EmployeeRole, of recovery: Recovery) -> Bool {
            guard opener == .securityAdmin || (opener == .admin && role == .employee) else { return false }
            guard case .employee(let id, _)? = recovery.confirmation?.by, id != recovery.employee else { return true }
            return confirmer?.isAdministrative == true
        }
    }
}
