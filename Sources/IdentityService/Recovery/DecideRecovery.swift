import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// Opens, confirms or cancels a recovery. The key of the caller's session always signs.
struct DecideRecovery: Sendable {
    let context: ServiceContext

    func run(
        _ input: RecoveryDecisionInput, caller: EmployeeCaller, call: Call, ticket: IdempotencyTicket?
    ) async throws -> Decision {
        let reason = try reason(input)
        // No key has a malformed fingerprint.
        guard let fingerprint = KeyFingerprint(hex: input.fingerprint.lowercased()) else {
            throw ServiceError(.recoveryUnknown)
        }
        return try await optimistic {
            let scene = try await RecoveryScene(input, fingerprint, caller: caller, context)
            if input.action != .cancel { try scene.requireRecoverable() }
            let summary = try await context.summary(of: scene.employee, in: scene.access.tenant)
            // Refusals, and decisions that already hold, are reported before the caller is asked to sign.
            guard !(try decide(input.action, scene, reason, nil, call.time)).isEmpty else {
                return .done(summary, position: nil)
            }
            let signing = StatementExchange(context: context, access: scene.access)
            let statement = RecoveryStatement(
                context: try await signing.statementContext(at: call.time), action: input.action.statement,
                user: scene.user.id.uuid, employee: scene.employee.id.uuid, keyHash: fingerprint.bytes,
                followsHash: try scene.follows(input.action),
                seconds: input.action == .open ? seconds(scene, call.time) : nil, reason: reason.text)
            guard let signed = input.signed else { return .signatureRequired(statement: statement.bytes) }
            let verified = try await signing.verify(signed, is: statement, at: call.time)
            let events = try decide(input.action, scene, reason, verified, call.time)
            return try await append(events, scene, summary, call, ticket)
        }
    }

    private func reason(_ input: RecoveryDecisionInput) throws(ServiceError) -> ReasonCode {
        let usual: String? =
            switch input.action {
            case .open: "opened"
            case .confirm: "confirmed"
            case .cancel: nil
            }
        guard let reason = ReasonCode(usual ?? input.reason ?? "") else {
            throw ServiceError(
                .requestInvalid,
                members: [
                    .init(
                        pointer: "/reason",
                        detail: "1 to 64 characters of a-z, 0-9, point, underscore and hyphen are expected")
                ])
        }
        return reason
    }

    private func decide(
        _ action: RecoveryDecisionInput.Action, _ scene: RecoveryScene, _ reason: ReasonCode,
        _ statement: SignedStatement?, _ time: Timestamp
    ) throws(ServiceError) -> [UserEvent] {
        let decision = AuthorityDecision(caller: scene.access.decider, signer: scene.signer, statement: statement)
        let command: User.Command
        switch action {
        case .open:
            command = .openRecovery(scene.opening(by: decision, delay: delay(scene, time), at: time))
        case .confirm:
            guard let opened = Bytes32(try scene.follows(action)) else { throw ServiceError(.recoveryUnknown) }
            command = .confirmRecovery(
                User.ConfirmRecovery(account: scene.account, opened: opened, decision: decision, time: time))
        case .cancel:
            command = .cancelRecovery(
                User.CancelRecovery(account: scene.account, reason: reason, decision: decision, time: time))
        }
        return try decided { () throws(User.Rejection) in try User.decide(scene.user.state, command) }
    }

    private func delay(_ scene: RecoveryScene, _ time: Timestamp) -> Duration {
        context.recoveryDelay(of: scene.access.tenant, at: time)
    }

    /// The lifetime of the recovery about to be opened: its waiting time and 72 hours more.
    private func seconds(_ scene: RecoveryScene, _ time: Timestamp) -> Int64 {
        let wait = User.OpenRecovery.wait(delay(scene, time), soleAdmin: scene.isSoleAdmin)
        return (wait + User.recoveryLifetime).components.seconds
    }

    private func append(
        _ events: [UserEvent], _ scene: RecoveryScene, _ summary: EmployeeSummary, _ call: Call,
        _ ticket: IdempotencyTicket?
    ) async throws -> Decision {
        var recorder = DecisionRecorder(context: context, access: scene.access, call: call, ticket: ticket)
        recorder.expectations[.employee(scene.employee.id, in: scene.access.tenant.id)] = scene.employee.version
        recorder.statements.append(scene.stillSo)
        try recorder.add(events, of: scene.user, about: scene.account.target)
        return try await recorder.append(summary)
    }
}

extension RecoveryDecisionInput.Action {
    /// The action as statements name it.
    var statement: RecoveryStatement.Action {
        switch self {
        case .open: .open
        case .confirm: .confirm
        case .cancel: .cancel
        }
    }
}

extension DecisionRecorder {
    /// Adds a decision about a recovery twice in one append. One copy is in the user's directory, where the new record
    /// names it. The other is in the tenant's ledger, where its readers see it and the signers' authority can be
    /// verified.
    mutating func add(_ events: [UserEvent], of user: UserSnapshot, about target: User.RecoveryTarget) throws {
        ledgers.insert(.directory(of: user.id))
        for event in events {
            guard let copy = RecoveryCopy(of: event, after: user.state) else { continue }
            try add(event.payload, to: .user(user.id), version: user.version, keys: [:])
            try add(
                event.payload, to: .recovery(copy.recovery, in: copy.tenant), version: copy.version, keys: [:])
            switch event {
            case .recoveryOpened(let opened):
                statements.append(RecoveryWaitingList.opening(target, until: opened.expiresAt, at: call.time))
            case .recoveryCancelled: statements.append(RecoveryWaitingList.deletion(target))
            default: break
            }
        }
    }
}

/// The place of a recovery event's second copy in a tenant's ledger.
struct RecoveryCopy: Sendable {
    let recovery: RecoveryID
    let tenant: TenantID
    /// The stream's version before the event.
    let version: Int

    /// The place for an event about a recovery; `nil` for other events.
    init?(of event: UserEvent, after state: User.State) {
        switch event {
        case .recoveryOpened(let event): (recovery, tenant, version) = (event.recoveryID, event.tenant, 0)
        case .recoveryConfirmed(let event):
            (recovery, tenant) = (event.recoveryID, event.tenant)
            version = state.recovery?.version ?? 1
        case .recoveryCancelled(let event):
            (recovery, tenant) = (event.recoveryID, event.tenant)
            version = state.recovery?.version ?? 1
        default: return nil
        }
    }
}
