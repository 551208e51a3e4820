import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger
import Text

/// Judges decisions about the tenant: roles, policy, domains and apps.
extension AuthorityTrail {
    func company(_ event: RecordedEvent, _ payload: any EventPayload) -> String? {
        switch payload {
        case let payload as AdminAppointed: return appointed(event, payload)
        case let payload as AdminDismissed: return dismissed(event, payload)
        case let payload as SecurityAdminSucceeded: return succeeded(event, payload)
        case let payload as TenantPolicyChanged:
            if case .founding = payload.by {
                return wasLinked || tenant.policySince != nil || payload.policy != .ofPages
                    ? "the policy is set by founding when the tenant was founded already" : nil
            }
            return decidedByTenant(event, .changePolicy, .tenant, payload.by, aboutPolicy(event, payload)) {
                .changePolicy(Tenant.PolicyChange(payload.policy, at: event.time), $0)
            }
        case let payload as MPinPolicyChanged:
            return decidedByTenant(event, .changeMPinPolicy, .tenant, payload.by, aboutMPinPolicy(event, payload)) {
                .changeMPinPolicy(payload.policy, $0)
            }
        case let payload as DomainConfirmed: return confirmed(event, payload)
        case let payload as AppLinked:
            if case .founding = payload.by {
                return wasLinked || payload.roles != .usual
                    ? "an app is linked by founding when the tenant was founded already" : nil
            }
            return decidedByTenant(
                event, .linkApp, .tenant, payload.by, aboutLink(event, payload.appID, payload.roles, payload.by)
            ) { .linkApp(payload.appID, roles: payload.roles, $0) }
        case let payload as AppUnlinked:
            return decidedByTenant(
                event, .linkApp, .tenant, payload.by, aboutLink(event, payload.appID, nil, payload.by)
            ) { .unlinkApp(payload.appID, $0) }
        default: return nil
        }
    }

    private func decidedByTenant(
        _ event: RecordedEvent, _ action: AuthorityTable.Action, _ subject: AuthoritySubject, _ by: Authority,
        _ words: @autoclosure () -> String?, _ command: (AuthorityDecision) -> Tenant.Command
    ) -> String? {
        signed(
            decided(action, about: subject, by, event) { try Tenant.decide(tenant, command($0)) }, by, words())
    }

    /// A confirmation is of the domain that is the tenant's name, once for each domain that folds to it.
    private func confirmed(_ event: RecordedEvent, _ payload: DomainConfirmed) -> String? {
        let spellings =
            DomainName(payload.aLabel).map { $0.ascii == payload.aLabel ? [$0.unicode, $0.ascii] : [] } ?? []
        let names = spellings.compactMap { try? CompanyName(recorded: $0) }
        guard let domain = names.first(where: { $0.canonicalText.utf8.elementsEqual(payload.domain.utf8) }) else {
            return "the domain is malformed"
        }
        return decidedByTenant(event, .confirmDomain, .tenant, payload.by, nil) { .confirmDomain(domain, $0) }
    }

    private func appointed(_ event: RecordedEvent, _ payload: AdminAppointed) -> String? {
        guard let subject = subject(payload.employeeID), let state = employees[payload.employeeID],
            let target = Tenant.RoleTarget(state, namedKeys: Set(payload.fingerprints))
        else { return "there is no such account" }
        let words = aboutRole(event, .appoint, payload.employeeID, payload.fingerprints, payload.by)
        return decidedByTenant(event, .appointAdmin, subject, payload.by, words) { .appointAdmin(target, $0) }
    }

    /// An admin is dismissed by a separate decision, or with a cancellation.
    private func dismissed(_ event: RecordedEvent, _ payload: AdminDismissed) -> String? {
        guard let subject = subject(payload.employeeID), let account = employees[payload.employeeID]?.account else {
            return "there is no such account"
        }
        let isCancelled = account.isCancelled && account.cancelledBy == payload.by
        let words = isCancelled ? nil : aboutRole(event, .dismiss, payload.employeeID, nil, payload.by)
        return decidedByTenant(event, .dismissAdmin, subject, payload.by, words) {
            .dismissAdmin(payload.employeeID, of: account.user, $0)
        }
    }

