public import Canonical
public import ErrorCodes

extension MPinIdentity {
    /// A command on an identity.
    public enum Command: Sendable, Equatable {
        /// Start the registration.
        case start(Start)
        /// Start the registration again, unverified, before it is verified or after it expired.
        case restart(MPinPolicy, at: Timestamp)
        /// Verify the identity. The proof was checked before.
        case verify(VerificationProof, at: Timestamp)
        /// Link the identity to an employee's account, which verifies it too.
        case link(Link)
        /// Issue the service's share of the client key.
        case issueKey(IssueKey)
        /// Take the verdict about a proof.
        case prove(Proof)
        /// Revoke the identity.
        case revoke(Revoke)
        /// End the identity if it is unverified, because another one of the user id is verified or linked.
        case supersede
        /// End the identity if it is linked, because its device key has ended for good and another identity of the
        /// user id needs the place. The caller has checked the key.
        case endWithDevice
        /// End the identity if its registration has expired.
        case expire(at: Timestamp)
        /// Erase the personal data.
        case erase(AuthorityDecision)
    }

    /// What verifies an identity, apart from the device that links it.
    public enum VerificationProof: Sendable, Equatable {
        /// The link in a mail to the user id.
        case email
        /// A right activation code, whose use the same append records.
        case code
        /// The decision of an app or an admin.
        case application(AuthorityDecision)
    }

    /// The command that starts a registration.
    public struct Start: Sendable, Equatable {
        /// The new identity's random id.
        public var id: MPinIdentityID
        /// The SHA-256 of the M-Pin ID.
        public var mpinIDHash: Bytes32
        /// The user id.
        public var userID: MPinUserID
        /// The name of the device, if it gives one.
        public var deviceName: MPinDeviceText?
        /// The tenant's policy.
        public var policy: MPinPolicy
        /// What verifies the identity at once, if anything does. A mail never does.
        public var verifiedBy: VerificationProof?
        /// The time of the start.
        public var time: Timestamp

        /// Each parameter sets the property of the same name.
        public init(
            id: MPinIdentityID, mpinIDHash: Bytes32, userID: MPinUserID, deviceName: MPinDeviceText? = nil,
            policy: MPinPolicy, verifiedBy: VerificationProof? = nil, time: Timestamp
        ) {
            self.id = id
            self.mpinIDHash = mpinIDHash
            self.userID = userID
            self.deviceName = deviceName
            self.policy = policy
            self.verifiedBy = verifiedBy
            self.time = time
        }
    }

    /// The command that links an identity to the account of the device that signs.
    ///
    /// The user id must be the account's address or employee id, so the state needs the text of the user id. Without it
    /// the link is refused.
    public struct Link: Sendable, Equatable {
        /// The account.
        public var subject: AuthoritySubject
        /// The account's address, if it has one.
        public var email: EmailAddress?
        /// The account's employee id.
        public var companyEmployeeID: CompanyEmployeeID?
        /// The decision by a device key of the account.
        public var decision: AuthorityDecision
        /// The tenant's policy.
        public var policy: MPinPolicy
        /// The time of the decision.
        public var time: Timestamp

        /// Each parameter sets the property of the same name.
        public init(
            subject: AuthoritySubject, email: EmailAddress?, companyEmployeeID: CompanyEmployeeID?,
            decision: AuthorityDecision, policy: MPinPolicy, time: Timestamp
        ) {
            self.subject = subject
            self.email = email
            self.companyEmployeeID = companyEmployeeID
            self.decision = decision
            self.policy = policy
            self.time = time
        }
    }

    /// The command that issues the service's share of a client key.
    public struct IssueKey: Sendable, Equatable {
        /// The suite of the key.
        public var suite: MPinKeySuite
        /// The epoch of the master secrets.
        public var epoch: Int
        /// The push identifier of the device, if it gives one.
        public var pushIdentifier: MPinDeviceText?
        /// The tenant's policy.
        public var policy: MPinPolicy
        /// The status of the linked employee. A linked identity without an active employee is refused.
        public var linkedStatus: EmployeeStatus?
        /// The time of the request.
        public var time: Timestamp

        /// Each parameter sets the property of the same name.
        public init(
            suite: MPinKeySuite, epoch: Int, pushIdentifier: MPinDeviceText? = nil, policy: MPinPolicy,
            linkedStatus: EmployeeStatus? = nil, time: Timestamp
        ) {
            self.suite = suite
            self.epoch = epoch
            self.pushIdentifier = pushIdentifier
            self.policy = policy
            self.linkedStatus = linkedStatus
            self.time = time
        }
    }

    /// The verdict about a proof.
    ///
    /// A right proof of a registered identity has no event in the identity's stream. The flow's ``MPinAuthenticated``
    /// must then be appended on condition that the stream has not changed.
    public struct Proof: Sendable, Equatable {
        /// Whether the proof is right.
        public var isRight: Bool
        /// The tenant's policy.
        public var policy: MPinPolicy
        /// The status of the linked employee. A linked identity without an active employee is refused.
        public var linkedStatus: EmployeeStatus?
        /// The time of the verdict.
        public var time: Timestamp

        /// Each parameter sets the property of the same name.
        public init(isRight: Bool, policy: MPinPolicy, linkedStatus: EmployeeStatus? = nil, time: Timestamp) {
            self.isRight = isRight
            self.policy = policy
            self.linkedStatus = linkedStatus
            self.time = time
        }
    }

    /// The command that revokes an identity.
    public struct Revoke: Sendable, Equatable {
        /// The account that the identity is linked to; `nil` if it is not linked.
        public var account: AuthoritySubject?
        /// Whether the tenant reclaims the address that is the user id. The decision is then one to reclaim it.
        public var isReclaim: Bool
        /// The decision.
        public var decision: AuthorityDecision

        /// Each parameter sets the property of the same name.
        public init(account: AuthoritySubject?, isReclaim: Bool = false, decision: AuthorityDecision) {
            self.account = account
            self.isReclaim = isReclaim
            self.decision = decision
        }
    }

    /// The reasons to reject a command. A rejection appends nothing.
    public enum Rejection: CodedRejection, CaseIterable {
        /// There is no such identity.
        case unknown
        /// The identity is not verified, or has no client key, or its registration expired; or the identity that a
        /// proof names does not exist.
        case unauthorized
        /// The state of the identity does not permit the command.
        case wrongState
        /// The registration expired. It can start again.
        case expired
        /// Wrong proofs blocked the identity.
        case blocked
        /// The identity was revoked or erased.
        case revoked
        /// The registration is complete, so no client key is issued.
        case alreadyRegistered
        /// The user id is neither the address nor the employee id of the account.
        case otherUserID
        /// The caller may not take this decision.
        case notPermitted
        /// The tenant's policy does not permit M-Pin.
        case disabled
        /// The linked employee is not active.
        case inactive

        /// The error code in the API contract.
        public var code: ErrorCode {
            switch self {
            case .unknown: .mpinUnknown
            case .unauthorized: .mpinUnauthorized
            case .wrongState, .expired: .mpinWrongState
            case .revoked: .mpinEnded
            case .blocked: .mpinBlocked
            case .alreadyRegistered, .otherUserID: .requestInvalid
            case .notPermitted: .authorizationNotPermitted
            case .disabled: .mpinDisabled
            case .inactive: .employeeInactive
            }
        }
    }
}
