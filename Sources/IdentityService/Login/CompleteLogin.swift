import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import TenureAPI

/// What completes a log-in.
enum LoginProof: Sendable {
    /// The answers or the passphrase.
    case credential(FlowProof)
    /// The PIN of an identity that is linked to the flow's device.
    case mpin(any PINProof)

    /// The event that carries the proof.
    func event(of state: FlowState, employee: EmployeeID) throws -> any EventPayload {
        switch self {
        case .credential(let proof): try proof.event(of: state, employee: employee)
        case .mpin(let proof): proof.event
        }
    }

    /// How the person logged in.
    var methods: AuthenticationMethods {
        switch self {
        case .credential(let proof): .credential(proof.kind)
        case .mpin: .mpin
        }
    }
}

/// A right proof of a PIN that completes a log-in.
protocol PINProof: Sendable {
    /// The event of the flow.
    var event: MPinValidated { get }

    /// Adds to the log-in's append that the identity is unchanged and that the proof is redeemed.
    ///
    /// - Throws: `mpin.request_expired` if it is redeemed already, and `authorization.not_permitted`.
    func add(to recorder: inout FlowRecorder, in tenant: TenantSnapshot) async throws
}

/// Completes a log-in after a valid proof.
///
/// The append guards the versions of employee, tenant and user. If a cancellation, a reclaimed e-mail or a change of
/// credentials commits first, the use case reloads the state and retries. So no session starts after one of these.
struct CompleteLogin: Sendable {
    let context: ServiceContext

    /// - Parameter scene: The state that the flow's step has already read. On a version conflict it is read again.
    func run(
        _ row: FlowStore.Row, proof: LoginProof, _ scene: FlowScene, app: AppCaller,
        _ run: UseCaseRun<FlowOutcomeResponse>
    ) async throws -> FlowOutcomeResponse {
        let state = row.state
        let tenantId = TenantID(state.tenantId), employeeId = EmployeeID(state.employeeId)
        var known: FlowScene? = scene
        let refusal: (FlowOutcomeResponse?, ServiceError?) = try await optimistic {
            let scene: FlowScene
            if let known { scene = known } else { scene = try await FlowScene.load(.proof, for: state, context) }
            known = nil
            guard let tenant = scene.tenant else { throw ProgramDefect("the tenant was not read") }
            let user = scene.user
            // Read only after the proof: the time of this read depends on the number of devices, which only the owner
            // may learn.
            let employee = try await StateLoader(reader: context.reader).employee(employeeId, in: tenantId)
            // The proof was made with the user's credentials, so the flow's employee must be that user's.
            guard employee.state.account?.user == user.id else { return (nil, ServiceError(.requestStale)) }
            // The key of a passkey that signed as another key does proves nothing, and the proof is not recorded.
            let known = employee.state.keys[try state.deviceKey]
            guard known.map({ ($0.passkey == nil) == (state.passkey == nil) }) ?? true else {
                return (nil, ServiceError(Denial.keyEnded))
            }
            let decision = Employee.login(
                employee.state, key: try state.deviceKey, flow: FlowID(state.id), time: run.call.time,
                passkey: state.passkey, under: tenant.state.policy.logIn)
            var recorder = FlowRecorder(row: row, app: app, run)
            recorder.expectations[.employee(employeeId, in: tenantId)] = employee.version
            recorder.expectations[.tenant(tenantId)] = tenant.version
            // No session starts after the credentials that were used have been changed.
            guard user.state.credentials?.id.uuid == state.credentialId else {
                return (nil, ServiceError(.requestStale))
            }
            recorder.expectations[.user(user.id)] = user.version
            let keys = try await context.personKeys.load([employeeId.uuid], ledger: tenantId.uuid)
            // Without the employee's encryption key the account is erased.
            guard let decision, keys[employeeId.uuid] != nil, tenant.state.links(AppID(app.appId), as: .access) else {
                return (nil, ServiceError(.employeeInactive))
            }
            if case .mpin(let mpin) = proof { try await mpin.add(to: &recorder, in: tenant) }
            try recorder.add(
                try proof.event(of: state, employee: employeeId), to: .flow(state.id, in: tenantId), version: 0,
                keys: keys, about: employeeId.uuid, by: employeeId)
            // A PIN proves no answers: what a flow has guessed at them stays charged.
            if case .credential = proof { try recorder.refund(by: employeeId) }
            // A copy of the passkey logs nobody in with the secret either.
            let isStopped = try await recorder.notePasskey(
                try state.deviceKey, state.proved.flatMap { SignatureBytes($0.signature) }, of: employee, in: tenant,
                from: run.call.sourceAddress, signedBefore: state.proved?.expires)
            let summary = try await context.summary(of: employee, in: tenant)
            switch decision {
            case .success where !isStopped:
                return (try await open(&recorder, employee, in: tenant, by: proof.methods, summary, scene), nil)
            case .authorizationPending(let presenting):
                try recorder.add(
                    recorder.named(presenting, of: employee.state), to: .employee(employeeId, in: tenantId),
                    version: employee.version, keys: keys, about: employeeId.uuid, by: employeeId)
                return (try await pending(&recorder, employee, in: tenant), nil)
            case .success, .inactive, .notApproved, .keyRevoked, .tooManyWaitingKeys, .passkeyRequired:
                // A valid proof of an employee who may not log in is recorded too. It cancels a recovery that somebody
                // opened after ending the device key.
                var error = Self.refusal(of: decision)
                error.notices = try await recorder.endOthers(of: user, by: employee, in: tenant)
                    .filter(\.isCancellation)
                return (nil, try await recorder.refuse(with: error))
            }
        }
        if let error = refusal.1 { throw error }
        guard let outcome = refusal.0 else { throw ServiceError(.requestStale) }
        return outcome
    }

