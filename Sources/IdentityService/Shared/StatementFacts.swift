import Canonical
package import Credentials
import ErrorCodes
package import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// Makes statements from the states of a tenant's ledger.
///
/// The service asks with the present states what must be signed now. A verification asks with the states before an event
/// what must have been signed then. So both know the same statements.
package struct StatementFacts {
    /// The members that every statement has.
    let context: StatementContext
    let tenant: Tenant.State
    /// The leaf hash of an event of the ledger; `nil` if it is unknown.
    let leaf: (EventPlace?) -> [UInt8]?

    init(_ context: StatementContext, _ tenant: Tenant.State, leaf: @escaping (EventPlace?) -> [UInt8]?) {
        self.context = context
        self.tenant = tenant
        self.leaf = leaf
    }

    /// The facts that the service has loaded.
    ///
    /// - Parameter leaves: The leaf hashes of another stream of the tenant's ledger, by position.
    package init(_ context: StatementContext, _ tenant: TenantSnapshot, _ leaves: [Int64: [UInt8]] = [:]) {
        self.init(context, tenant.state) { place in
            place.flatMap { leaves[$0.position] ?? tenant.leaves[$0.position] }
        }
    }

    /// The hash of an event that the statement must name. No statement has an empty one.
    private func named(_ place: EventPlace?) -> [UInt8] { leaf(place) ?? [] }

    /// A decision about a device key as it was last presented, under the policy in force.
    func key(
        _ action: KeyStatement.Action, _ key: PublicKeyBytes, of id: EmployeeID, _ state: Employee.State?,
        userKeyHash: [UInt8], reason: String
    ) throws -> KeyStatement {
        KeyStatement(
            context: context, action: action, employee: id.uuid, userKeyHash: userKeyHash,
            employeeKey: try EmployeePublicKey(bytes: key.bytes), reason: reason,
            presentedHash: named(state?.keys[key]?.presented), policyHash: leaf(tenant.policySince))
    }

    /// A decision about this registration of an account.
    func status(
        _ action: EmployeeStatement.Action, of id: EmployeeID, _ state: Employee.State?, reason: String
    ) -> EmployeeStatement {
        EmployeeStatement(
            context: context, action: action, employee: id.uuid,
            registeredHash: named(state?.account?.registered), reason: reason)
    }

    /// The reclaim of the address of a user.
    func reclaim(from user: UserID, reason: String) -> ReclaimStatement {
        ReclaimStatement(context: context, user: user.uuid, reason: reason)
    }

    /// The change of the address of an account's owner.
    func emailChange(of employee: EmployeeID, to subject: [UInt8], reason: String) -> EmailChangeStatement {
        EmailChangeStatement(
            context: context, action: .change, employee: employee.uuid, subject: subject, reason: reason)
    }

    /// The appointment of an admin with these keys, or a dismissal.
    func role(
        _ action: RoleStatement.Action, _ employee: EmployeeID, keys: [KeyFingerprint]?, reason: String
    ) -> RoleStatement {
        RoleStatement(
            context: context, action: action, employee: employee.uuid, role: EmployeeRole.admin.rawValue,
            reason: reason, keys: keys.map { $0.map(\.description) })
    }

    /// The succession of the present security admin; `nil` without one.
    func succession(
        to employee: EmployeeID, _ key: EmployeePublicKey, keys: [KeyFingerprint]?, reason: String
    ) -> SuccessionStatement? {
        tenant.securityAdmin.map { from in
            SuccessionStatement(
                context: context, from: from.uuid, to: employee.uuid, toKey: key, reason: reason,
                keys: (keys ?? []).map(\.description))
        }
    }

    /// A new policy in the place of the one in force.
    func policy(_ policy: TenantPolicy) -> PolicyStatement {
        PolicyStatement(context: context, settings: policy.settings, policyHash: leaf(tenant.policySince))
    }

    /// A new policy for M-Pin in the place of the one in force.
    func policy(_ policy: MPinPolicy) -> PolicyStatement {
        PolicyStatement(context: context, settings: policy.settings, policyHash: leaf(tenant.mpinPolicySince))
    }

    /// The link of an app in these roles; without roles its end.
    func link(_ app: AppID, roles: RoleSet?, reason: String) -> AppLinkStatement {
        AppLinkStatement(
            context: context, action: roles == nil ? .unlink : .link, app: app.description,
            roles: roles?.names ?? [], reason: reason)
    }

    /// The issue of an invitation that commits to somebody.
    func invitation(to subject: [UInt8], seconds: Int64?, reason: String) -> InvitationStatement {
        InvitationStatement(context: context, action: .issue, subject: subject, seconds: seconds, reason: reason)
    }

    func revocation(of id: InvitationID, _ issue: Invitation.Issue?, reason: String) -> InvitationStatement {
        InvitationStatement(
            context: context, action: .revoke, subject: issue?.subject.bytes ?? [], invitation: id.uuid, reason: reason)
    }

    /// A decision about a recovery of an account's user on a device.
    func recovery(
        _ action: RecoveryStatement.Action, of user: UserID?, _ employee: EmployeeID, on key: KeyFingerprint,
        follows: [UInt8], seconds: Int64?, reason: String
    ) throws -> RecoveryStatement {
        guard let user else { throw ServiceError(.employeeUnknown) }
        return RecoveryStatement(
            context: context, action: action, user: user.uuid, employee: employee.uuid, keyHash: key.bytes,
            followsHash: follows, seconds: seconds, reason: reason)
    }

    /// The cancellation of the return of an account's owner.
    func cancellation(of back: Employee.Return, of account: Employee.Account, reason: String) -> ReturnStatement {
        ReturnStatement(
            context: context, user: account.user.uuid, employee: account.id.uuid, keyHash: back.fingerprint.bytes,
            followsHash: named(back.latest), reason: reason)
    }

    /// A decision about an M-Pin identity or, without one, about an activation code.
    ///
    /// - Parameters:
    ///   - subject: The hash of the M-Pin ID, or the commitment to the user id that a code is for.
    ///   - employee: The account that a link gives the identity to.
    func mpin(
        _ action: MPinStatement.Action, _ identity: MPinIdentityID?, _ subject: [UInt8],
        employee: EmployeeID? = nil, reason: String
    ) -> MPinStatement {
        MPinStatement(
            context: context, action: action, subject: subject, identity: identity?.uuid, employee: employee?.uuid,
            reason: reason)
    }
}
