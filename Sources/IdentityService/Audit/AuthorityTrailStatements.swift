import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger

/// Compares signed statements with the events that carry them.
extension AuthorityTrail {
    /// Parses the statement of a decision as one of a kind, and judges it.
    func read<S: Statement>(
        _ kind: S.Type, _ tag: SignatureTag, _ bytes: [UInt8], _ judge: (S) -> String?
    ) -> String? {
        guard let statement = try? S(parsing: bytes, expecting: tag) else {
            return "the statement is of another kind"
        }
        return judge(statement)
    }

    func fits(_ holds: Bool) -> String? { holds ? nil : "the statement is about something else" }

    /// Checks a statement's tenant, signer, authority and ledger states.
    ///
    /// A statement covers the last decision about the company before the append that carries it, and the last one about
    /// its subject: one that was signed before may be the one that was taken back.
    ///
    /// - Parameters:
    ///   - isOwn: Whether the signer decides about their own account. The event that authorized the key then suffices as
    ///     authority.
    ///   - last: The position of the last decision about the same subject.
    func context(
        _ seen: StatementContext, _ event: RecordedEvent, _ by: Authority, isOwn: Bool = false, after last: Int64 = 0
    ) -> String? {
        guard seen.tenant == event.ledger.uuid, seen.signer.bytes == by.statement?.key.bytes else {
            return "the statement is of another company, or names another signer"
        }
        guard isAuthority(seen.authority, of: by, isOwn: isOwn) else {
            return "the statement names no event that gives authority"
        }
        guard seen.ledgerSize < event.position else { return "the statement refers to later events" }
        if let root = roots.root(size: seen.ledgerSize), root != seen.ledgerRoot {
            return "the statement refers to another ledger"
        }
        guard !isUnderTable || seen.ledgerSize >= max(tenantDecided.before, last) else {
            return "the statement does not cover the last decision about its subject"
        }
        if let words = systemView(seen.systemSize, by) { return words }
        let isExpired = StatementExpiry.hasPassed(
            seen.expires, seen: times.time(at: seen.ledgerSize), at: times.earliest)
        return isExpired ? StatementExpiry.words : nil
    }

    private func isAuthority(_ leaf: [UInt8], of by: Authority, isOwn: Bool) -> Bool {
        switch by {
        case .app(_, let secret, _): return system?.secrets[secret].map { $0.leaf == leaf } ?? true
        case .employee(let id, let signed):
            if isOwn, let key = signed?.key, let known = employees[id]?.keys[key],
                self.leaf(known.authorized) == leaf
            {
                return true
            }
            return self.leaf(tenant.roleSince(of: id)) == leaf
        case .operator, .founding, .policy: return false
        }
    }

    /// Checks a decision about a key: it concerns this presentation of the key, under the policy in force.
    func aboutKey(
        _ event: RecordedEvent, _ action: KeyStatement.Action, _ key: PublicKeyBytes, _ employee: EmployeeID,
        _ by: Authority
    ) -> String? {
        read(KeyStatement.self, action.tag, by.statement?.statement ?? []) { statement in
            guard statement.employee == employee.uuid, statement.employeeKey.bytes == key.bytes else {
                return "the statement is about another key"
            }
            if action == .authorize, statement.presentedHash != leaf(employees[employee]?.keys[key]?.presented) {
                return "the statement is about an earlier or later presentation of the key"
            }
            var isOwn = false
            if case .employee(employee, _) = by { isOwn = true }
            return context(statement.context, event, by, isOwn: isOwn)
                ?? (statement.policyHash == leaf(tenant.policySince)
                    ? nil : "the statement was made under another policy")
        }
    }

    /// Checks a decision about an account: it concerns this registration of the account.
    func aboutEmployee(
        _ event: RecordedEvent, _ action: EmployeeStatement.Action, _ employee: EmployeeID, _ by: Authority
    ) -> String? {
        read(EmployeeStatement.self, action.tag, by.statement?.statement ?? []) { statement in
            context(statement.context, event, by, after: statusDecided[employee] ?? 0)
                ?? fits(
                    statement.employee == employee.uuid
                        && statement.registeredHash == leaf(employees[employee]?.account?.registered))
        }
    }

    /// Checks a decision to reclaim a user's address.
    func aboutAddress(_ event: RecordedEvent, _ user: UserID?, _ by: Authority) -> String? {
        read(ReclaimStatement.self, .emailReclaim, by.statement?.statement ?? []) { statement in
            context(statement.context, event, by) ?? fits(statement.user == user?.uuid)
        }
    }

