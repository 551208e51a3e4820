import Canonical
import Credentials
import FoundationEssentials
import Identity
import Keys
import Ledger
import Logging

/// Ends a registration: employee, first key, and for a new user the credentials, all or nothing.
///
/// Who is first in a company founds it. Two at once expect the same empty stream, so one append wins and the other
/// decides again as an ordinary employee.
struct CompleteRegistration: Sendable {
    /// How the person behind the registration was established.
    enum Person: Sendable {
        /// A new user with new credentials.
        case newUser(NewUserCredentials)
        /// A known user after a right challenge.
        case existingUser(FlowProof)
    }
    let context: ServiceContext

    func run(
        _ row: FlowStore.Row, _ person: Person, app: AppCaller, call: Call, ticket: IdempotencyTicket?
    ) async throws -> FlowOutcome {
        do {
            let registered = try await optimistic {
                try await register(row, person, app: app, call: call, ticket: ticket)
            }
            guard registered.mayCountersign else { return registered.outcome }
            return await countersigned(registered, row, app, call, ticket)
        } catch let error as LedgerError where error.code == .claimTaken {
            // Which claim was found taken first says little: two flows of one person race for all of them.
            let state = row.state
            let subject = try await context.subject(company: state.companyName, employee: state.companyEmployeeId)
            guard subject.employee == nil else { throw ServiceError(.employeeAlreadyRegistered) }
            // The address, or the company, went to somebody else meanwhile: a new start sees that.
            throw ServiceError(.requestStale)
        }
    }

    private struct Registered: Sendable {
        var outcome: FlowOutcome
        var employee: EmployeeID
        var mayCountersign: Bool
    }

    private func register(
        _ row: FlowStore.Row, _ person: Person, app: AppCaller, call: Call, ticket: IdempotencyTicket?
    ) async throws -> Registered {
        let state = row.state
        let tenantId = TenantID(state.tenantId), employeeId = EmployeeID(state.employeeId)
        let tenant = try await StateLoader(reader: context.reader).tenant(tenantId)
        guard !tenant.exists || tenant.state.linkedApps.contains(AppID(app.appId)) else {
            throw ServiceError(.appNotLinked)
        }
        let mayCountersign =
            tenant.exists && tenant.state.policy.keyAuthorization == .automatic && app.roles.contains(.authorization)
        var recorder = FlowRecorder(context: context, row: row, app: app, call: call, ticket: ticket)
        recorder.isProvisional = mayCountersign
        let (key, insertion) = try await context.personKeys.create(id: employeeId.uuid, ledger: tenantId.uuid)
        recorder.statements.append(insertion)
        let events = try decide(state, isFounding: !tenant.exists, tenant.state.policy)
        for event in events {
            try recorder.add(
                event.payload, to: .employee(employeeId, in: tenantId), version: 0, keys: [employeeId.uuid: key],
                about: employeeId.uuid, by: employeeId)
        }
        recorder.claims.append(
            Claim(
                key: context.ring.employeeClaim(try CompanyEmployeeID(state.companyEmployeeId), in: tenantId),
                owner: employeeId.uuid))
        recorder.claims.append(context.ring.memberClaim(employeeId, of: UserID(state.userId), in: tenantId))
        recorder.claims.append(context.ring.accountClaim(employeeId, of: UserID(state.userId), in: tenantId))
        try found(&recorder, tenant, app, by: employeeId)
        try await add(person, to: &recorder, employeeId, key)
        let folded = Employee.fold(
            events.enumerated().map { index, event in
                Recorded(event, id: UUID(), time: call.time, position: 1, version: index + 1)
            })
        let decision = Employee.registration(folded, key: try state.deviceKey)
        let role: EmployeeRole = tenant.exists ? .employee : .securityAdmin
        let summary = EmployeeSummary(
            companyName: tenant.state.companyName ?? state.companyName, companyEmployeeId: state.companyEmployeeId,
            status: folded.account?.status.rawValue ?? "", role: role.rawValue)
        return Registered(
            outcome: try await append(&recorder, decision, summary, employeeId), employee: employeeId,
            mayCountersign: mayCountersign)
    }

    /// Under the policy `automatic` the app that registers countersigns the first key at once.
    ///
    /// A second append, because the statement names the hash of the entry that presents the key. When it does not
    /// come to pass the key simply waits, which is a right outcome too.
    private func countersigned(
        _ registered: Registered, _ row: FlowStore.Row, _ app: AppCaller, _ call: Call, _ ticket: IdempotencyTicket?
    ) async -> FlowOutcome {
        do {
            return try await CountersignFirstKey(context: context).run(
                row.state, employee: registered.employee, app: app, call: call, ticket: ticket)
        } catch {
            context.logger.warning("a first key was not countersigned", metadata: ["requestId": "\(call.requestId)"])
            return registered.outcome
        }
    }
}
