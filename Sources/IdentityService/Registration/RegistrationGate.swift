import Canonical
import ErrorCodes
import EventCoding
import Identity
import Ledger
import TenureAPI

/// Decides at the start of a registration whether the tenant admits the person: everybody, or only invited people.
///
/// It depends only on the mode, the intent and the invitation, not on whether the employee id or the address has an
/// owner. So a refusal takes the same steps for every name.
struct RegistrationGate: Sendable {
    let context: ServiceContext

    /// Returns the invitation that the registration uses; `nil` if none is needed and none was presented.
    ///
    /// - Parameters:
    ///   - presented: The code that the person sent: that of an invitation, or for a founder on the pages a
    ///     ``FoundingCode``.
    /// - Throws: `company.unknown`, `company.already_founded`, `app.not_linked`, `registration.invitation_required`,
    ///   `invitation.invalid` or `mail.unavailable`.
    func admit(
        _ app: AppCaller, to tenant: TenantSnapshot, as intent: RegistrationRequest.Intent?, _ presented: String?,
        _ use: Invitation.Use
    ) async throws -> InvitationID? {
        switch intent {
        case .join: return try await join(app, tenant, presented, use)
        case .found:
            if app.isPagesApp { try requireFounding(of: tenant.id, presented, at: use.time) }
            guard !tenant.exists else { throw ServiceError(.companyAlreadyFounded) }
            return app.isPagesApp ? nil : try await invitation(presented, in: tenant, use)
        case nil:
            if tenant.exists, !tenant.state.links(AppID(app.appId), as: .creation) {
                context.administration.unlinkedAppCalls.count(app.appId, tenantExists: true)
                throw ServiceError(.appNotLinked)
            }
            let invitation = try await invitation(presented, in: tenant, use)
            try require(invitation, in: tenant, use.email)
            return invitation
        }
    }

    /// Admits a person who means to join.
    ///
    /// A tenant that does not exist, one that the app is not linked to, and one that wants an invitation get the same
    /// refusal: `company.unknown` without a code, `invitation.invalid` with a wrong one. Only a right invitation tells
    /// that the app is not linked.
    private func join(
        _ app: AppCaller, _ tenant: TenantSnapshot, _ presented: String?, _ use: Invitation.Use
    ) async throws -> InvitationID? {
        let invitation = try await invitation(presented, in: tenant, use), id = AppID(app.appId)
        guard tenant.state.links(id, as: .creation) else {
            context.administration.unlinkedAppCalls.count(app.appId, tenantExists: tenant.exists)
            // An app that is linked without the role knows the tenant, but whoever opens the pages does not.
            let isKnown = invitation != nil || (tenant.state.links[id] != nil && !app.isPagesApp)
            throw ServiceError(isKnown ? .appNotLinked : .companyUnknown)
        }
        do { try require(invitation, in: tenant, use.email) } catch {
            throw error.code == .registrationInvitationRequired ? ServiceError(.companyUnknown) : error
        }
        return invitation
    }

    /// Refuses a founder on the pages whom the service's rule does not permit, whether or not the tenant exists.
    ///
    /// - Throws: `registration.invitation_required` without a code, and `invitation.invalid` for a wrong one.
    private func requireFounding(of tenant: TenantID, _ presented: String?, at time: Timestamp) throws(ServiceError) {
        switch context.settings.founding {
        case .open: return
        case .off: throw ServiceError(.registrationInvitationRequired)
        case .code:
            guard let presented else { throw ServiceError(.registrationInvitationRequired) }
            guard let code = FoundingCode(text: presented), code.permits(tenant, at: time, ring: context.ring) else {
                throw ServiceError(.invitationInvalid)
            }
        }
    }

    /// Returns the invitation of a code; `nil` if none was presented.
    ///
    /// - Throws: `invitation.invalid`, also for a tenant that does not exist.
    private func invitation(
        _ presented: String?, in tenant: TenantSnapshot, _ use: Invitation.Use
    ) async throws -> InvitationID? {
        guard let presented else { return nil }
        let id: InvitationID
        if let mailed = MailedInvitation(text: presented) {
            id = mailed.id
        } else {
            guard let token = InvitationToken(text: presented),
                let claim = try await context.reader.claim(context.ring.invitationClaim(token, in: tenant.id))
            else { throw ServiceError(.invitationInvalid) }
            id = InvitationID(claim.owner)
        }
        let found = try await context.invitation(id, in: tenant)
        if let mailed = MailedInvitation(text: presented) {
            guard let end = found.state.issue?.expiresAt, mailed.isRight(until: end, ring: context.ring) else {
                throw ServiceError(.invitationInvalid)
            }
        }
        _ = try Invitation.decided(found.state, .use(use))
        return id
    }

    /// Refuses a registration without an invitation if the policy requires one. In the mode `domain` an address of the
    /// confirmed domain takes its place, if a mail can verify it.
    ///
    /// - Throws: `registration.invitation_required` or `mail.unavailable`.
    func require(
        _ invitation: InvitationID?, in tenant: TenantSnapshot, _ address: EmailAddress
    ) throws(ServiceError) {
        guard tenant.exists, invitation == nil else { return }
        switch tenant.state.policy.registrationMode {
        case .open: return
        case .invited: throw ServiceError(.registrationInvitationRequired)
        case .domain:
            guard DomainRegistration.admits(address, tenant), DeliverableAddress(address.entered) != nil else {
                throw ServiceError(.registrationInvitationRequired)
            }
            try context.requireMail()
        }
    }
}
