import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger
import Logging

/// Starts a login: a handle and a challenge, the same for everybody.
///
/// An unknown employee gets a decoy's flow, and so does everybody of a company that does not exist or that this app is
/// not linked to: an app learns nothing about companies of others, and spends nobody's attempts there. A change of
/// credentials starts in the same way.
struct StartLogin: Sendable {
    let context: ServiceContext

    func run(
        _ input: LoginInput, purpose: FlowPurpose = .login, app: AppCaller, call: Call, ticket: IdempotencyTicket?
    ) async throws -> FlowStarted {
        guard app.roles.contains(.access) else { throw ServiceError(.appRoleMissing) }
        let key = try context.employeeKey(input.employeePublicKey)
        let (subject, tenant) = try await context.subjectAndTenant(
            company: input.companyName, employee: input.companyEmployeeId, opened: ticket?.opened)
        let isLinked = tenant.state.linkedApps.contains(AppID(app.appId))
        if tenant.exists, !isLinked {
            // The app's developer is told nothing, so the operator is.
            context.logger.notice(
                "a login was started by an app that is not linked to the company",
                metadata: ["app": "\(app.appId.lowercased)", "requestId": "\(call.requestId)"])
        }

        // The decoy is derived in any case, so that its cost tells nothing.
        let decoy = try context.decoy(for: subject, hiddenFrom: isLinked ? nil : app.appId)
        var state = FlowState(
            id: UUID(), purpose: purpose, step: .key, appId: app.appId, tenantId: subject.tenantId.uuid,
            companyName: input.companyName, companyEmployeeId: input.companyEmployeeId, email: nil,
            isCompanyOwnedEmail: false, employeePublicKey: key.bytes, employeeId: UUID(),
            userId: decoy.sealed.context.userId, credentialId: decoy.sealed.context.credentialId,
            namedCredentialId: decoy.sealed.context.credentialId, isDecoy: true, userExists: false,
            questionsAllowed: false, challenge: [], subjectSalt: randomBytes(32), proved: nil, charges: [],
            expiresAt: call.time.adding(FlowState.lifetime))
        state.isHidden = !isLinked
        state.decoyKeys = decoy.publicKeys.bytes
        // Where there is nobody, a colleague is looked up in the same way.
        if isLinked, let employeeId = subject.employee ?? tenant.state.securityAdmin,
            let user = try await context.credentialOwner(of: employeeId, in: subject.tenantId)
        {
            if subject.employee == nil {
                state.standIn = StandIn(
                    employeeId: employeeId.uuid, userId: user.userId.uuid, credentialId: user.credentialId.uuid)
            } else {
                state.employeeId = employeeId.uuid
                state.userId = user.userId.uuid
                state.credentialId = user.credentialId.uuid
                state.namedCredentialId = state.credentialId
                state.isDecoy = false
                state.userExists = true
            }
        }
        state.challenge = try context.challenge(for: state, at: call.time)
        let started = FlowStarted(
            flow: FlowStore.handle(of: state), challenge: state.challenge, subjectSalt: state.subjectSalt,
            expiresAt: state.expiresAt)
        try await FlowStore(context: context).insert(state, answering: ticket, started)
        return started
    }
}

extension ServiceContext {
    /// The user behind an employee and the credential in force.
    func credentialOwner(
        of employee: EmployeeID, in tenant: TenantID
    ) async throws -> (userId: UserID, credentialId: CredentialID)? {
        // The first event of an employee names the user, for ever.
        let first = try await reader.beginnings(of: [.employee(employee, in: tenant)])
        guard let owner = try StateLoader.employee(employee, first).state.account?.user else { return nil }
        let read = try await reader.read(StreamsQuery([], tail: StateLoader.credentials(of: owner)))
        let user = try StateLoader.user(owner, read.streams[.user(owner)] ?? [])
        guard let credentials = user.state.credentials else { return nil }
        return (owner, credentials.id)
    }
}
