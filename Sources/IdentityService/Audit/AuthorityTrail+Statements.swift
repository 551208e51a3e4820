import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger

/// Compares signed statements with the events that carry them.
extension AuthorityTrail {
    /// Compares the statement of a decision with the one that the service would have proposed right before its event.
    ///
    /// - Parameters:
    ///   - isOwn: Whether the signer decides about their own account, see ``context(_:_:_:isOwn:after:)``.
    ///   - last: The position of the last decision about the same subject.
    ///   - telling: Members whose difference says more than a wrong context does, with the words for it.
    ///   - words: The words for any other difference.
    ///   - propose: Makes the statement. What the ledger does not tell is taken from the signed one.
    func compare<S: Statement>(
        _ event: RecordedEvent, _ by: Authority, _ tag: SignatureTag, isOwn: Bool = false, after last: Int64 = 0,
        telling: KeyValuePairs<Set<String>, String> = [:], _ words: String = "the statement is about something else",
        with propose: (S, StatementFacts) throws -> S?
    ) -> String? {
        guard let bytes = by.statement?.statement, let signed = try? S(parsing: bytes, expecting: tag) else {
            return "the statement is of another kind"
        }
        let facts = StatementFacts(signed.context, tenant) { [roots] in
            $0.flatMap { place in roots.leaf(at: place.position) }
        }
        let members = signed.members, proposed = (try? propose(signed, facts))?.members ?? [:]
        let differing = Set(members.keys).union(proposed.keys).filter { members[$0] != proposed[$0] }
        if let (_, words) = telling.first(where: { !$0.key.isDisjoint(with: differing) }) { return words }
        return context(signed.context, event, by, isOwn: isOwn, after: last) ?? (differing.isEmpty ? nil : words)
    }

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
        guard seen.ledgerSize >= max(tenantDecided.before, last) else {
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
        var isOwn = false
        if case .employee(employee, _) = by { isOwn = true }
        return compare(
            event, by, action.tag, isOwn: isOwn,
            telling: [
                ["employee", "employeeKey"]: "the statement is about another key",
                ["presented"]: "the statement is about an earlier or later presentation of the key",
            ], "the statement was made under another policy"
        ) { (signed: KeyStatement, facts) in
            var proposed = try facts.key(
                action, key, of: employee, employees[employee], userKeyHash: signed.userKeyHash, reason: signed.reason)
            if action != .authorize { proposed.presentedHash = signed.presentedHash }
            return proposed
        }
    }

    /// Checks a decision about an account: it concerns this registration of the account.
    func aboutEmployee(
        _ event: RecordedEvent, _ action: EmployeeStatement.Action, _ employee: EmployeeID, _ by: Authority
    ) -> String? {
        compare(event, by, action.tag, after: statusDecided[employee] ?? 0) { signed, facts in
            facts.status(action, of: employee, employees[employee], reason: signed.reason)
        }
    }

    /// Checks a decision to reclaim a user's address.
    func aboutAddress(_ event: RecordedEvent, _ user: UserID, _ by: Authority) -> String? {
        compare(event, by, .emailReclaim) { signed, facts in facts.reclaim(from: user, reason: signed.reason) }
    }

    /// Checks a decision that gives an admin the role with these keys, or takes it away.
    func aboutRole(
        _ event: RecordedEvent, _ action: RoleStatement.Action, _ employee: EmployeeID, _ keys: [KeyFingerprint]?,
        _ by: Authority
    ) -> String? {
        compare(event, by, .role) { signed, facts in
            facts.role(action, employee, keys: keys, reason: signed.reason)
        }
    }

    func aboutSuccession(_ event: RecordedEvent, _ payload: SecurityAdminSucceeded) -> String? {
        compare(event, payload.by, .succession) { signed, facts in
            facts.succession(
                to: payload.employeeID, signed.toKey, keys: payload.fingerprints, reason: signed.reason)
        }
    }

    func aboutLink(_ event: RecordedEvent, _ app: AppID, _ roles: RoleSet?, _ by: Authority) -> String? {
        compare(event, by, .appLink) { signed, facts in facts.link(app, roles: roles, reason: signed.reason) }
    }

    func aboutPolicy(_ event: RecordedEvent, _ payload: TenantPolicyChanged) -> String? {
        compare(event, payload.by, .policy) { (_: PolicyStatement, facts) in facts.policy(payload.policy) }
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
