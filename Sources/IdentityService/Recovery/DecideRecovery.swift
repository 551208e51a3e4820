import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Ledger
package import TenureAPI

/// Opens, confirms or cancels a recovery. The key of the caller's session always signs.
package struct DecideRecovery: CallerUseCase {
    /// The three decisions.
    package enum Action: String, Sendable {
        /// Permit one device key to set new credentials, once somebody else confirms.
        case open
        case confirm
        /// Cancel the recovery before credentials are set.
        case cancel
    }
    package let action: Action
    package let company: String
    package let companyEmployeeId: String
    /// The new device key's fingerprint, lower-case hex.
    package let fingerprint: String
    /// A reason code `[a-z0-9_.-]{1,64}`; needed to cancel.
    package let reason: String?
    /// The statement and the signature over it.
    package let signed: StatementSignature?
    package let caller: EmployeeCaller

    package init(
        _ action: Action, company: String, companyEmployeeId: String, fingerprint: String, reason: String? = nil,
        signed: StatementSignature? = nil, caller: EmployeeCaller
    ) {
        self.action = action
        self.company = company
        self.companyEmployeeId = companyEmployeeId
        self.fingerprint = fingerprint
        self.reason = reason
        self.signed = signed
        self.caller = caller
    }

    package func run(_ run: UseCaseRun<DecisionResponse>) async throws -> DecisionResponse {
        let usual: String? =
            switch action {
            case .open: "opened"
            case .confirm: "confirmed"
            case .cancel: nil
            }
        let reason = try reasonCode(usual ?? self.reason ?? ""), context = run.context, time = run.call.time
        // No key has a malformed fingerprint.
        guard let fingerprint = KeyFingerprint(hex: fingerprint.lowercased()) else {
            throw ServiceError(.recoveryUnknown)
        }
        return try await run.decide(signed) {
            let scene = try await RecoveryScene(self, fingerprint, context), employee = scene.employee
            if action != .cancel { try scene.requireRecoverable() }
            let summary = try await context.summary(of: employee, in: scene.access.tenant)
            return SignedDecision(
                access: scene.access, decide: { try decide(scene, reason, $0, time, context) },
                statement: { facts in
                    try facts.recovery(
                        action.statement, of: scene.user.id, employee.id, on: fingerprint,
                        follows: try scene.follows(action),
                        seconds: action == .open ? seconds(scene, time, context) : nil, reason: reason.text)
                },
                holding: { .done(summary, position: nil) },
                record: { recorder, events, _ in
                    recorder.expectations[.employee(employee.id, in: scene.access.tenant.id)] = employee.version
                    recorder.statements.append(scene.stillSo)
                    try recorder.add(events, of: scene.user, about: scene.account.target)
                    if action == .open,
                        let mail = try await context.notice(
                            .recoveryOpened, about: employee, in: scene.access.tenant.id,
                            from: recorder.call.sourceAddress, at: time)
                    {
                        try recorder.queue(mail)
                    }
                    return try await recorder.append(summary)
                })
        }
    }

    private func decide(
        _ scene: RecoveryScene, _ reason: ReasonCode, _ decision: AuthorityDecision, _ time: Timestamp,
        _ context: ServiceContext
    ) throws(ServiceError) -> [UserEvent] {
        let command: User.Command
        switch action {
        case .open:
            command = .openRecovery(scene.opening(by: decision, delay: delay(scene, time, context), at: time))
        case .confirm:
            guard let opened = Bytes32(try scene.follows(action)) else { throw ServiceError(.recoveryUnknown) }
            command = .confirmRecovery(
                User.ConfirmRecovery(account: scene.account, opened: opened, decision: decision, time: time))
        case .cancel:
            command = .cancelRecovery(
                User.CancelRecovery(account: scene.account, reason: reason, decision: decision, time: time))
        }
        return try User.decided(scene.user.state, command)
    }

    private func delay(_ scene: RecoveryScene, _ time: Timestamp, _ context: ServiceContext) -> Duration {
        context.recoveryDelay(of: scene.access.tenant, at: time)
    }

    /// The lifetime of the recovery about to be opened: its waiting time and 72 hours more.
    private func seconds(_ scene: RecoveryScene, _ time: Timestamp, _ context: ServiceContext) -> Int64 {
        let wait = User.OpenRecovery.wait(delay(scene, time, context), soleAdmin: scene.isSoleAdmin)
        return (wait + User.recoveryLifetime).components.seconds
    }
}

extension DecideRecovery.Action {
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
        recorder.ledgers.insert(.directory(of: user.id))
        for event in events {
            guard let copy = RecoveryCopy(of: event, after: user.state) else { continue }
            try add(event.payload, to: .user(user.id), version: user.version, keys: [:])
            try add(
                event.payload, to: .recovery(copy.recovery, in: copy.tenant), version: copy.version, keys: [:])
            switch event {
            case .recoveryOpened(let opened):
                recorder.statements.append(
                    RecoveryWaitingList.opening(target, until: opened.expiresAt, at: call.time, context.ring))
            case .recoveryCancelled: recorder.statements.append(RecoveryWaitingList.deletion(target))
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
