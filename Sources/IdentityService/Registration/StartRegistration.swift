import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Ledger
package import TenureAPI

/// Starts a registration: replies with a handle and a challenge of the same form for known and unknown names. It claims
/// nothing yet.
package struct StartRegistration: AppUseCase, CustomStringConvertible {
    /// The person and the device.
    package let request: RegistrationRequest
    /// The calling app.
    package let app: AppCaller

    package init(_ request: RegistrationRequest, app: AppCaller) {
        self.request = request
        self.app = app
    }

    /// A placeholder that never contains the invitation.
    package var description: String { "[redacted]" }

    /// Needs the role CREATION.
    package func authorize() throws(ServiceError) { try app.require(.registration) }

    /// The reads of the account and its tenant.
    package func firstReads(in context: ServiceContext) -> PipelinedReads? {
        context.readingSubject(company: request.companyName, employee: request.companyEmployeeId)?.reads
    }

    /// Returns the handle and the challenge.
    package func run(_ run: UseCaseRun<FlowStartedResponse>) async throws -> FlowStartedResponse {
        let context = run.context, call = run.call
        let found = try await context.found(
            company: request.companyName, employee: request.companyEmployeeId, run.firstRows)
        let subject = found.subject, tenant = found.tenant
        let address = try parsed { () throws(ValueError) in try EmailAddress(request.email) }
        try parsed { () throws(ValueError) in
            try address.checkScope(of: subject.companyEmployeeId, in: subject.companyName)
        }
        let key = try context.employeeKey(request.employeePublicKey)
        guard !request.isCompanyOwnedEmail || tenant.state.owns(address, as: subject.companyName) else {
            throw ServiceError(.emailNotCompanyOwned)
        }
        let gate = RegistrationGate(context: context)
        try gate.admit(app, to: tenant, as: request.intent)
        let employeeId = UUID()
        let admission = try await gate.admit(
            request.invitation, to: tenant,
            Invitation.Use(
                employee: EmployeeID(employeeId), companyEmployeeID: subject.companyEmployeeId, email: address,
                time: call.time))
        let credentialId = UUID()
        var person = FlowState.Registration(
            email: request.email, isCompanyOwnedEmail: request.isCompanyOwnedEmail, namedCredentialId: credentialId,
            invitation: admission?.uuid, intent: request.intent)
        var ids = (user: UUID(), credential: credentialId)
        let loader = StateLoader(reader: context.reader)
        if let holder = try await AddressHolders(context: context).holder(of: address),
            let credentials = try await loader.user(holder).state.credentials
        {
            ids = (holder.uuid, credentials.id.uuid)
            person.userExists = true
        }
        var state = FlowState(
            id: UUID(), purpose: .registration(person), step: .key, appId: app.appId,
            tenantId: subject.tenantId.uuid, companyName: request.companyName,
            companyEmployeeId: request.companyEmployeeId,
            employeePublicKey: key.bytes, employeeId: employeeId, userId: ids.user, credentialId: ids.credential,
            expiresAt: call.time.adding(FlowState.lifetime))
        state.challenge = try context.challenge(for: state, at: call.time)
        let started = FlowStartedResponse(
            flow: FlowStore.handle(of: state), challenge: state.challenge, subjectSalt: state.subjectSalt,
            expiresAt: state.expiresAt)
        try await FlowStore(context: context).insert(state, answering: run.ticket, started)
        return started
    }
}

/// Decides at the start of a registration whether the tenant admits the person: everybody, or only invited people.
///
/// It depends only on the mode and the invitation, not on whether the employee id or the address has an owner. So a
/// refusal takes the same steps for every name.
struct RegistrationGate: Sendable {
    let context: ServiceContext

    /// Refuses an app that is not linked to the tenant, and a tenant that the person did not mean.
    ///
    /// A person who means to join gets the same refusal for a tenant that does not exist and for one that the app is
    /// not linked to. One who means to found gets the same refusal whether or not the app is linked.
    ///
    /// - Throws: `app.not_linked`, `company.unknown` or `company.already_founded`.
    func admit(
        _ app: AppCaller, to tenant: TenantSnapshot, as intent: RegistrationRequest.Intent?
    ) throws(ServiceError) {
        let id = AppID(app.appId)
        guard intent != .found else {
            guard !tenant.exists else { throw ServiceError(.companyAlreadyFounded) }
            return
        }
        if intent == nil, !tenant.exists { return }
        guard !tenant.exists || !tenant.state.links(id, as: .creation) else { return }
        context.unlinkedAppCalls.count(app.appId, tenantExists: tenant.exists)
        let isHidden = intent == .join && tenant.state.links[id] == nil
        throw ServiceError(isHidden ? .companyUnknown : .appNotLinked)
    }

    /// Returns the invitation to use; `nil` if none is needed and none was presented.
    ///
    /// - Throws: `registration.invitation_required` or `invitation.invalid`.
    func admit(
        _ presented: String?, to tenant: TenantSnapshot, _ use: Invitation.Use
    ) async throws -> InvitationID? {
        guard let presented else {
            try require(nil, in: tenant, use.email)
            return nil
        }
        guard let token = InvitationToken(text: presented),
            let claim = try await context.reader.claim(context.ring.invitationClaim(token, in: tenant.id))
        else { throw ServiceError(.invitationInvalid) }
        let invitation = try await context.invitation(InvitationID(claim.owner), in: tenant)
        _ = try Invitation.decided(invitation.state, .use(use))
        return invitation.id
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
