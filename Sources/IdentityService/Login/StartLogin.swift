import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Ledger
import Postgres
package import TenureAPI

/// Starts a log-in: replies with a handle and a challenge of the same form for known and unknown names.
///
/// A decoy answers for an unknown employee, an unknown tenant, and a tenant that the app is not linked to. So an app
/// learns nothing about other tenants and spends none of their attempts. Nor does the time tell: what would be read of
/// an account is read of another one. A change of credentials starts in the same way.
package struct StartLogin: AppUseCase {
    /// What the flow is for: a log-in, a change of credentials or a recovery.
    package let purpose: FlowKind
    /// The account, by its names, and the device.
    package let request: LoginRequest
    package let app: AppCaller
    /// The passkey that the device key is. Only its owner begins with one: they have proved it, or are logged in with it.
    package let passkey: DevicePasskey?

    package init(
        _ purpose: FlowKind = .login, _ request: LoginRequest, app: AppCaller, passkey: DevicePasskey? = nil
    ) {
        self.purpose = purpose
        self.request = request
        self.app = app
        self.passkey = passkey
    }

    /// Needs the role ACCESS.
    package func authorize() throws(ServiceError) { try app.require(purpose) }

    /// The reads of the account and its tenant.
    package func firstReads(in context: ServiceContext) -> PipelinedReads? {
        context.readingSubject(company: request.companyName, employee: request.companyEmployeeId)?.reads
    }

    /// Returns the handle and the challenge.
    package func run(_ run: UseCaseRun<FlowStartedResponse>) async throws -> FlowStartedResponse {
        let context = run.context, call = run.call
        let key = try context.employeeKey(request.employeePublicKey)
        let found = try await context.found(
            company: request.companyName, employee: request.companyEmployeeId, run.firstRows)
        let subject = found.subject, tenant = found.tenant
        let isLinked = tenant.state.links(AppID(app.appId), as: .access)
        // The app's developer must not learn this, but the operator should.
        if !isLinked { context.administration.unlinkedAppCalls.count(app.appId, tenantExists: tenant.exists) }
        // The decoy is always derived, so that its cost reveals nothing.
        let decoy = try context.decoy(for: subject, hiddenFrom: isLinked ? nil : app.appId)
        var account = FlowState.Account(
            isDecoy: true, decoyKeys: decoy.publicKeys.bytes, isHidden: !isLinked)
        var ids = (
            employee: UUID.random(), user: decoy.sealed.context.userId, credential: decoy.sealed.context.credentialId
        )
        if let user = try await owner(found, context), let credentials = user.state.credentials {
            if isLinked, let employee = found.subject.employee {
                ids = (employee.uuid, user.id.uuid, credentials.id.uuid)
                account.isDecoy = false
            } else {
                // A colleague, or anybody for a tenant that is hidden or does not exist: read in the same way.
                account.standIn = StandIn(
                    employeeId: found.tenant.state.securityAdmin?.uuid ?? UUID.random(), userId: user.id.uuid,
                    credentialId: credentials.id.uuid)
            }
        }
        guard let purpose = FlowState.Purpose(purpose, about: account) else { throw ServiceError(.flowWrongStep) }
        var state = FlowState(
            id: UUID.random(), purpose: purpose, step: .key, appId: app.appId, tenantId: subject.tenantId.uuid,
            companyName: request.companyName, companyEmployeeId: request.companyEmployeeId,
            employeePublicKey: key.bytes,
            employeeId: ids.employee, userId: ids.user, credentialId: ids.credential,
            expiresAt: call.time.adding(purpose.kind.lifetime))
        state.network = context.network(of: call, through: app)
        state.passkey = passkey?.facts
        state.challenge = try context.challenge(for: state, at: call.time)
        let started = FlowStartedResponse(
            flow: FlowStore.handle(of: state), challenge: state.challenge, subjectSalt: state.subjectSalt,
            expiresAt: state.expiresAt)
        try await FlowStore(context: context).insert(state, answering: run.ticket, started)
        return started
    }

    /// The user behind the employee, with the credentials in force. For an unknown employee it is the security admin's
    /// user, and for an unknown tenant anybody, with the same reads.
    private func owner(_ found: FoundSubject, _ context: ServiceContext) async throws -> UserSnapshot? {
        let other = try await context.anyUser()
        guard let employee = found.subject.employee ?? found.tenant.state.securityAdmin else {
            guard let other else { return nil }
            _ = try await context.reader.beginnings(of: [.user(other)])
            let read = try await context.credentialHolder(other)
            // Whoever was erased meanwhile stands in for nobody.
            if read.state.credentials == nil { context.login.someUser.withLock { $0 = nil } }
            return read
        }
        // The first event of an employee names the user, and that never changes.
        let first = try await context.reader.beginnings(of: [.employee(employee, in: found.subject.tenantId)])
        guard let owner = try StateLoader.employee(employee, StreamEvents(first)).state.account?.user else {
            return nil
        }
        let user = try await context.credentialHolder(owner)
        return user.state.credentials == nil ? nil : user
    }
}