    private func succeeded(_ event: RecordedEvent, _ payload: SecurityAdminSucceeded) -> String? {
        guard let state = employees[payload.employeeID],
            let target = Tenant.RoleTarget(state, namedKeys: Set(payload.fingerprints), in: tenant)
        else { return "there is no such account" }
        // The device that signs is the one that logged in.
        var loggedInAt: Timestamp?
        if case .employee(let signer, let signed?) = payload.by {
            loggedInAt = logins[signer]?[KeyFingerprint(of: signed.key)]
        }
        let time = decidedAt(event)
        var action = AuthorityTable.Action.succeed
        if case .operator = payload.by, tenant.securityAdmin == payload.employeeID { action = .returnToRole }
        return decidedByTenant(event, action, .securityAdmin, payload.by, aboutSuccession(event, payload)) {
            .succeedSecurityAdmin(target, loggedInAt: loggedInAt, at: time, $0)
        }
    }
}

/// Judges the issue, revocation and use of invitations.
///
/// Their texts are encrypted, so an invitation's employee id is not compared with that of the registration.
extension AuthorityTrail {
    /// Returns what is wrong with an event of an invitation, or `nil`.
    func invitation(_ event: RecordedEvent, _ payload: any EventPayload) -> String? {
        switch payload {
        case let payload as InvitationIssued: return issued(event, payload)
        case let payload as InvitationRevoked: return revoked(event, payload)
        case let payload as InvitationUsed:
            let state = invitationState(payload.invitationID)
            guard state.isOpen(at: decidedAt(event)), state.isBacked else {
                return "an invitation is used that is closed or unknown"
            }
            guard employees[payload.employeeID]?.account?.registeredAt == event.time else {
                return "an invitation is used without a registration"
            }
            return nil
        default: return nil
        }
    }

    private func issued(_ event: RecordedEvent, _ payload: InvitationIssued) -> String? {
        let state = invitationState(payload.invitationID)
        let finding = decided(.issueInvitation, about: .newcomer, payload.by, event) { decision in
            guard AuthorityTable.permits(.issueInvitation, about: .newcomer, by: decision) else {
                throw Invitation.Rejection.notPermitted
            }
            guard state.issue == nil else { throw Invitation.Rejection.issued }
            return [payload.invitationID]
        }
        return signed(
            finding, payload.by,
            compare(event, payload.by, .invitationIssue) { (signed: InvitationStatement, facts) in
                // An append may raise the event's time, but never the expiry.
                let seconds = signed.seconds.flatMap {
                    payload.expiresAt <= event.time.adding(.seconds($0)) ? $0 : nil
                }
                return facts.invitation(to: payload.subject.bytes, seconds: seconds, reason: signed.reason)
            } ?? ownID(payload))
    }

    /// An invitation's id is the hash of its statement: so no statement issues two.
    private func ownID(_ payload: InvitationIssued) -> String? {
        guard let signed = payload.by.statement else { return nil }
        return statementIDs(of: signed).contains(payload.invitationID.uuid)
            ? nil : "the invitation's id is not the hash of its statement"
    }

    private func revoked(_ event: RecordedEvent, _ payload: InvitationRevoked) -> String? {
        let state = invitationState(payload.invitationID)
        if case .policy = payload.by, payload.reason == .issuerEnded {
            let ended = try? Invitation.decide(state, .endWithIssuer(at: decidedAt(event)))
            guard ended?.isEmpty == false else {
                return "an invitation ends by policy although it is closed, or its issuer keeps the authority"
            }
            return nil
        }
        let finding = decided(.revokeInvitation, about: .newcomer, payload.by, event) { decision in
            try Invitation.decide(state, .revoke(decision))
        }
        return signed(
            finding, payload.by,
            compare(event, payload.by, .invitationRevocation) { signed, facts in
                facts.revocation(of: payload.invitationID, state.issue, reason: signed.reason)
            })
    }

    /// The invitation, with the issuer's present authority.
    private func invitationState(_ id: InvitationID) -> Invitation.State {
        let state = invitations[id] ?? Invitation.initial
        var issuer: Employee.State?
        if case .employee(let employee, _)? = state.issue?.by { issuer = employees[employee] }
        return state.backed(in: tenant, issuer: issuer)
    }
}
