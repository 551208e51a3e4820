import Canonical
import Credentials
import FoundationEssentials
import Identity
import Keys
import Ledger

/// The parts of the append that completes a registration.
extension CompleteRegistration {
    func decide(
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
    func found(
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

    func add(
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
        case .existingUser(let proof):
            try recorder.add(
                try proof.event(of: state, employee: employee), to: .flow(state.id, in: recorder.tenant), version: 0,
                keys: [employee.uuid: employeeKey], about: employee.uuid, by: employee)
            try recorder.refund(by: employee)
            // A reclaimed address, or replaced credentials, must not register any more.
            let snapshot = try await StateLoader(reader: context.reader).user(user)
            guard snapshot.state.holdsEmail, snapshot.state.credentials?.id.uuid == state.credentialId else {
                throw ServiceError(.requestStale)
            }
            recorder.expectations[.user(user)] = snapshot.version
        }
    }

    func append(
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
}
