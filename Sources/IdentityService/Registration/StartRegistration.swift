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
package struct StartRegistration: AppUseCase, Redacted {
    /// The person and the device.
    package let request: RegistrationRequest
    package let app: AppCaller

    package init(_ request: RegistrationRequest, app: AppCaller) {
        self.request = request
        self.app = app
    }

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
        let employeeId = UUID()
        // The pages ask for what the person means, and never found what a mistyped name calls for.
        let intent = app.isPagesApp ? request.intent ?? .join : request.intent
        let admission = try await RegistrationGate(context: context).admit(
            app, to: tenant, as: intent, request.invitation,
            Invitation.Use(
                employee: EmployeeID(employeeId), companyEmployeeID: subject.companyEmployeeId, email: address,
                time: call.time))
        let credentialId = UUID()
        var person = FlowState.Registration(
            email: request.email, isCompanyOwnedEmail: request.isCompanyOwnedEmail, namedCredentialId: credentialId,
            invitation: admission?.uuid, intent: intent)
        var ids = (user: UUID(), credential: credentialId)
        if app.isPagesApp, let admission, request.invitation.flatMap({ MailedInvitation(text: $0) }) != nil {
            person.confirmsAddress = try await InvitationBrowser(context: context).isFirst(
                key, of: admission, at: call.time)
        }
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
            expiresAt: call.time.adding(FlowKind.registration.lifetime))
        state.network = context.network(of: call, through: app)
        state.challenge = try context.challenge(for: state, at: call.time)
        let started = FlowStartedResponse(
            flow: FlowStore.handle(of: state), challenge: state.challenge, subjectSalt: state.subjectSalt,
            expiresAt: state.expiresAt)
        try await FlowStore(context: context).insert(state, answering: run.ticket, started)
        return started
    }
}