    /// Checks a decision that gives an admin the role with these keys, or takes it away.
    func aboutRole(
        _ event: RecordedEvent, _ action: RoleStatement.Action, _ employee: EmployeeID, _ keys: [KeyFingerprint]?,
        _ by: Authority
    ) -> String? {
        read(RoleStatement.self, .role, by.statement?.statement ?? []) { statement in
            context(statement.context, event, by)
                ?? fits(
                    statement.employee == employee.uuid && statement.action == action
                        && statement.role == EmployeeRole.admin.rawValue
                        && statement.keys == keys.map { $0.map(\.description) })
        }
    }

    func aboutSuccession(_ event: RecordedEvent, _ payload: SecurityAdminSucceeded) -> String? {
        read(SuccessionStatement.self, .succession, payload.by.statement?.statement ?? []) { statement in
            context(statement.context, event, payload.by)
                ?? fits(
                    statement.to == payload.employeeID.uuid && statement.from == tenant.securityAdmin?.uuid
                        && statement.keys == payload.fingerprints.map { $0.map(\.description) })
        }
    }

    func aboutLink(
        _ event: RecordedEvent, _ action: AppLinkStatement.Action, _ app: AppID, _ roles: [String], _ by: Authority
    ) -> String? {
        read(AppLinkStatement.self, .appLink, by.statement?.statement ?? []) { statement in
            context(statement.context, event, by)
                ?? fits(
                    statement.app == app.description && statement.action == action && statement.roles == roles)
        }
    }

    /// Checks a decision about an invitation against the invitation's commitment.
    func aboutInvitation(
        _ event: RecordedEvent, _ action: InvitationStatement.Action, _ subject: Bytes32?, _ by: Authority,
        _ holds: (InvitationStatement) -> Bool
    ) -> String? {
        read(InvitationStatement.self, action.tag, by.statement?.statement ?? []) { statement in
            context(statement.context, event, by)
                ?? fits(statement.subject == subject?.bytes && holds(statement))
        }
    }

    func aboutPolicy(_ event: RecordedEvent, _ payload: TenantPolicyChanged) -> String? {
        read(PolicyStatement.self, .policy, payload.by.statement?.statement ?? []) { statement in
            var settings = payload.policy.settings
            if payload.schema == 1 {
                for name in ["registrationMode", "recoveryDelayHours", "adminSessionHours"] { settings[name] = nil }
            }
            return context(statement.context, event, payload.by)
                ?? fits(statement.settings == settings && statement.policyHash == leaf(tenant.policySince))
        }
    }
}

/// The `by` member of an event, as far as signatures need it.
struct AuthorityMember: Sendable {
    let kind: String
    let employee: UUID?
    let app: UUID?
    let secret: UUID?
    let signed: (key: [UInt8], statement: [UInt8], signature: [UInt8])?

    /// Reads the member; `nil` if it is missing or malformed.
    init?(_ event: RecordedEvent) {
        guard let by = event.data["by"], case .string(let kind)? = by["kind"] else { return nil }
        self.kind = kind
        employee = by["employee"].flatMap(\.uuid)
        app = by["app"].flatMap(\.uuid)
        secret = by["secret"].flatMap(\.uuid)
        if let key = by["key"]?.bytes, let statement = by["statement"]?.bytes, let signature = by["signature"]?.bytes {
            signed = (key, statement, signature)
        } else {
            signed = nil
        }
    }
}

extension JSONValue {
    /// The bytes that a base64url string encodes.
    var bytes: [UInt8]? {
        guard case .string(let text) = self else { return nil }
        return Base64URL.decode(text)
    }

    /// The identifier that a string contains.
    var uuid: UUID? {
        guard case .string(let text) = self else { return nil }
        return UUID(lowercased: text)
    }
}

/// An event with the `by` member.
protocol DecidedEvent: EventPayload {
    /// The authority that decided.
    var by: Authority { get }
}

extension EmployeeKeyAuthorized: DecidedEvent {}
extension ReturnCancelled: DecidedEvent {}
extension EmployeeKeyRefused: DecidedEvent {}
extension EmployeeKeyRevoked: DecidedEvent {}
extension EmployeeApproved: DecidedEvent {}
extension EmployeeCancelled: DecidedEvent {}
extension EmployeeReinstated: DecidedEvent {}
extension EmployeeSessionsEnded: DecidedEvent {}
extension EmployeeIdReleased: DecidedEvent {}
extension EmployeeErased: DecidedEvent {}
extension EmailReclaimed: DecidedEvent {}
extension AddressReclaimed: DecidedEvent {}
extension AdminAppointed: DecidedEvent {}
extension AdminDismissed: DecidedEvent {}
extension SecurityAdminSucceeded: DecidedEvent {}
extension TenantPolicyChanged: DecidedEvent {}
extension DomainConfirmed: DecidedEvent {}
extension AppLinked: DecidedEvent {}
extension AppUnlinked: DecidedEvent {}
extension InvitationIssued: DecidedEvent {}
extension InvitationRevoked: DecidedEvent {}
