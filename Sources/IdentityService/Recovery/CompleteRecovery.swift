import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
package import TenureAPI

/// Completes a recovery in one append: the new record, the end of the old seed and of all the user's sessions, and the
/// presentation of the new device key.
///
/// It guards the user's stream, which log-ins, changes and decisions about the recovery guard or write too. Exactly one
/// of several racing appends commits first, and a recovery is used once. The new key is pending like any other, in this
/// and every other tenant: recovery alone grants no access. A key that was authorized before gets a session.
struct CompleteRecovery: Sendable {
    let context: ServiceContext

    func run(
        _ row: FlowStore.Row, _ new: ReplacementCredentials, _ recovery: ApprovedRecovery, app: AppCaller,
        _ run: UseCaseRun<FlowOutcomeResponse>
    ) async throws -> FlowOutcomeResponse {
        let state = row.state, time = run.call.time
        let tenantId = TenantID(state.tenantId), employeeId = EmployeeID(state.employeeId), user = UserID(state.userId)
        let pending = PendingRekeying(state.credentialId, of: user, context.ring)
        let outcome = try await optimistic {
            let loader = StateLoader(reader: context.reader)
            let employee = try await loader.employee(employeeId, in: tenantId)
            let tenant = try await loader.tenant(tenantId)
            let snapshot = try await loader.user(user)
            let entry = Employee.login(
                employee.state, key: try state.deviceKey, flow: FlowID(state.id), time: time,
                passkey: state.passkey)
            let presented = try presented(entry, tenant, app)
            let (reach, stillSo) = try await context.recoveryReach(of: snapshot, in: tenant)
            let keys = try await context.personKeys.load([employeeId.uuid], ledger: tenantId.uuid)
            let ledger = LedgerID.directory(of: user)
            guard let userKey = try await context.personKeys.load([user.uuid], ledger: ledger.uuid)[user.uuid] else {
                throw ServiceError(.employeeInactive)
            }
            let target = User.RecoveryTarget(
                tenant: tenantId, employee: employeeId, fingerprint: try state.fingerprint)
            let account = User.RecoveryAccount(
                target: target, state: employee.state,
                role: try await context.strongestRole(of: user, in: tenant), reach: reach)
            let command = User.RecoverCredentials(
                event: try new.event(state, key: userKey), account: account,
                approvals: snapshot.positions(of: [recovery.opened, recovery.confirmed]),
                signers: User.RecoverySigners(of: snapshot.state.recovery, in: tenant.state), time: time)
            if let open = snapshot.state.openRecovery(at: time), open.isAbout(target), open.isApproved,
                !open.isAvailable(at: time, employee.state)
            {
                throw ServiceError.notAvailable(open, at: time)
            }
            let events = try User.decided(snapshot.state, .recoverCredentials(command))
            var recorder = FlowRecorder(row: row, app: app, run)
            recorder.expectations[.employee(employeeId, in: tenantId)] = employee.version
            recorder.expectations[.tenant(tenantId)] = tenant.version
            recorder.claims.append(pending.taking)
            recorder.notAfter = snapshot.state.openRecovery(at: time)?.expiresAt
            try await recorder.replaceCredentials(events, with: new, of: snapshot, key: userKey, by: employeeId)
            try await recorder.tellOwner(employee, in: tenantId)
            try recorder.add(
                recorder.named(presented, of: employee.state), to: .employee(employeeId, in: tenantId),
                version: employee.version, keys: keys, about: employeeId.uuid, by: employeeId)
            recorder.statements += [stillSo, RecoveryWaitingList.deletion(target)]
            if entry == .success,
                employee.state.mayOpenSession(on: try state.fingerprint, in: tenant.state, at: time)
            {
                return try await recorder.openSession(
                    employee, in: tenant, by: .device, try await context.summary(of: employee, in: tenant))
            }
            return try await waiting(recorder)
        }
        // The new credentials are committed. Whatever fails or is interrupted here is done by the next sweep.
        await RekeyBuckets(context: context).run([pending])
        return outcome
    }

    /// The events that present the key; none for a key that is pending or authorized.
    private func presented(
        _ entry: Employee.Outcome?, _ tenant: TenantSnapshot, _ app: AppCaller
    ) throws(ServiceError) -> [EmployeeEvent] {
        guard tenant.state.links(AppID(app.appId), as: .access) else { throw ServiceError(.employeeInactive) }
        switch entry {
        case .authorizationPending(let presenting): return presenting
        case .success, .passkeyRequired: return []
        case .notApproved: throw ServiceError(.employeeNotApproved)
        case .keyRevoked: throw ServiceError(Denial.keyEnded)
        case .tooManyWaitingKeys: throw ServiceError(Denial.tooManyPendingKeys)
        case .inactive, nil: throw ServiceError(.employeeInactive)
        }
    }

    private func waiting(_ recorder: FlowRecorder) async throws -> FlowOutcomeResponse {
        let tenant = recorder.tenant, key = recorder.row.state.employeePublicKey
        let fingerprint = try recorder.row.state.fingerprint.description
        return try await recorder.append { appended in
            .authorizationPending(
                employeePublicKey: key, fingerprint: fingerprint, position: appended.last[LedgerID(tenant.uuid)])
        }
    }
}

