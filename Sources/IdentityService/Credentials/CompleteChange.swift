import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Logging
import Postgres
import TenureAPI

/// Completes a change of credentials in one append: the new record, the end of the old seed and of all the user's
/// sessions, and a new session for the device.
///
/// It guards the user's stream, which log-ins and registrations of that user guard too. Of two changes one wins, and no
/// log-in with the old credentials starts a session after the change.
struct CompleteChange: Sendable {
    let context: ServiceContext

    /// - Parameter proof: That of the old secret; `nil` if a passkey set the first one.
    func run(
        _ row: FlowStore.Row, _ new: ReplacementCredentials, proof: FlowProof?, app: AppCaller,
        _ run: UseCaseRun<FlowOutcomeResponse>
    ) async throws -> FlowOutcomeResponse {
        let state = row.state
        let tenantId = TenantID(state.tenantId), employeeId = EmployeeID(state.employeeId), user = UserID(state.userId)
        let pending = PendingRekeying(state.credentialId, of: user, context.ring)
        let outcome = try await optimistic {
            let loader = StateLoader(reader: context.reader)
            let employee = try await loader.employee(employeeId, in: tenantId)
            let tenant = try await loader.tenant(tenantId)
            let snapshot = try await loader.user(user)
            var recorder = FlowRecorder(row: row, app: app, run)
            if let refusal = try await denial(
                state, employee, tenant, isFirst: proof == nil, guardedBy: &recorder)
            {
                throw refusal
            }
            let ledger = LedgerID.directory(of: user)
            let keys = try await context.personKeys.load([employeeId.uuid], ledger: tenantId.uuid)
            guard let userKey = try await context.personKeys.load([user.uuid], ledger: ledger.uuid)[user.uuid] else {
                throw ServiceError(.employeeInactive)
            }
            recorder.expectations[.employee(employeeId, in: tenantId)] = employee.version
            recorder.expectations[.tenant(tenantId)] = tenant.version
            if let proof {
                try recorder.add(
                    try proof.event(of: state, employee: employeeId), to: .flow(state.id, in: tenantId), version: 0,
                    keys: keys, about: employeeId.uuid, by: employeeId)
                try recorder.refund(by: employeeId)
            } else if snapshot.state.openRecovery(at: run.call.time) != nil {
                // No secret was proved that would cancel it.
                throw ServiceError(.recoveryInProgress)
            }
            let isStopped = try await recorder.notePasskey(
                try state.deviceKey, SignatureBytes(new.proved.signature), of: employee, in: tenant,
                from: run.call.sourceAddress, signedBefore: new.proved.expires)
            guard !isStopped else { throw try await recorder.refuse(with: ServiceError(.passkeyStopped)) }
            let event = try new.event(state, key: userKey)
            let events = try User.decided(snapshot.state, .changeCredentials(event))
            recorder.claims.append(pending.taking)
            // Before the change, which would end the recovery without telling the tenant that decided about it.
            let notices =
                proof == nil
                ? []
                : try await recorder.endOthers(of: snapshot, by: employee, in: tenant, replacesCredentials: true)
            try await recorder.replaceCredentials(events, with: new, of: snapshot, key: userKey, by: employeeId)
            try await recorder.tellOwner(employee, in: tenantId)
            return try await recorder.openSession(
                employee, in: tenant,
                by: proof.map { .credential($0.kind) } ?? .passkey(isSynced: state.passkey?.isBackupEligible == true),
                try await context.summary(of: employee, in: tenant), notices)
        }
        // The change is committed. Whatever fails or is interrupted here is done by the next sweep.
        await RekeyBuckets(context: context).run([pending])
        return outcome
    }

    /// Refuses a device that is not authorized, and an employee who may not log in. As with a log-in, the valid proof
    /// is recorded and the flow ends.
    ///
    /// - Throws: The refusal.
    func requirePermitted(
        _ row: FlowStore.Row, proof: FlowProof, app: AppCaller, _ run: UseCaseRun<FlowOutcomeResponse>
    ) async throws {
        let state = row.state
        let tenantId = TenantID(state.tenantId), employeeId = EmployeeID(state.employeeId)
        let refusal: ServiceError? = try await optimistic {
            let loader = StateLoader(reader: context.reader)
            let employee = try await loader.employee(employeeId, in: tenantId)
            let tenant = try await loader.tenant(tenantId)
            var recorder = FlowRecorder(row: row, app: app, run)
            guard
                let refusal = try await denial(state, employee, tenant, isFirst: false, guardedBy: &recorder)
            else {
                return nil
            }
            let keys = try await context.personKeys.load([employeeId.uuid], ledger: tenantId.uuid)
            guard keys[employeeId.uuid] != nil else { return refusal }
            try recorder.add(
                try proof.event(of: state, employee: employeeId), to: .flow(state.id, in: tenantId), version: 0,
                keys: keys, about: employeeId.uuid, by: employeeId)
            try recorder.refund(by: employeeId)
            // The proof is as good as a log-in's, and cancels the same recoveries.
            var told = refusal
            let user = try await loader.user(UserID(state.userId))
            told.notices = try await recorder.endOthers(of: user, by: employee, in: tenant).filter(\.isCancellation)
            return try await recorder.refuse(with: told)
        }
        if let refusal { throw refusal }
    }

