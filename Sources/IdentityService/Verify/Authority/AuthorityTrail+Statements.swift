import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger
import Projections

/// What signed statements say, held against the events that carry them.
extension AuthorityTrail {
    /// What is wrong with the statement of an event, or nil; events without one are right.
    func statement(_ event: RecordedEvent) -> String? {
        guard let by = AuthorityMember(event), let signed = by.signed else { return nil }
        switch event.type {
        case RecoveryOpened.type, RecoveryConfirmed.type, RecoveryCancelled.type: return recovery(event, by)
        case EmployeeKeyAuthorized.type: return aboutKey(event, by, .authorize)
        case EmployeeKeyRefused.type: return aboutKey(event, by, .refuse)
        case EmployeeKeyRevoked.type: return aboutKey(event, by, .revoke)
        case AdminAppointed.type, AdminDismissed.type:
            return read(RoleStatement.self, .role, signed.statement) { statement in
                let action: RoleStatement.Action = event.type == AdminAppointed.type ? .appoint : .dismiss
                return context(statement.context, event, by)
                    ?? fits(statement.employee == event.data["employeeId"]?.uuid && statement.action == action)
            }
        case SecurityAdminSucceeded.type:
            return read(SuccessionStatement.self, .succession, signed.statement) { statement in
                context(statement.context, event, by)
                    ?? fits(
                        statement.to == event.data["employeeId"]?.uuid && statement.from == securityAdmin?.employee)
            }
        case AppLinked.type, AppUnlinked.type:
            return read(AppLinkStatement.self, .appLink, signed.statement) { statement in
                let action: AppLinkStatement.Action = event.type == AppLinked.type ? .link : .unlink
                let app = event.data["appId"]?.uuid?.lowercased
                return context(statement.context, event, by) ?? fits(statement.app == app && statement.action == action)
            }
        case TenantPolicyChanged.type:
            return read(PolicyStatement.self, .policy, signed.statement) { statement in
                let payload = try? EventCodec.payload(of: event) as? TenantPolicyChanged
                return context(statement.context, event, by)
                    ?? fits(statement.settings == payload?.policy.settings && statement.policyHash == policy)
            }
        default: return nil
        }
    }

    /// A decision about a key: of this presentation of it, under the policy in force.
    private func aboutKey(_ event: RecordedEvent, _ by: AuthorityMember, _ action: KeyStatement.Action) -> String? {
        read(KeyStatement.self, action.tag, by.signed?.statement ?? []) { statement in
            guard let key = PublicKeyBytes(statement.employeeKey.bytes),
                statement.employee == event.data["employeeId"]?.uuid, key.bytes == event.data["key"]?.bytes
            else { return "the statement is about another key" }
            let holder = Holder(employee: statement.employee, key: key)
            if action == .authorize, statement.presentedHash != presented[holder] {
                return "the statement is about another presentation of the key"
            }
            // Who revokes a key of their own needs no role: the event that authorized the signing key is enough.
            let isOwn = action == .revoke && by.kind == "employee" && by.employee == statement.employee
            return context(statement.context, event, by, isOwn: isOwn)
                ?? (statement.policyHash == policy ? nil : "the statement was made under another policy")
        }
    }

    func read<S: Statement>(
        _ kind: S.Type, _ tag: SignatureTag, _ bytes: [UInt8], _ judge: (S) -> String?
    ) -> String? {
        guard let statement = try? S(parsing: bytes, expecting: tag) else {
            return "the statement is not one of that kind"
        }
        return judge(statement)
    }

    private func fits(_ holds: Bool) -> String? { holds ? nil : "the statement is about something else" }

    /// Tenant, signer, authority and view of the ledger.
    func context(
        _ seen: StatementContext, _ event: RecordedEvent, _ by: AuthorityMember, isOwn: Bool = false
    ) -> String? {
        guard seen.tenant == event.ledger.uuid, seen.signer.bytes == by.signed?.key else {
            return "the statement is of another company, or names another signer"
        }
        guard isAuthority(seen.authority, of: by, seen.signer, isOwn: isOwn) else {
            return "the statement names no event that gives authority"
        }
        guard seen.ledgerSize < event.position else { return "the statement saw events that came later" }
        if let root = roots.root(size: seen.ledgerSize), root != seen.ledgerRoot {
            return "the statement saw another ledger"
        }
        return nil
    }

    private func isAuthority(
        _ leaf: [UInt8], of by: AuthorityMember, _ signer: SignerPublicKey, isOwn: Bool
    ) -> Bool {
        if by.kind == "app" {
            guard let apps else { return true }
            return by.secret.flatMap { apps.secrets[$0] }?.leaf == leaf
        }
        guard let employee = by.employee, let key = PublicKeyBytes(signer.bytes) else { return false }
        if isOwn, keys[Holder(employee: employee, key: key)] == leaf { return true }
        if securityAdmin?.employee == employee { return securityAdmin?.leaf == leaf }
        return admins[employee] == leaf
    }
}
