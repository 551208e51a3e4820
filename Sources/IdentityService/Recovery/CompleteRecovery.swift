import Canonical
import Credentials
import FoundationEssentials
import Identity
import Keys
import Ledger

/// Ends a recovery: the new record, the end of the old seed and of every session of the user, and the new key presented,
/// all or nothing.
///
/// It guards the user's stream, which logins, changes and decisions about the recovery guard or write too: so of all that
/// race exactly one comes first, and a recovery is used once. A new key waits as any does, here and in every other
/// company: a recovery lets nobody in. One that was let in before has a session.
struct CompleteRecovery: Sendable {
    let context: ServiceContext

    func run(
        _ row: FlowStore.Row, _ new: ChangedCredentials, _ recovery: PendingRecovery, app: AppCaller, call: Call,
        ticket: IdempotencyTicket?
    ) async throws -> FlowOutcome {
        let state = row.state
        let tenantId = TenantID(state.tenantId), employeeId = EmployeeID(state.employeeId), user = UserID(state.userId)
        let pending = PendingRekeying(state.credentialId, of: user, context.ring)
        let outcome = try await optimistic {
            let loader = StateLoader(reader: context.reader)
            let employee = try await loader.employee(employeeId, in: tenantId)
            let tenant = try await loader.tenant(tenantId)
            let snapshot = try await loader.user(user)
            let entry = Employee.login(
                employee.state, key: try state.deviceKey, flow: FlowID(state.id), time: call.time)
            let presented = try presented(entry, tenant, app)
            let (reach, stillSo) = try await context.recoveryReach(of: snapshot, in: tenant)
            let keys = try await context.personKeys.load([employeeId.uuid], ledger: tenantId.uuid)
            let ledger = LedgerID.directory(of: user)
            guard let userKey = try await context.personKeys.load([user.uuid], ledger: ledger.uuid)[user.uuid] else {
                throw ServiceError(.employeeInactive)
            }
            let target = User.RecoveryTarget(
                tenant: tenantId, employee: employeeId, fingerprint: try state.fingerprint)
            let command = User.RecoverCredentials(
                event: try new.event(state, key: userKey), target: target,
                approvals: snapshot.positions(of: [recovery.opened, recovery.confirmed]), reach: reach, time: call.time)
            let events = try decided { () throws(User.Rejection) in
                try User.decide(snapshot.state, .recoverCredentials(command))
            }
            var recorder = FlowRecorder(context: context, row: row, app: app, call: call, ticket: ticket)
            recorder.expectations[.employee(employeeId, in: tenantId)] = employee.version
            recorder.expectations[.tenant(tenantId)] = tenant.version
            recorder.claims.append(pending.taking)
            try await recorder.replaceCredentials(events, with: new, of: snapshot, key: userKey, by: employeeId)
            for event in presented {
                try recorder.add(
                    event.payload, to: .employee(employeeId, in: tenantId), version: employee.version, keys: keys,
                    about: employeeId.uuid, by: employeeId)
            }
            recorder.statements += [stillSo, RecoveryRequests.deletion(target)]
            guard entry != .success else {
                return try await recorder.openSession(
                    employeeId, try await context.summary(of: employee, in: tenant))
            }
            return try await waiting(recorder)
        }
        // The new credentials stand already. What fails here, or is cut off, is done by the next sweep.
        await RekeyBuckets(context: context).run([pending])
        return outcome
    }

    /// The events that present the key; none for one that waits, or is in force.
    private func presented(
        _ entry: Employee.Outcome?, _ tenant: TenantSnapshot, _ app: AppCaller
    ) throws(ServiceError) -> [EmployeeEvent] {
        guard tenant.state.linkedApps.contains(AppID(app.appId)) else { throw ServiceError(.employeeInactive) }
        switch entry {
        case .authorizationPending(let presenting): return presenting
        case .success: return []
        case .notApproved: throw ServiceError(.employeeNotApproved)
        case .keyRevoked, .tooManyWaitingKeys: throw ServiceError(.authorizationNotPermitted)
        case .inactive, nil: throw ServiceError(.employeeInactive)
        }
    }

    private func waiting(_ recorder: FlowRecorder) async throws -> FlowOutcome {
        let tenant = recorder.tenant, key = recorder.row.state.employeePublicKey
        let fingerprint = try recorder.row.state.fingerprint.description
        return try await recorder.append { appended in
            .authorizationPending(
                employeePublicKey: key, fingerprint: fingerprint, position: appended.last[LedgerID(tenant.uuid)])
        }
    }
}
