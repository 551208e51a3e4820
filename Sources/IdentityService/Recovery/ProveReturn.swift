import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import TenureAPI

/// Handles a valid proof in the flow of a return: it completes the open return of this device key, or asks for one.
///
/// The append guards the account, the tenant, the user and the accounts of all admins. If one of them gets a key in
/// force, the tenant appoints an admin, or somebody cancels, the use case reloads and decides again.
struct ProveReturn: Sendable {
    let context: ServiceContext

    func run(
        _ row: FlowStore.Row, proof: FlowProof, app: AppCaller, _ run: UseCaseRun<FlowOutcomeResponse>
    ) async throws -> FlowOutcomeResponse {
        let state = row.state, time = run.call.time
        let tenant = TenantID(state.tenantId), employee = EmployeeID(state.employeeId)
        try await chargeMail(state, app: app, at: time)
        let result: Result<FlowOutcomeResponse, ServiceError> = try await optimistic {
            let scene = try await ReturnScene(of: employee, in: tenant, context)
            guard scene.user.id.uuid == state.userId, scene.user.state.credentials?.id.uuid == state.credentialId else {
                throw ServiceError(.requestStale)
            }
            let recorder = try await recorder(row, proof, scene, app, run)
            do {
                guard scene.openReturn(at: time)?.key == (try state.deviceKey) else {
                    return .success(try await request(recorder, scene))
                }
                return .success(try await complete(recorder, proof, scene))
            } catch let refusal as ServiceError where Self.isFinal(refusal) {
                return .failure(try await recorder.refuse(with: refusal))
            }
        }
        return try result.get()
    }

    /// Charges the mail of a request before the append, once, if the request is permitted.
    ///
    /// - Throws: `mail.unavailable` or `request.rate_limited`.
    private func chargeMail(_ state: FlowState, app: AppCaller, at time: Timestamp) async throws {
        let scene = try await ReturnScene(of: EmployeeID(state.employeeId), in: TenantID(state.tenantId), context)
        guard scene.openReturn(at: time)?.key != (try state.deviceKey),
            (try? requested(state, scene, at: time)) != nil,
            let text = try await context.userWithAddress(scene.user.id).email?.text
        else { return }
        _ = try context.requireMail()
        let address = try parsed { () throws(ValueError) in try EmailAddress(recorded: text) }
        try await context.chargeMail(to: address.key, app: app.appId, at: time)
    }

    /// Whether a refusal ends the flow, with the valid proof on record as in a log-in.
    private static func isFinal(_ refusal: ServiceError) -> Bool {
        switch refusal.code {
        case .returnNotPermitted, .returnInProgress, .returnNotAvailable, .authorizationNotPermitted,
            .authorizationUnknownKey:
            true
        default: false
        }
    }

    /// An append with the proof.
    ///
    /// - Throws: `employee.inactive` for an account that may not log in.
    private func recorder(
        _ row: FlowStore.Row, _ proof: FlowProof, _ scene: ReturnScene, _ app: AppCaller,
        _ run: UseCaseRun<FlowOutcomeResponse>
    ) async throws -> FlowRecorder {
        let state = row.state, tenant = scene.tenant.id, employee = scene.employee.id
        let keys = try await context.personKeys.load([employee.uuid], ledger: tenant.uuid)
        guard keys[employee.uuid] != nil, scene.tenant.state.links(AppID(app.appId), as: .access) else {
            throw ServiceError(.employeeInactive)
        }
        var recorder = FlowRecorder(row: row, app: app, run)
        recorder.expectations = scene.expectations
        try recorder.add(
            try proof.event(of: state, employee: employee), to: .flow(state.id, in: tenant), version: 0, keys: keys,
            about: employee.uuid, by: employee)
        try recorder.refund(by: employee)
        return recorder
    }

    /// The events that present the key, if it is new, and ask for the return.
    private func requested(
        _ state: FlowState, _ scene: ReturnScene, at time: Timestamp
    ) throws -> [EmployeeEvent] {
        let key = try state.deviceKey, flow = FlowID(state.id)
        var account = scene.employee
        let presenting = try Employee.decided(
            account.state, .presentKey(Employee.PresentKey(key: key, flow: flow, time: time)))
        account.apply(presenting, at: time)
        let command = Employee.RequestReturn(
            id: ReturnID(UUID.random()), key: key, flow: flow, user: scene.user.state, scene: scene.facts(at: time))
        return presenting
            + (try Employee.decided(account.state, .requestReturn(command)))
    }

    /// Records the request, with the mail whose link opens the return.
    private func request(_ recorder: FlowRecorder, _ scene: ReturnScene) async throws -> FlowOutcomeResponse {
        var recorder = recorder
        let state = recorder.row.state, time = recorder.call.time, tenant = scene.tenant.id
        try recorder.add(
            requested(state, scene, at: time), to: .employee(scene.employee.id, in: tenant),
            version: scene.employee.version, by: scene.employee.id)
        _ = try context.requireMail()
        try recorder.queue(
            QueuedMail(
                .returnRequested, to: .user(scene.user.id), in: LedgerID(tenant.uuid),
                until: time.adding(Employee.returnRequestLifetime), at: time))
        let fingerprint = try state.fingerprint.description
        return try await recorder.append { appended in
            .authorizationPending(
                employeePublicKey: state.employeePublicKey, fingerprint: fingerprint,
                position: appended.last[LedgerID(tenant.uuid)])
        }
    }

    /// Puts the key in force with the role, ends all other sessions, and opens one for this device.
    private func complete(
        _ recorder: FlowRecorder, _ proof: FlowProof, _ scene: ReturnScene
    ) async throws -> FlowOutcomeResponse {
        var recorder = recorder
        let state = recorder.row.state, time = recorder.call.time
        let command = Employee.CompleteReturn(
            proof: try ReturnProof(proof, of: state), user: scene.user.state, scene: scene.facts(at: time))
        if let open = scene.openReturn(at: time) {
            guard open.availableAt <= time else { throw ServiceError.notAvailable(open, at: time) }
            recorder.notAfter = open.expiresAt
        }
        let events = try Employee.decided(scene.employee.state, .completeReturn(command))
        try recorder.add(
            events, to: .employee(scene.employee.id, in: scene.tenant.id), version: scene.employee.version,
            by: scene.employee.id)
        recorder.ledgers.insert(LedgerID(scene.tenant.id.uuid))
        recorder.statements.append(NewSession.deletion(employee: scene.employee.id, tenant: scene.tenant.id))
        if context.mail != nil {
            try recorder.queue(
                QueuedMail(
                    .returnCompleted, to: .user(scene.user.id), in: LedgerID(scene.tenant.id.uuid),
                    until: time.adding(ServiceContext.noticeLifetime), at: time))
        }
        var after = scene.employee
        after.apply(events, at: time)
        return try await recorder.openSession(
            after, in: scene.tenant, by: .credential(proof.kind),
            try await context.summary(of: after, in: scene.tenant),
            context.returnNotices(of: after, in: scene.tenant.state, at: time))
    }
}
