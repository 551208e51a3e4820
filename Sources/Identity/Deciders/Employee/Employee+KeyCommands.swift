public import Canonical

extension Employee {
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
