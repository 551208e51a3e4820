import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger

/// Starts a registration: a handle and a challenge, the same for everybody. Nothing is claimed yet.
struct StartRegistration: Sendable {
    let context: ServiceContext

    func run(
        _ input: RegistrationInput, _ reading: SubjectReading?, app: AppCaller, call: Call,
        ticket: IdempotencyTicket?
    ) async throws -> FlowStarted {
        guard app.roles.contains(.creation) else { throw ServiceError(.appRoleMissing) }
        let found = try await context.found(
            company: input.companyName, employee: input.companyEmployeeId, for: app, reading,
            opened: ticket?.opened)
        let subject = found.subject, tenant = found.tenant
        let email = try parsed { () throws(ValueError) in try EmailAddress(input.email) }
        let key = try context.employeeKey(input.employeePublicKey)
        guard !input.isCompanyOwnedEmail || email.isOwned(by: subject.companyName) else {
            throw ServiceError(.emailNotCompanyOwned)
        }
        let loader = StateLoader(reader: context.reader)
        guard !tenant.exists || tenant.state.linkedApps.contains(AppID(app.appId)) else {
            throw ServiceError(.appNotLinked)
        }
        let credentialId = UUID()
        var state = FlowState(
            id: UUID(), purpose: .registration, step: .key, appId: app.appId, tenantId: subject.tenantId.uuid,
            companyName: input.companyName, companyEmployeeId: input.companyEmployeeId, email: input.email,
            isCompanyOwnedEmail: input.isCompanyOwnedEmail, employeePublicKey: key.bytes, employeeId: UUID(),
            userId: UUID(), credentialId: credentialId, namedCredentialId: credentialId, isDecoy: false,
            userExists: false, questionsAllowed: false, challenge: [], subjectSalt: randomBytes(32), proved: nil,
            charges: [], expiresAt: call.time.adding(FlowState.lifetime))
        if let claim = try await context.reader.claim(context.ring.emailClaim(email)),
            let credentials = try await loader.user(UserID(claim.owner)).state.credentials
        {
            state.userId = claim.owner
            state.credentialId = credentials.id.uuid
            state.userExists = true
        }
        state.challenge = try context.challenge(for: state, at: call.time)
        let started = FlowStarted(
            flow: FlowStore.handle(of: state), challenge: state.challenge, subjectSalt: state.subjectSalt,
            expiresAt: state.expiresAt)
        try await FlowStore(context: context).insert(state, answering: ticket, started)
        return started
    }
}