    private static func refusal(of decision: Employee.Outcome) -> ServiceError {
        switch decision {
        case .success: ServiceError(.passkeyStopped)
        case .inactive: ServiceError(.employeeInactive)
        case .notApproved: ServiceError(.employeeNotApproved)
        case .keyRevoked: ServiceError(Denial.keyEnded)
        case .tooManyWaitingKeys: ServiceError(Denial.tooManyPendingKeys)
        case .passkeyRequired: ServiceError(.employeePasskeyRequired)
        default: ServiceError(.authorizationNotPermitted)
        }
    }

    private func open(
        _ recorder: inout FlowRecorder, _ employee: EmployeeSnapshot, in snapshot: TenantSnapshot,
        by methods: AuthenticationMethods, _ summary: EmployeeSummaryResponse, _ scene: FlowScene
    ) async throws -> FlowOutcomeResponse {
        let tenant = recorder.tenant
        let state = recorder.row.state
        let notices = try await recorder.endOthers(of: scene.user, by: employee, in: snapshot)
        if state.charges.contains(where: { !$0.wasKnownDevice }) {
            // The claim was missing, or the key was authorized meanwhile.
            let key = KnownDevice(state.employeePublicKey, of: employee.id, in: snapshot.id)
            recorder.statements.append(key.insertion(context.ring))
        }
        let session = try await NewSession(
            of: employee, in: snapshot, fingerprint: try state.fingerprint, by: methods, app: recorder.app,
            recorder.call, context)
        var tokens = session.tokens
        tokens.credentialsChangeRequired = scene.hasReachedLifetimeCap ?? false
        tokens.notices = notices
        try await recorder.tellOfSynced(try state.deviceKey, of: employee, in: snapshot.id, recorder.call)
        try await recorder.open(session, by: employee.id)
        return try await recorder.append { [tokens] appended in
            .success(tokens, summary, position: appended.last[LedgerID(tenant.uuid)])
        }
    }

    private func pending(
        _ recorder: inout FlowRecorder, _ employee: EmployeeSnapshot, in snapshot: TenantSnapshot
    ) async throws -> FlowOutcomeResponse {
        let domain = DomainRegistration(context: context)
        if let mail = try await domain.reminder(employee, in: snapshot, app: recorder.app, at: recorder.call.time) {
            try recorder.queue(mail)
        }
        let tenant = recorder.tenant, key = recorder.row.state.employeePublicKey
        let fingerprint = try recorder.row.state.fingerprint.description
        return try await recorder.append { appended in
            .authorizationPending(
                employeePublicKey: key, fingerprint: fingerprint, position: appended.last[LedgerID(tenant.uuid)])
        }
    }
}