    /// Why the device may not change the credentials, or `nil`.
    ///
    /// The credentials belong to all accounts of the user, so all of them are asked; the append then guards their streams.
    ///
    /// - Parameter isFirst: Whether a passkey sets the first secret. With it a synced one carries the role of an admin.
    private func denial(
        _ state: FlowState, _ employee: EmployeeSnapshot, _ tenant: TenantSnapshot, isFirst: Bool,
        guardedBy recorder: inout FlowRecorder
    ) async throws -> ServiceError? {
        let key = try state.deviceKey, app = recorder.app, time = recorder.call.time
        guard tenant.state.links(AppID(app.appId), as: .access) else { return ServiceError(.employeeInactive) }
        let rule = tenant.state.policy.logIn
        switch Employee.login(
            employee.state, key: key, flow: FlowID(state.id), time: time, passkey: state.passkey, under: rule)
        {
        case .success: break
        case .notApproved: return ServiceError(.employeeNotApproved)
        case .authorizationPending: return ServiceError(Denial.keyPending)
        case .keyRevoked: return ServiceError(Denial.keyEnded)
        case .tooManyWaitingKeys: return ServiceError(Denial.tooManyPendingKeys)
        case .passkeyRequired: return ServiceError(.employeePasskeyRequired)
        case .inactive, nil: return ServiceError(.employeeInactive)
        }
        let loader = StateLoader(reader: context.reader)
        var others: [User.TenantAccount] = []
        for account in try await context.accounts(of: UserID(state.userId)) where account.employee != employee.id {
            let other = try await loader.employee(account.employee, in: account.tenant)
            let company = try await loader.tenant(account.tenant)
            others.append(User.TenantAccount(employee: other.state, tenant: company.state))
            recorder.expectations[.employee(other.id, in: account.tenant)] = other.version
            recorder.expectations[.tenant(account.tenant)] = company.version
        }
        let own = User.TenantAccount(employee: employee.state, tenant: tenant.state)
        let isPermitted =
            User.mayReplaceCredentials(key, of: own, others: others)
            && (!isFirst || state.passkey?.isBackupEligible != true
                || User.maySetFirstSecret(bySynced: [own] + others, at: time))
        return isPermitted ? nil : ServiceError(Denial.keyWithoutWeight)
    }
}

/// New credentials that are to replace others, before the append.
struct ReplacementCredentials: Sendable {
    let record: CredentialsRecord
    let questions: [QuestionText]
    let seed: OPRFSeed
    let proved: FlowState.ProvedKey
    let userSignature: Signature

    var credentialId: UUID { record.sealed.context.credentialId }

    /// The event, with the question texts encrypted under the user's key.
    func event(_ state: FlowState, key: PersonKey) throws -> CredentialsChanged {
        let texts = try zip(record.sealed.context.questionIds, questions).map { id, question in
            try key.seal(
                bytes: question.plaintext, authenticating: ChallengedCredential.questionPlace(credentialId, id))
        }
        guard let device = SignatureBytes(proved.signature), let own = SignatureBytes(userSignature.bytes) else {
            throw ServiceError(.flowWrongStep)
        }
        return CredentialsChanged(
            userID: UserID(state.userId), credentialID: CredentialID(credentialId),
            previousCredentialID: CredentialID(state.credentialId),
            record: try StoredCredentials(record: record, encryptedTexts: texts).bytes, challenge: proved.challenge,
            deviceSignature: device, userSignature: own)
    }
}

extension FlowRecorder {
    /// Tells the owner by mail that the credentials were replaced.
    mutating func tellOwner(_ employee: EmployeeSnapshot, in tenant: TenantID) async throws {
        let address = call.sourceAddress, time = call.time
        let mail = try await context.notice(.credentialsChanged, about: employee, in: tenant, from: address, at: time)
        if let mail { try queue(mail) }
    }
}

/// Replaces credentials, by whatever authority: the new record, the end of the old seed and of all the user's sessions.
extension FlowRecorder {
    /// Adds the events, the exchange of seeds and the end of sessions in every tenant.
    mutating func replaceCredentials(
        _ events: [UserEvent], with new: ReplacementCredentials, of user: UserSnapshot, key: PersonKey,
        by employee: EmployeeID
    ) async throws {
        let ledger = LedgerID.directory(of: user.id)
        guard let seed = SecretKey(bytes: new.seed.bytes) else { throw ProgramDefect("a seed has another length") }
        try add(
            events, to: .user(user.id), version: user.version, keys: [user.id.uuid: key], about: user.id.uuid,
            by: employee)
        recorder.statements.append(context.seeds.deletion(credentialId: row.state.credentialId, ledger: ledger.uuid))
        recorder.statements.append(
            try await context.seeds.insertion(
                of: CredentialSeeds(answers: seed, passphrase: nil), credentialId: new.credentialId,
                ledger: ledger.uuid))
        let accounts = try await context.accounts(of: user.id)
        recorder.statements.append(context.stillAccounts(accounts.count, of: user.id))
        for account in accounts {
            recorder.ledgers.insert(LedgerID(account.tenant.uuid))
            recorder.statements.append(NewSession.deletion(employee: account.employee, tenant: account.tenant))
        }
    }

    /// Appends with a new session for the flow's device, whose key is in force.
    mutating func openSession(
        _ employee: EmployeeSnapshot, in snapshot: TenantSnapshot, by methods: AuthenticationMethods,
        _ summary: EmployeeSummaryResponse, _ notices: [NoticeResponse] = []
    ) async throws -> FlowOutcomeResponse {
        let tenant = tenant
        let session = try await NewSession(
            of: employee, in: snapshot, fingerprint: try row.state.fingerprint, by: methods, app: app, call, context)
        // All other sessions end with the old credentials.
        try await open(session, by: employee.id, keepsGrants: false)
        var tokens = session.tokens
        tokens.notices = notices
        return try await append { [tokens] appended in
            .success(tokens, summary, position: appended.last[LedgerID(tenant.uuid)])
        }
    }
}
