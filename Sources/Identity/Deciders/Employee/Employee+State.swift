public import Canonical

extension Employee {
    /// What is known of an employee.
    public struct State: Sendable, Equatable {
        /// The account, once registered.
        public internal(set) var account: Account?
        /// Every key ever presented.
        public internal(set) var keys: [PublicKeyBytes: Key] = [:]

        /// The keys in force.
        public var authorizedKeys: Set<PublicKeyBytes> {
            Set(keys.values.lazy.filter { $0.status == .authorized }.map(\.key))
        }

        /// How many keys wait at a time; those that waited too long do not.
        public func waitingKeys(at time: Timestamp) -> Int {
            keys.values.count { $0.status == .pending && !$0.isExpired(at: time) }
        }

        /// A key and where it stands at a time, with a pending one that is too old expired.
        public func standing(of key: PublicKeyBytes, at time: Timestamp) -> KeyStanding {
            guard let known = keys[key] else { return .unknown }
            switch known.status {
            case .pending: return known.isExpired(at: time) ? .expired : .pending
            case .authorized: return .authorized
            case .refused: return .refused
            case .revoked: return .revoked
            }
        }
    }

    /// The account of an employee.
    public struct Account: Sendable, Equatable {
        /// The employee.
        public let id: EmployeeID
        /// The user behind the employee.
        public let user: UserID
        /// The employee id as entered.
        public let companyEmployeeID: Personal
        /// The address as entered.
        public let email: Personal
        /// Whether the address was claimed for the company.
        public let isCompanyOwnedEmail: Bool
        /// Where the registration lies.
        public let registered: EventPlace
        /// Whether founding, the policy or an admin approved the employee.
        public internal(set) var isApproved: Bool
        /// Whether the employee is cancelled.
        public internal(set) var isCancelled = false
        /// Whether the address was reclaimed, which is for ever.
        public internal(set) var isReclaimed = false
        /// Whether the employee was erased, which is for ever.
        public internal(set) var isErased = false

        /// Where the employee stands; approval and cancellation are remembered apart, so that reinstating approves nobody.
        public var status: EmployeeStatus { isCancelled ? .cancelled : isApproved ? .active : .registered }
    }

    /// What the log says of a key.
    public enum KeyStatus: Sendable, Equatable, CaseIterable {
        /// Waits for somebody with authority.
        case pending
        /// In force.
        case authorized
        /// Turned down; may be presented again.
        case refused
        /// Ended for ever.
        case revoked
    }

    /// Where a key stands at a time.
    public enum KeyStanding: Sendable, Equatable, CaseIterable {
        /// Never presented.
        case unknown
        /// Waits for somebody with authority.
        case pending
        /// Waited too long; may be presented again.
        case expired
        /// In force.
        case authorized
        /// Turned down; may be presented again.
        case refused
        /// Ended for ever.
        case revoked
    }

    /// A key of an employee.
    public struct Key: Sendable, Equatable {
        /// The public key.
        public let key: PublicKeyBytes
        /// What the log says of it.
        public internal(set) var status: KeyStatus
        /// Whether it was the employee's first.
        public internal(set) var isFirst: Bool
        /// The flow that presented it last.
        public internal(set) var flow: FlowID
        /// When it was presented last.
        public internal(set) var presentedAt: Timestamp
        /// Where it was presented last; statements hash that entry.
        public internal(set) var presented: EventPlace
        /// Where it was authorized; statements of its owner name that event.
        public internal(set) var authorized: EventPlace?
        /// Who authorized it.
        public internal(set) var authorizedBy: Authority?

        /// When it was authorized.
        public internal(set) var authorizedAt: Timestamp?
        /// When it was refused or revoked.
        public internal(set) var endedAt: Timestamp?

        /// Until when it waits.
        public var expiresAt: Timestamp { presentedAt.adding(Employee.pendingLifetime) }

        /// Whether it waited too long at a time.
        public func isExpired(at time: Timestamp) -> Bool { status == .pending && expiresAt < time }
    }
}
