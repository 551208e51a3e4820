import Canonical
import Credentials
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
import Projections

/// Ends a change of credentials: the new record, the end of the old seed and of every session of the user, and a new
/// session for the device that did it, all or nothing.
///
/// It guards the user's stream, which logins and registrations of that user guard too: of two changes one wins, and no
/// session that the old credentials opened starts after the change.
struct CompleteChange: Sendable {
    let context: ServiceContext

    func run(
        _ row: FlowStore.Row, _ new: ChangedCredentials, proof: FlowProof, app: AppCaller, call: Call,
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
            if let refusal = Self.refusal(state, try state.deviceKey, employee, tenant, app, at: call.time) {
                throw refusal
            }
            let ledger = LedgerID.directory(of: user)
            let keys = try await context.personKeys.load([employeeId.uuid], ledger: tenantId.uuid)
            guard let userKey = try await context.personKeys.load([user.uuid], ledger: ledger.uuid)[user.uuid] else {
                throw ServiceError(.employeeInactive)
            }
            var recorder = FlowRecorder(context: context, row: row, app: app, call: call, ticket: ticket)
            recorder.expectations[.employee(employeeId, in: tenantId)] = employee.version
            recorder.expectations[.tenant(tenantId)] = tenant.version
            try recorder.add(
                try proof.event(of: state, employee: employeeId), to: .flow(state.id, in: tenantId), version: 0,
                keys: keys, about: employeeId.uuid, by: employeeId)
            try recorder.refund(by: employeeId)
            let event = try new.event(state, key: userKey)
            let events = try decided { () throws(User.Rejection) in
                try User.decide(snapshot.state, .changeCredentials(event))
            }
            recorder.claims.append(pending.taking)
            // Before the change, with which it would end without a word to the company that decided about it.
            try recorder.endRecovery(of: snapshot, by: employeeId)
            try await recorder.replaceCredentials(events, with: new, of: snapshot, key: userKey, by: employeeId)
            return try await recorder.openSession(employeeId, try await context.summary(of: employee, in: tenant))
        }
        // The change stands already. What fails here, or is cut off, is done by the next sweep.
        await RekeyBuckets(context: context).run([pending])
        return outcome
    }

    /// Refuses a device that is not authorized, and an employee who may not log in: the right secret is in the log then,
    /// as after such a login, and the flow has ended.
    func requirePermitted(
        _ row: FlowStore.Row, proof: FlowProof, app: AppCaller, call: Call, ticket: IdempotencyTicket?
    ) async throws {
        let state = row.state
        let tenantId = TenantID(state.tenantId), employeeId = EmployeeID(state.employeeId)
        let refusal: ServiceError? = try await optimistic {
            let loader = StateLoader(reader: context.reader)
            let employee = try await loader.employee(employeeId, in: tenantId)
            let tenant = try await loader.tenant(tenantId)
            guard let refusal = Self.refusal(state, try state.deviceKey, employee, tenant, app, at: call.time) else {
                return nil
            }
            let keys = try await context.personKeys.load([employeeId.uuid], ledger: tenantId.uuid)
            guard keys[employeeId.uuid] != nil else { return refusal }
            var recorder = FlowRecorder(context: context, row: row, app: app, call: call, ticket: ticket)
            try recorder.add(
                try proof.event(of: state, employee: employeeId), to: .flow(state.id, in: tenantId), version: 0,
                keys: keys, about: employeeId.uuid, by: employeeId)
            try recorder.refund(by: employeeId)
            return try await recorder.refuse(with: refusal)
        }
        if let refusal { throw refusal }
    }

    private static func refusal(
        _ state: FlowState, _ key: PublicKeyBytes, _ employee: EmployeeSnapshot, _ tenant: TenantSnapshot,
        _ app: AppCaller, at time: Timestamp
    ) -> ServiceError? {
        guard tenant.state.linkedApps.contains(AppID(app.appId)) else { return ServiceError(.employeeInactive) }
        switch Employee.login(employee.state, key: key, flow: FlowID(state.id), time: time) {
        case .success: return nil
        case .notApproved: return ServiceError(.employeeNotApproved)
        case .authorizationPending, .keyRevoked, .tooManyWaitingKeys: return ServiceError(.authorizationNotPermitted)
        case .inactive, nil: return ServiceError(.employeeInactive)
        }
    }
}
