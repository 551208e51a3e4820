public import Canonical

extension User {
    /// How long a recovery is open: new credentials have to be set within 72 hours.
    public static let recoveryLifetime: Duration = .seconds(72 * 3_600)

    /// A recovery that was opened and did not end.
    public struct Recovery: Sendable, Equatable {
        /// The recovery.
        public let id: RecoveryID
        /// The user whose credentials are to be replaced.
        public let user: UserID
        /// The company that decides.
        public let tenant: TenantID
        /// The user's account in that company.
        public let employee: EmployeeID
        /// The fingerprint of the one key with which new credentials may be set.
        public let fingerprint: Fingerprint
        /// The credentials to be replaced.
        public let credential: CredentialID
        /// The user behind whoever opened it.
        public let opener: UserID
        /// Who opened it.
        public let openedBy: Authority
        /// Until when credentials may be set.
        public let expiresAt: Timestamp
        /// The event that opened it.
        public let opened: EventPlace
        /// The event that confirmed it.
        public internal(set) var confirmed: EventPlace?

        init(_ event: RecoveryOpened, at place: EventPlace) {
            id = event.recoveryID
            user = event.userID
            tenant = event.tenant
            employee = event.employeeID
            fingerprint = event.fingerprint
            credential = event.credentialID
            opener = event.openerID
            openedBy = event.by
            expiresAt = event.expiresAt
            opened = place
        }
    }

    /// Which account and key a decision about a recovery is about.
    public struct RecoveryTarget: Sendable, Equatable {
        /// The company that decides.
        public var tenant: TenantID
        /// The user's account in that company.
        public var employee: EmployeeID
        /// The fingerprint of the new key.
        public var fingerprint: Fingerprint

        /// Names account and key.
        public init(tenant: TenantID, employee: EmployeeID, fingerprint: Fingerprint) {
            self.tenant = tenant
            self.employee = employee
            self.fingerprint = fingerprint
        }
    }

    /// How far the company's word goes for a user: credentials are the user's in all companies.
    public struct RecoveryReach: Sendable, Equatable {
        /// Whether the user has accounts in other companies.
        public var hasAccountsElsewhere: Bool
        /// Whether the user's address is of a confirmed domain of the company.
        public var ownsAddress: Bool

        /// Describes the reach.
        public init(hasAccountsElsewhere: Bool, ownsAddress: Bool) {
            self.hasAccountsElsewhere = hasAccountsElsewhere
            self.ownsAddress = ownsAddress
        }

        /// Whether the company's two persons are enough.
        public var suffices: Bool { !hasAccountsElsewhere || ownsAddress }
    }

    /// Who decides about a recovery.
    public struct RecoveryDecision: Sendable, Equatable {
        /// The employee of the company who decides.
        public var caller: EmployeeCaller
        /// The fingerprint of the key that speaks for the caller.
        public var signer: Fingerprint
        /// What they signed, verified before; nil while it is only asked whether they might.
        public var statement: SignedStatement?

        /// Makes a decision.
        public init(caller: EmployeeCaller, signer: Fingerprint, statement: SignedStatement? = nil) {
            self.caller = caller
            self.signer = signer
            self.statement = statement
        }

        /// The member `by`.
        var authority: Authority { .employee(caller.employee, statement) }

        /// Whether the statement, if there is one, was signed with a key of the caller's that is in force.
        var isOwn: Bool { statement.map { caller.authorizedKeys.contains($0.key) } ?? true }
    }

    /// Opens a recovery.
    public struct OpenRecovery: Sendable, Equatable {
        /// The recovery.
        public var id: RecoveryID
        /// Account and key.
        public var target: RecoveryTarget
        /// The decision.
        public var decision: RecoveryDecision
        /// How far the company's word goes.
        public var reach: RecoveryReach
        /// Now.
        public var time: Timestamp

        /// Makes the command.
        public init(
            id: RecoveryID, target: RecoveryTarget, decision: RecoveryDecision, reach: RecoveryReach, time: Timestamp
        ) {
            self.id = id
            self.target = target
            self.decision = decision
            self.reach = reach
            self.time = time
        }
    }

    /// Confirms a recovery.
    public struct ConfirmRecovery: Sendable, Equatable {
        /// Account and key.
        public var target: RecoveryTarget
        /// The hash of the event that opened it.
        public var opened: Bytes32
        /// The decision.
        public var decision: RecoveryDecision
        /// How far the company's word goes.
        public var reach: RecoveryReach
        /// Now.
        public var time: Timestamp

        /// Makes the command.
        public init(
            target: RecoveryTarget, opened: Bytes32, decision: RecoveryDecision, reach: RecoveryReach,
            time: Timestamp
        ) {
            self.target = target
            self.opened = opened
            self.decision = decision
            self.reach = reach
            self.time = time
        }
    }

    /// Ends a recovery before credentials are set.
    public struct CancelRecovery: Sendable, Equatable {
        /// Account and key.
        public var target: RecoveryTarget
        /// Why, as a code.
        public var reason: ReasonCode
        /// The decision.
        public var decision: RecoveryDecision
        /// Now.
        public var time: Timestamp

        /// Makes the command.
        public init(target: RecoveryTarget, reason: ReasonCode, decision: RecoveryDecision, time: Timestamp) {
            self.target = target
            self.reason = reason
            self.decision = decision
            self.time = time
        }
    }

    /// Sets new credentials by a recovery.
    public struct RecoverCredentials: Sendable, Equatable {
        /// The new credentials; the record was verified before.
        public var event: CredentialsChanged
        /// Account and key of the flow.
        public var target: RecoveryTarget
        /// Where the two events lie that the record names, from 1.
        public var approvals: [Int64]
        /// How far the company's word goes.
        public var reach: RecoveryReach
        /// Now.
        public var time: Timestamp

        /// Makes the command.
        public init(
            event: CredentialsChanged, target: RecoveryTarget, approvals: [Int64], reach: RecoveryReach,
            time: Timestamp
        ) {
            self.event = event
            self.target = target
            self.approvals = approvals
            self.reach = reach
            self.time = time
        }
    }
}
