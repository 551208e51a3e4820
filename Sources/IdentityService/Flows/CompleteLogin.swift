import Canonical
import Credentials
import FoundationEssentials
import Identity
import Keys
import Ledger

/// Ends a login whose challenge was right.
///
/// The append guards the versions of employee and tenant: a cancellation or a reclaimed e-mail that commits first makes
/// it decide again, so no session starts after one.
struct CompleteLogin: Sendable {
    let context: ServiceContext

    /// - Parameter scene: What the flow's step has read already; it is read again when somebody else was faster.
    func run(
        _ row: FlowStore.Row, proof: FlowProof, _ scene: FlowScene, app: AppCaller, call: Call,
        ticket: IdempotencyTicket?
    ) async throws -> FlowOutcome {
        let state = row.state
        let tenantId = TenantID(state.tenantId), employeeId = EmployeeID(state.employeeId)
        var known: FlowScene? = scene
        let refusal: (FlowOutcome?, ServiceError?) = try await optimistic {
            let scene: FlowScene
            if let first = known {
                scene = first
            } else {
                let again = try await FlowScene.load(.proof, for: state, context)
                scene = again.scene
            }
            known = nil
            guard let tenant = scene.tenant, let user = scene.user else {
                throw ServiceError(.serviceUnavailable, retryAfterSeconds: 1)
            }
            // Read only now: how many devices somebody has is nothing for who knows no secret.
            let employee = try await StateLoader(reader: context.reader).employee(employeeId, in: tenantId)
            // The secret that was right is the user's, whose employee must be the flow's.
            guard employee.state.account?.user == user.id else { return (nil, ServiceError(.requestStale)) }
            let decision = Employee.login(
                employee.state, key: try state.deviceKey, flow: FlowID(state.id), time: call.time)
            var recorder = FlowRecorder(context: context, row: row, app: app, call: call, ticket: ticket)
            recorder.expectations[.employee(employeeId, in: tenantId)] = employee.version
            recorder.expectations[.tenant(tenantId)] = tenant.version
            // Nor does one start after a change of the credentials that were used.
            guard user.state.credentials?.id.uuid == state.credentialId else {
                return (nil, ServiceError(.requestStale))
            }
            recorder.expectations[.user(user.id)] = user.version
            let keys = try await context.personKeys.load([employeeId.uuid], ledger: tenantId.uuid)
            // Without the employee's key there is nobody any more.
            guard let decision, keys[employeeId.uuid] != nil, tenant.state.linkedApps.contains(AppID(app.appId)) else {
                return (nil, ServiceError(.employeeInactive))
            }
            try recorder.add(
                try proof.event(of: state, employee: employeeId), to: .flow(state.id, in: tenantId), version: 0,
                keys: keys, about: employeeId.uuid, by: employeeId)
            try recorder.refund(by: employeeId)
            let summary = try await context.summary(of: employee, in: tenant)
            switch decision {
            case .success:
                try recorder.endRecovery(of: user, by: employeeId)
                if state.charges.contains(where: { !$0.wasKnownDevice }) {
                    // A key in force that was not found: an older process presented it, or it came into force meanwhile.
                    let key = PresentedKey(state.employeePublicKey, of: employeeId, in: tenantId)
                    recorder.statements.append(key.insertion)
                }
                return (try await open(&recorder, employeeId, summary, scene), nil)
            case .authorizationPending(let presenting):
                for event in presenting {
                    try recorder.add(
                        event.payload, to: .employee(employeeId, in: tenantId), version: employee.version, keys: keys,
                        about: employeeId.uuid, by: employeeId)
                }
                return (try await pending(recorder), nil)
            case .inactive, .notApproved, .keyRevoked, .tooManyWaitingKeys:
                // A right challenge of somebody who may not enter is in the log too.
                let refusal = try await recorder.refuse(with: Self.refusal(of: decision))
                return (nil, refusal)
            }
        }
        context.flows.forget(state)
        if let error = refusal.1 { throw error }
        guard let outcome = refusal.0 else { throw ServiceError(.requestStale) }
        return outcome
    }

    private static func refusal(of decision: Employee.Outcome) -> ServiceError {
        switch decision {
        case .inactive: ServiceError(.employeeInactive)
        case .notApproved: ServiceError(.employeeNotApproved)
        default: ServiceError(.authorizationNotPermitted)
        }
    }

    private func open(
        _ recorder: inout FlowRecorder, _ employee: EmployeeID, _ summary: EmployeeSummary, _ scene: FlowScene
    ) async throws -> FlowOutcome {
        let tenant = recorder.tenant
        let state = recorder.row.state
        let session = OpenedSession(
            employee: employee, tenant: tenant, fingerprint: try state.fingerprint, at: recorder.call.time, context)
        var tokens = session.tokens
        tokens.credentialsChangeRequired = scene.hasReachedLifetimeCap ?? false
        try recorder.add(
            session.event, to: .session(session.id, in: tenant), version: 0, keys: [:], about: nil, by: employee)
        recorder.statements.append(session.insertion)
        return try await recorder.append { [tokens] appended in
            .success(tokens, summary, position: appended.last[LedgerID(tenant.uuid)])
        }
    }

    private func pending(_ recorder: FlowRecorder) async throws -> FlowOutcome {
        let tenant = recorder.tenant, key = recorder.row.state.employeePublicKey
        let fingerprint = try recorder.row.state.fingerprint.description
        return try await recorder.append { appended in
            .authorizationPending(
                employeePublicKey: key, fingerprint: fingerprint, position: appended.last[LedgerID(tenant.uuid)])
        }
    }
}