/// Sets new credentials by a recovery, in direct mode.
package struct RecoverCredentials: AppUseCase {
    package let credentials: CredentialsRequest
    package let flow: String
    package let app: AppCaller

    package init(_ credentials: CredentialsRequest, flow: String, app: AppCaller) {
        self.credentials = credentials
        self.flow = flow
        self.app = app
    }

    package func authorize() throws(ServiceError) { try app.require(.recovery) }

    /// Sets the credentials. A device key that was authorized before gets a session, any other is pending.
    package func run(_ run: UseCaseRun<FlowOutcomeResponse>) async throws -> FlowOutcomeResponse {
        let context = run.context
        let row = try await FlowStore(context: context).load(
            handle: flow, purpose: .recovery, app: app, at: run.call.time)
        guard row.state.step == .credentials, let proved = row.state.proved, let bytes = row.state.setUp?.seed,
            case .recovery(_, let recovery?) = row.state.purpose
        else { throw ServiceError(.flowWrongStep) }
        let tenant = try await StateLoader(reader: context.reader).tenant(TenantID(row.state.tenantId))
        guard tenant.state.policy.permits(.direct) else { throw ServiceError(.policyBlindOnly) }
        try credentials.requirePermitted(by: tenant.state.policy)
        let seed = try OPRFSeed(bytes: bytes), previous = try await context.previousCredentials(of: row.state)
        let questions = try credentials.chosenQuestions(app)
        let setUp = try accepted { () throws(CredentialsError) in
            try CredentialSetUp(
                plan: try SetUpPlan(
                    credentialId: recovery.credentialId, userId: row.state.userId, mode: .direct, seed: seed,
                    previous: previous, kdf: context.settings.scrypt),
                questions: questions, passphrase: credentials.passphrase,
                questionsWithPassphrase: credentials.questionsWithPassphrase)
        }
        return try await context.compute.admitted(AdmissionLane(row.state)) { admission in
            let made = try await admission.run { try setUp.complete(seed: seed, authority: recovery.authority) }
            let new = ReplacementCredentials(
                record: try made.record(
                    deviceSignature: nil, employeeKey: try EmployeePublicKey(bytes: row.state.employeePublicKey)),
                questions: made.questions, seed: seed, proved: proved,
                userSignature: try made.userKey.sign(validationOf: try Challenge(kept: proved.challenge)))
            return try await CompleteRecovery(context: context).run(row, new, recovery, app: app, run)
        }
    }
}

/// Sets new credentials by a recovery, in blind mode: accepts a record that a client made.
struct RecoverBlindCredentials: Sendable {
    let context: ServiceContext

    func run(
        _ row: FlowStore.Row, _ input: ProofRequest, app: AppCaller, _ run: UseCaseRun<FlowOutcomeResponse>
    ) async throws -> FlowOutcomeResponse {
        guard let proved = row.state.proved, let bytes = row.state.setUp?.seed,
            case .recovery(_, let recovery?) = row.state.purpose
        else {
            throw ServiceError(.flowWrongStep)
        }
        let seed = try OPRFSeed(bytes: bytes), previous = try await context.previousCredentials(of: row.state)
        let made = try await SetBlindCredentials(context: context).made(
            input, proved, row.state, app: app,
            plan: try SetUpPlan(
                credentialId: recovery.credentialId, userId: row.state.userId, mode: .blind, seed: seed,
                previous: previous, kdf: context.settings.scrypt))
        guard made.record.content.authority == .recovered(recovery.opened, recovery.confirmed) else {
            throw ServiceError(
                .requestInvalid, members: [.init(pointer: "/record", detail: "the record does not belong to this flow")]
            )
        }
        let new = ReplacementCredentials(
            record: made.record, questions: made.questions, seed: seed, proved: proved,
            userSignature: made.userSignature)
        return try await CompleteRecovery(context: context).run(row, new, recovery, app: app, run)
    }
}

extension EventRecorder {
    /// Ends an open recovery of this user after a log-in on a device key that may cancel: its owner has working
    /// credentials.
    ///
    /// The tenant that decided about the recovery may be another one than that of the log-in. Its ledger then gets only
    /// what that tenant may know, not the tenant, app and request that the user came through.
    ///
    /// - Returns: The notices for the user: that a recovery is cancelled, or is still open.
    mutating func endRecovery(
        of user: UserSnapshot, by employee: EmployeeSnapshot, on key: PublicKeyBytes, in tenant: TenantID,
        replacesCredentials: Bool
    ) async throws -> [NoticeResponse] {
        let end = User.EndRecovery(
            account: employee.state, key: key, replacesCredentials: replacesCredentials, time: time)
        let ends = try User.decided(user.state, .endRecovery(end))
        guard let recovery = user.state.recovery, !ends.isEmpty else {
            return try await context.notices(of: user, in: tenant, at: time)
        }
        for event in ends {
            guard let copy = RecoveryCopy(of: event, after: user.state) else { continue }
            try add(event.payload, to: .user(user.id), version: user.version, metadata: metadata(by: employee.id))
            let stream = StreamID.recovery(copy.recovery, in: copy.tenant)
            if copy.tenant == tenant {
                try add(event.payload, to: stream, version: copy.version, metadata: metadata(by: employee.id))
            } else {
                try add(event.payload, to: stream, version: copy.version, metadata: EventMetadata())
            }
            statements.append(RecoveryWaitingList.deletion(recovery.target))
        }
        return [try await context.cancellationNotice(recovery, in: tenant)]
    }
}
