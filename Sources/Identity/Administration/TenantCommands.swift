public import Canonical
public import ErrorCodes

extension Tenant {
    /// A command on a tenant.
    public enum Command: Sendable, Equatable {
        /// Link the app through which the tenant is founded, in the founding append.
        case found(AppID)
        /// Replace the policy.
        case changePolicy(TenantPolicy, AuthorityDecision)
        /// Replace the policy for M-Pin.
        case changeMPinPolicy(MPinPolicy, AuthorityDecision)
        /// Confirm that the tenant controls a domain, which must be the tenant's name.
        case confirmDomain(CompanyName, AuthorityDecision)
        /// Reclaim an address in a confirmed domain from a user without an account in the tenant.
        case reclaimAddress(AddressReclaim, AuthorityDecision)
        /// Link an app in some roles; these replace the roles of an existing link.
        case linkApp(AppID, roles: RoleSet, AuthorityDecision)
        /// Unlink an app.
        case unlinkApp(AppID, AuthorityDecision)
        /// Appoint an employee as admin.
        case appointAdmin(RoleTarget, AuthorityDecision)
        /// Dismiss an admin.
        case dismissAdmin(EmployeeID, of: UserID, AuthorityDecision)
        /// Make an employee the security admin in place of the present one.
        case succeedSecurityAdmin(RoleTarget, loggedInAt: Timestamp?, at: Timestamp, AuthorityDecision)
    }

    /// The reclaim of an address from the user who claimed it.
    public struct AddressReclaim: Sendable, Equatable {
        /// The user who loses the address.
        public var user: UserID
        /// The address.
        public var email: EmailAddress
        /// The reason, as a code.
        public var reason: ReasonCode

        /// Each parameter sets the property of the same name.
        public init(user: UserID, email: EmailAddress, reason: ReasonCode) {
            self.user = user
            self.email = email
            self.reason = reason
        }
    }

    /// The employee who is to get a role, and the device keys that are to carry it.
    public struct RoleTarget: Sendable, Equatable {
        /// The employee.
        public var employee: EmployeeID
        /// The user behind the employee.
        public var user: UserID
        /// The employee's status.
        public var status: EmployeeStatus
        /// The authorized device keys.
        public var keysInForce: Set<KeyFingerprint>
        /// The vouched device keys: those that founding, an admin's signature or another vouched key of the account
        /// authorized.
        public var vouchedKeys: Set<KeyFingerprint>
        /// The keys that the signer named after comparing their fingerprints; `nil` for all vouched ones.
        public var namedKeys: Set<KeyFingerprint>?
        /// The pending device keys, which only a return can name.
        public var pendingKeys: Set<KeyFingerprint>
        /// The device keys that carry the employee's present role.
        public var presentKeys: Set<KeyFingerprint>

        /// The employee of a folded state; `nil` without an account.
        ///
        /// - Parameter tenant: Tells which keys carry the present role; without it none do.
        public init?(
            _ state: Employee.State, namedKeys: Set<KeyFingerprint>? = nil, in tenant: Tenant.State? = nil
        ) {
            guard let account = state.account else { return nil }
            let inForce = state.keys.values.filter { $0.status == .authorized }
            employee = account.id
            user = account.user
            status = account.status
            keysInForce = Set(inForce.map(\.fingerprint))
            vouchedKeys = Set(inForce.filter(\.isVouched).map(\.fingerprint))
            self.namedKeys = namedKeys
            pendingKeys = Set(state.keys.values.lazy.filter { $0.status == .pending }.map(\.fingerprint))
            presentKeys = Set(tenant.map { state.roleKeys(in: $0) }?.map(KeyFingerprint.init(of:)) ?? [])
        }

        /// The device keys that are to carry the role, sorted; empty if none can.
        public var roleKeys: [KeyFingerprint] {
            let keys = namedKeys ?? vouchedKeys
            guard keys.isSubset(of: keysInForce) else { return [] }
            return keys.sorted { $0.description < $1.description }
        }

        /// The named keys with which the present security admin returns, sorted; empty if one is neither in force nor
        /// pending, or none is named.
        var returningKeys: [KeyFingerprint] {
            guard let namedKeys, namedKeys.isSubset(of: keysInForce.union(pendingKeys)) else { return [] }
            return namedKeys.sorted { $0.description < $1.description }
        }
    }

    /// The reasons to reject a command.
    public enum Rejection: CodedRejection, CaseIterable {
        /// The tenant is founded already.
        case alreadyFounded
        /// There is no such tenant.
        case unknownTenant
        /// The caller may not take this decision.
        case notPermitted
        /// The domain is not the tenant's name.
        case domainNotCompanyName
        /// The tenant's name, as entered, is no name of an internet domain.
        case domainInvalid
        /// Only an active employee becomes an admin.
        case inactive
        /// The security admin keeps the role until a successor takes it.
        case securityAdmin
        /// No device key of the employee can carry the role, or a named one is not in force.
        case noRoleKey
        /// The security admin's log-in is too old to name a successor.
        case loginTooOld
        /// The security admin came back by a return that can still be undone.
        case returnUndoable
        /// No other linked app could log anybody in.
        case lastApp
        /// The address is in no confirmed domain of the tenant.
        case emailNotReclaimable
        /// The policy has a value out of range.
        case invalidPolicy

        /// The error code in the API contract.
        public var code: ErrorCode {
            switch self {
            case .alreadyFounded, .domainNotCompanyName, .domainInvalid, .invalidPolicy: .requestInvalid
            case .unknownTenant: .companyUnknown
            case .notPermitted, .securityAdmin, .returnUndoable: .authorizationNotPermitted
            case .inactive: .employeeInactive
            case .noRoleKey: .authorizationUnknownKey
            case .loginTooOld: .sessionLoginRequired
            case .lastApp: .appLastWithAccess
            case .emailNotReclaimable: .emailNotReclaimable
            }
        }

        /// The reason of a rejection that shares its code with others.
        public var reason: String? {
            switch self {
            case .notPermitted: "the caller's role does not permit this decision"
            case .securityAdmin: "the security admin keeps the role until a successor takes it: name a successor first"
            case .returnUndoable:
                "the security admin came back by a return that can still be undone: name a successor after that time"
            case .noRoleKey:
                "no named device key is authorized, or an app vouched for all of them: compare a fingerprint with the"
                    + " employee's device and send it in fingerprints"
            default: nil
            }
        }
    }
}
