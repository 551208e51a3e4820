import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger

/// Opens, confirms or cancels a recovery; always signed, by the key of the caller's session.
///
/// The events are written twice in one append: in the user's directory, where the new record names them, and in the
/// company's ledger, where everybody who may read it sees them and the authority of the signers can be followed.
struct DecideRecovery: Sendable {
    let context: ServiceContext

    func run(
        _ input: RecoveryDecisionInput, caller: EmployeeCaller, call: Call, ticket: IdempotencyTicket?
    ) async throws -> Decision {
        let reason = try reason(input)
        // No key has any other fingerprint.
        guard let fingerprint = Fingerprint(hex: input.fingerprint.lowercased()) else {
            throw ServiceError(.recoveryUnknown)
        }
        return try await optimistic {
            let scene = try await RecoveryScene(input, fingerprint, caller: caller, context)
            if input.action != .cancel { try scene.requireRecoverable() }
            let summary = try await context.summary(of: scene.employee, in: scene.access.tenant)
            // What is refused or done already is told before anybody is asked to sign.
            guard !(try decide(input.action, scene, reason, nil, call.time)).isEmpty else {
                return .done(summary, position: nil)
            }
            let signing = StatementSigning(context: context, access: scene.access)
            let statement = RecoveryStatement(
                context: try await signing.statementContext(at: call.time), action: input.action.statement,
                user: scene.user.id.uuid, employee: scene.employee.id.uuid, keyHash: fingerprint.bytes,
                followsHash: try scene.follows(input.action),
                seconds: input.action == .open ? User.recoveryLifetime.components.seconds : nil, reason: reason.text)
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
                members: [.init(pointer: "/reason", detail: "1 to 64 of a-z, 0-9, point, underscore, hyphen")])
        }
        return reason
    }

    private func decide(
        _ action: RecoveryDecisionInput.Action, _ scene: RecoveryScene, _ reason: ReasonCode,
        _ statement: Identity.SignedStatement?, _ time: Timestamp
    ) throws(ServiceError) -> [UserEvent] {
        let decision = User.RecoveryDecision(caller: scene.decider, signer: scene.signer, statement: statement)
        let command: User.Command
        switch action {
        case .open:
            command = .openRecovery(
                User.OpenRecovery(
                    id: RecoveryID(UUID()), target: scene.target, decision: decision, reach: scene.reach, time: time))
        case .confirm:
            guard let opened = Bytes32(try scene.follows(action)) else { throw ServiceError(.recoveryUnknown) }
            command = .confirmRecovery(
                User.ConfirmRecovery(
                    target: scene.target, opened: opened, decision: decision, reach: scene.reach, time: time))
        case .cancel:
            command = .cancelRecovery(
                User.CancelRecovery(target: scene.target, reason: reason, decision: decision, time: time))
        }
        return try decided { () throws(User.Rejection) in try User.decide(scene.user.state, command) }
    }

    private func append(
        _ events: [UserEvent], _ scene: RecoveryScene, _ summary: EmployeeSummary, _ call: Call,
        _ ticket: IdempotencyTicket?
    ) async throws -> Decision {
        let tenant = scene.access.tenant.id, target = scene.target
        var recorder = DecisionRecorder(context: context, access: scene.access, call: call, ticket: ticket)
        recorder.expectations[.employee(scene.employee.id, in: tenant)] = scene.employee.version
        recorder.statements.append(scene.stillSo)
        recorder.ledgers = [.directory(of: scene.user.id)]
        for event in events {
            guard let copy = RecoveryCopy(of: event, after: scene.user.state) else { continue }
            try recorder.add(
                event.payload, to: .user(scene.user.id), version: scene.user.version, keys: [:])
            try recorder.add(
                event.payload, to: .recovery(copy.recovery, in: copy.tenant), version: copy.version, keys: [:])
            switch event {
            case .recoveryOpened(let opened):
                recorder.statements.append(
                    RecoveryRequests.opening(target, until: opened.expiresAt, at: call.time))
            case .recoveryCancelled: recorder.statements.append(RecoveryRequests.deletion(target))
            default: break
            }
        }
        return try await recorder.append(summary)
    }
}

/// Where in a company's ledger an event about a recovery is written a second time.
struct RecoveryCopy: Sendable {
    let recovery: RecoveryID
    let tenant: TenantID
    /// The version that the stream has before.
    let version: Int

    /// Finds it; nil for other events.
    init?(of event: UserEvent, after state: User.State) {
        switch event {
        case .recoveryOpened(let event): (recovery, tenant, version) = (event.recoveryID, event.tenant, 0)
        case .recoveryConfirmed(let event): (recovery, tenant, version) = (event.recoveryID, event.tenant, 1)
        case .recoveryCancelled(let event):
            (recovery, tenant) = (event.recoveryID, event.tenant)
            version = state.recovery?.version ?? 1
        default: return nil
        }
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
