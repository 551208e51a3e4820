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
        _ input: LoginInput, _ reading: SubjectReading?, purpose: FlowPurpose = .login, app: AppCaller, call: Call,
        ticket: IdempotencyTicket?
    ) async throws -> FlowStarted {
        guard app.roles.contains(.access) else { throw ServiceError(.appRoleMissing) }
        let key = try context.employeeKey(input.employeePublicKey)
        let found = try await context.found(
            company: input.companyName, employee: input.companyEmployeeId, for: app, reading,
            opened: ticket?.opened)
        let subject = found.subject, tenant = found.tenant
        let isLinked = tenant.state.linkedApps.contains(AppID(app.appId))
        if tenant.exists, !isLinked {
            // The app's developer is told nothing, so the operator is.
            context.logger.notice(
                "a login was started by an app that is not linked to the company",
                metadata: ["app": "\(app.appId.lowercased)", "requestId": "\(call.requestId)"])
        }

        // The decoy is derived in any case, so that its cost tells nothing; whole where the steps to come remember it.
        let decoy = try context.decoy(
            for: subject, hiddenFrom: isLinked ? nil : app.appId, parts: purpose == .login ? .all : [])
        var state = FlowState(
            id: UUID.random(), purpose: purpose, step: .key, appId: app.appId, tenantId: subject.tenantId.uuid,
            companyName: input.companyName, companyEmployeeId: input.companyEmployeeId, email: nil,
            isCompanyOwnedEmail: false, employeePublicKey: key.bytes, employeeId: UUID.random(),
            userId: decoy.sealed.context.userId, credentialId: decoy.sealed.context.credentialId,
            namedCredentialId: decoy.sealed.context.credentialId, isDecoy: true, userExists: false,
            questionsAllowed: false, challenge: [], subjectSalt: randomBytes(32), proved: nil, charges: [],
            expiresAt: call.time.adding(FlowState.lifetime))
        state.isHidden = !isLinked
        state.decoyKeys = decoy.publicKeys.bytes
        let user = isLinked ? try await owner(found) : nil
        if let user, let credentials = user.state.credentials { name(user, credentials.id, found, &state) }
        state.challenge = try context.challenge(for: state, at: call.time)
        let started = FlowStarted(
            flow: FlowStore.handle(of: state), challenge: state.challenge, subjectSalt: state.subjectSalt,
            expiresAt: state.expiresAt)
        let row = try await FlowStore(context: context).insert(state, answering: ticket, started)
        // Where nobody is looked up there is an empty stream, whose head is none.
        let nobody = try StateLoader.user(UserID(state.userId), [])
        context.flows.remember(row, FlowScene(user: user ?? nobody, tenant: isLinked ? tenant : nil, decoy: decoy))
        return started
    }

    /// Puts into a flow whom it is about; where there is nobody, a colleague is looked up in the same way.
    private func name(
        _ user: UserSnapshot, _ credential: CredentialID, _ found: FoundSubject, _ state: inout FlowState
    ) {
        guard let employee = found.subject.employee else {
            state.standIn = found.tenant.state.securityAdmin.map {
                StandIn(employeeId: $0.uuid, userId: user.id.uuid, credentialId: credential.uuid)
            }
            return
        }
        state.employeeId = employee.uuid
        state.userId = user.id.uuid
        state.credentialId = credential.uuid
        state.namedCredentialId = credential.uuid
        state.isDecoy = false
        state.userExists = true
    }

    /// The user behind the employee, or behind the colleague in nobody's place, with the credentials in force.
    private func owner(_ found: FoundSubject) async throws -> UserSnapshot? {
        guard let employee = found.subject.employee ?? found.tenant.state.securityAdmin else { return nil }
        // The first event of an employee names the user, for ever.
        let first: [RecordedEvent]
        if let beginning = found.beginning {
            first = beginning.map { [$0] } ?? []
        } else {
            first = try await context.reader.beginnings(of: [.employee(employee, in: found.subject.tenantId)])
        }
        guard let owner = try StateLoader.employee(employee, first).state.account?.user else { return nil }
        let read = try await context.reader.read(StreamsQuery([], tail: StateLoader.credentials(of: owner)))
        let user = try StateLoader.user(owner, read.streams[.user(owner)] ?? [])
        return user.state.credentials == nil ? nil : user
    }
}
