public import Canonical

extension Employee {
    /// The state of an employee, folded from its events.
    public struct State: Sendable, Equatable {
        /// The account, once registered.
        public internal(set) var account: Account?
        /// Every device key that was ever presented.
        public internal(set) var keys: [PublicKeyBytes: Key] = [:]
        /// Whether a device key was ever authorized, or a statement approved the account. The id is then never given to
        /// another account.
        public internal(set) var belongsToSomebody = false
        /// The last request for a return that was not opened.
        public internal(set) var returnRequest: ReturnRequest?
        /// The last return that was opened and neither completed nor cancelled; it may have expired.
        public internal(set) var openedReturn: Return?
        /// The returns that were completed and not undone, in order. The last one says which key carries the role.
        public internal(set) var completedReturns: [Return] = []

        /// Whether the employee id can still be released.
        public var isProvisional: Bool { account != nil && !belongsToSomebody }

        /// The authorized device keys.
        public var authorizedKeys: Set<PublicKeyBytes> {
            Set(keys.values.lazy.filter { $0.status == .authorized }.map(\.key))
        }

        /// Returns the authorized keys that carry the employee's role in the tenant; empty without a role.
        ///
        /// These are the keys listed in the event that gave the role (the vouched keys if it has no list), and the keys
        /// that a person with authority authorized afterwards. After a return it is the key that came back, and those
        /// that were authorized since.
        public func roleKeys(in tenant: Tenant.State) -> Set<PublicKeyBytes> {
            guard let account, tenant.role(of: account.id).isAdministrative,
                let since = tenant.roleSince(of: account.id)
            else { return [] }
            if let back = completedReturn(in: tenant), let completed = back.completed {
                return Set(
                    keys.values.lazy.filter { key in
                        guard key.status == .authorized, let authorized = key.authorized else { return false }
                        return key.key == back.key
                            || (authorized.position > completed.position && key.isAuthorizedByPerson)
                    }.map(\.key))
            }
            let listed = tenant.listedKeys(of: account.id)
            return Set(
                keys.values.lazy.filter { key in
                    guard key.status == .authorized, let authorized = key.authorized else { return false }
                    if listed?.contains(key.fingerprint) ?? key.isVouched { return true }
                    return authorized.position > since.position && key.isAuthorizedByPerson
                }.map(\.key))
        }

        /// Whether a device key was refused or revoked, which is for good.
        public func hasEnded(_ fingerprint: KeyFingerprint) -> Bool {
            keys.values.contains { $0.fingerprint == fingerprint && $0.hasEnded }
        }

        /// Returns the number of keys that are pending at a time; expired ones do not count.
        public func waitingKeys(at time: Timestamp) -> Int {
            keys.values.count { $0.status == .pending && !$0.isExpired(at: time) }
        }

        /// Returns the standing of a key at a time. An outdated pending key is expired.
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
        /// Whether the address was claimed for the tenant.
        public let isCompanyOwnedEmail: Bool
        /// The place of the registration.
        public let registered: EventPlace
        /// When it was registered.
        public let registeredAt: Timestamp
        /// Whether founding, the policy or an admin approved the employee.
        public internal(set) var isApproved: Bool
        /// When an admin's approval verified the address; `nil` if none did.
        public internal(set) var emailVerifiedAt: Timestamp?
        /// Whether an admin's approval verified the address.
        public var isEmailVerified: Bool { emailVerifiedAt != nil }
        /// Whether the employee is cancelled.
        public internal(set) var isCancelled = false
        /// The authority that last cancelled the employee.
        public internal(set) var cancelledBy: Authority?
        /// Whether the employee id was released for good: another account may have it.
        public internal(set) var isReleased = false
        /// Whether the address was reclaimed for good.
        public internal(set) var isReclaimed = false
        /// Whether the employee was erased for good.
        public internal(set) var isErased = false

        /// The account's status. Approval and cancellation are kept apart, so that reinstating approves nobody.
        public var status: EmployeeStatus { isCancelled ? .cancelled : isApproved ? .active : .registered }
    }

    /// The recorded status of a device key.
    public enum KeyStatus: Sendable, Equatable, CaseIterable {
        /// Waits for a decision.
        case pending
        /// In force.
        case authorized
        /// Refused for good.
        case refused
        /// Revoked for good.
        case revoked
    }

    /// The standing of a device key at a time.
    public enum KeyStanding: Sendable, Equatable, CaseIterable {
        /// Never presented.
        case unknown
        /// Waits for a decision.
        case pending
        /// Was pending too long; may be presented again.
        case expired
        /// In force.
        case authorized
        /// Refused for good.
        case refused
        /// Revoked for good.
        case revoked
    }

    /// A device key of an employee.
    public struct Key: Sendable, Equatable {
        /// The public key.
        public let key: PublicKeyBytes
        /// SHA-256 of the key's 65 bytes.
        public let fingerprint: KeyFingerprint
        /// The recorded status.
        public internal(set) var status: KeyStatus
        /// Whether it is the employee's first key.
        public internal(set) var isFirst: Bool
        /// The flow that last presented it.
        public internal(set) var flow: FlowID
        /// When it was last presented.
        public internal(set) var presentedAt: Timestamp
        /// The place of the last presentation; statements hash that entry.
        public internal(set) var presented: EventPlace
        /// The place of the authorization, which statements of the key's owner name.
        public internal(set) var authorized: EventPlace?
        /// The authority that authorized it.
        public internal(set) var authorizedBy: Authority?

        /// Whether founding, an admin's signature or a vouched key of the same account authorized it.
        public internal(set) var isVouched = false
        /// When it was first authorized.
        public internal(set) var authorizedAt: Timestamp?
        /// When it was refused or revoked.
        public internal(set) var endedAt: Timestamp?
        /// The authority that refused or revoked it, or ended the account.
        public internal(set) var endedBy: Authority?

        /// Whether it was refused or revoked, which is for good.
        var hasEnded: Bool { status == .refused || status == .revoked }

        /// Whether founding or an employee's signature authorized it last.
        var isAuthorizedByPerson: Bool {
            switch authorizedBy {
            case .founding, .employee: true
            case .app, .policy, .operator, nil: false
            }
        }

        /// When the key expires if it stays pending.
        public var expiresAt: Timestamp { presentedAt.adding(Employee.pendingLifetime) }

        /// Whether the key was pending too long at a time.
        public func isExpired(at time: Timestamp) -> Bool { status == .pending && expiresAt < time }
    }
}

/// The status of an employee in the tenant, independent of the authorization of device keys.
public enum EmployeeStatus: String, Sendable, Hashable, CaseIterable {
    /// Registered, not approved yet.
    case registered
    /// Approved: may log in.
    case active
    /// Cancelled: may not log in.
    case cancelled
}

/// The role of an employee in the tenant.
public enum EmployeeRole: String, Sendable, Hashable, CaseIterable {
    /// The founder of the tenant, or the latest successor.
    case securityAdmin
    /// An appointed admin.
    case admin
    /// An ordinary employee.
    case employee

    /// Whether the role may administer the tenant.
    public var isAdministrative: Bool { self != .employee }
}
