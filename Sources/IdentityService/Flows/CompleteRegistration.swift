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
        case existingUser(FlowProof, AttemptBudget)
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
        var recorder = FlowRecorder(context: context, row: row, app: app, call: call, ticket: ticket)
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
        try found(&recorder, tenant, app, by: employeeId)
        try await add(person, to: &recorder, employeeId, key)
        let folded = Employee.fold(events.enumerated().map { index, event in
            Recorded(event, id: UUID(), time: call.time, position: 1, version: index + 1)
        })
        let decision = Employee.registration(folded, key: try state.deviceKey)
        let role: EmployeeRole = tenant.exists ? .employee : .securityAdmin
        let summary = EmployeeSummary(
            companyName: tenant.state.companyName ?? state.companyName, companyEmployeeId: state.companyEmployeeId,
            status: folded.account?.status.rawValue ?? "", role: role.rawValue)
        return Registered(
            outcome: try await append(&recorder, decision, summary, employeeId), employee: employeeId,
            mayCountersign: tenant.exists && tenant.state.policy.keyAuthorization == .automatic
                && app.roles.contains(.authorization))
    }

    private func decide(
        _ state: FlowState, isFounding: Bool, _ policy: TenantPolicy
    ) throws -> [EmployeeEvent] {
        let register = Employee.Register(
            employeeID: EmployeeID(state.employeeId), userID: UserID(state.userId),
            companyName: try CompanyName(state.companyName),
            companyEmployeeID: try CompanyEmployeeID(state.companyEmployeeId),
            email: try EmailAddress(state.email ?? ""), isCompanyOwnedEmail: state.isCompanyOwnedEmail,
            isFounding: isFounding, policy: policy, key: try state.deviceKey, flow: FlowID(state.id))
        return try decided { () throws(Employee.Rejection) in
            try Employee.decide(Employee.initial, .register(register))
        }
    }

    /// The founder's registration is the first event of the ledger, and links the app through which it came.
    private func found(
        _ recorder: inout FlowRecorder, _ tenant: TenantSnapshot, _ app: AppCaller, by employee: EmployeeID
    ) throws {
        let stream = StreamID.tenant(tenant.id)
        guard !tenant.exists else {
            recorder.expectations[stream] = tenant.version
            return
        }
        for event in try decided({ () throws(Tenant.Rejection) in
            try Tenant.decide(tenant.state, .found(AppID(app.appId)))
        }) {
            try recorder.add(event.payload, to: stream, version: 0, keys: [:], about: nil, by: employee)
        }
        recorder.claims.append(
            Claim(
                key: context.ring.companyClaim(try CompanyName(recorder.row.state.companyName)), owner: tenant.id.uuid))
    }

    private func add(
        _ person: Person, to recorder: inout FlowRecorder, _ employee: EmployeeID, _ employeeKey: PersonKey
    ) async throws {
        let state = recorder.row.state
        let user = UserID(state.userId)
        let ledger = LedgerID.directory(of: user)
        switch person {
        case .newUser(let new):
            let email = try EmailAddress(state.email ?? "")
            let (key, insertion) = try await context.personKeys.create(id: user.uuid, ledger: ledger.uuid)
            let event = try new.event(state, email: email.entered, key: key)
            try recorder.add(
                event, to: .user(user), version: 0, keys: [user.uuid: key], about: user.uuid, by: employee)
            guard let seed = SecretKey(bytes: new.seed.bytes) else { throw ServiceError(.serviceUnavailable) }
            recorder.statements.append(insertion)
            recorder.statements.append(
                try await context.seeds.insertion(
                    of: CredentialSeeds(answers: seed, passphrase: nil), credentialId: state.credentialId,
                    ledger: ledger.uuid))
            recorder.claims.append(Claim(key: context.ring.emailClaim(email), owner: user.uuid))
        case .existingUser(let proof, let budget):
            try recorder.add(
                try proof.event(of: state, employee: employee), to: .flow(state.id, in: recorder.tenant), version: 0,
                keys: [employee.uuid: employeeKey], about: employee.uuid, by: employee)
            try recorder.refund(budget, by: employee)
            // A reclaimed address, or replaced credentials, must not register any more.
            let snapshot = try await StateLoader(reader: context.reader).user(user)
            guard snapshot.state.holdsEmail, snapshot.state.credentials?.id.uuid == state.credentialId else {
                throw ServiceError(.requestStale)
            }
            recorder.expectations[.user(user)] = snapshot.version
        }
    }

    private func append(
        _ recorder: inout FlowRecorder, _ decision: Employee.Outcome?, _ summary: EmployeeSummary,
        _ employee: EmployeeID
    ) async throws -> FlowOutcome {
        let tenant = recorder.tenant
        let state = recorder.row.state
        guard case .success = decision else {
            let fingerprint = try state.fingerprint.description
            return try await recorder.append { appended in
                .authorizationPending(
                    employeePublicKey: state.employeePublicKey, fingerprint: fingerprint,
                    position: appended.last[LedgerID(tenant.uuid)])
            }
        }
        let session = OpenedSession(
            employee: employee, tenant: tenant, fingerprint: try state.fingerprint, at: recorder.call.time, context)
        try recorder.add(
            session.event, to: .session(session.id, in: tenant), version: 0, keys: [:], about: nil, by: employee)
        recorder.statements.append(session.insertion)
        return try await recorder.append { appended in
            .success(session.tokens, summary, position: appended.last[LedgerID(tenant.uuid)])
        }
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
