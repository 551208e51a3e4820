import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import TenureAPI

/// Builds the append that ends the secret's step of a log-in by an address: what a log-in by company and id leaves at the
/// same point. The charge is refunded, the directory has the proof, and the owner is told of a device that is not theirs.
struct AddressProofRecorder: Sendable {
    let app: AppCaller
    let run: UseCaseRun<AddressProof>
    /// Whether an account that is offered has a verified address.
    private var isVerified = false
    /// Whether the device has a key in force of such an account. For the charge every device is unknown.
    private var isKnown = false

    init(app: AppCaller, run: UseCaseRun<AddressProof>) {
        self.app = app
        self.run = run
    }

    /// Notes an account that is offered.
    mutating func note(_ employee: Employee.State, device: PublicKeyBytes) {
        isVerified = isVerified || employee.account?.isEmailVerified == true
        isKnown = isKnown || employee.keys[device]?.status == .authorized
    }

    /// Appends the proof, advances the flow's row and stores the reply, all in one transaction.
    ///
    /// - Parameter row: The row with the state to store.
    /// - Throws: `flow.wrong_step` if another request took the step.
    func append(_ row: FlowStore.Row, _ outcome: Result<AddressProof, ServiceError>) async throws {
        let context = run.context, call = run.call, state = row.state, user = UserID(state.userId)
        guard let charge = state.charges.last else { throw ProgramDefect("a proof without a charge") }
        var recorder = EventRecorder(
            context, at: call.time, metadata: EventMetadata(app: app.appId, requestId: call.requestId))
        let keys = try await context.personKeys.load([user.uuid], ledger: LedgerID.directory(of: user).uuid)
        var metadata = recorder.metadata
        if keys[user.uuid] != nil {
            metadata.source = call.sourceAddress.map { Personal(owner: user.uuid, text: $0) }
        }
        try recorder.add(
            AddressProved(
                userID: user, credentialID: CredentialID(state.credentialId), flow: FlowID(state.id),
                device: isKnown ? .known : .unknown, fingerprint: try state.fingerprint),
            to: .attempt(charge.id, of: user), version: charge.version, keys: keys, metadata: metadata)
        try recorder.refund(state, recorder.metadata)
        if !isKnown, let notice = try await notice(to: user) { try recorder.queue(notice) }
        recorder.statements.append(try FlowStore(context: context).replacement(row).required)
        recorder.ledgers.insert(FlowStore.ledger(of: state.id))
        if let ticket = run.ticket {
            recorder.statements.append(ticket.completion(outcome))
            recorder.ledgers.insert(ticket.ledger)
        }
        do { try await recorder.append() } catch {
            guard error.isWorthDecidingAgain else { throw ServiceError(error) ?? error }
            throw ServiceError(.flowWrongStep)
        }
        run.ticket?.markStored()
    }

    /// The notice to the owner; `nil` if the address is not verified, no mail can be sent, or the user had those of the
    /// day.
    private func notice(to id: UserID) async throws -> QueuedMail? {
        let context = run.context, time = run.call.time
        let user = try await StateLoader(reader: context.reader).user(id).state
        guard context.mail != nil, user.holdsEmail, isVerified || user.isEmailVerified else { return nil }
        let budget = NoticeBudget(.addressProved, about: id, at: time, context.ring)
        guard try await !budget.isSpent(context.pool) else { return nil }
        return QueuedMail(
            .addressProved, to: .user(id), in: .directory(of: id), until: time.adding(ServiceContext.noticeLifetime),
            at: time
        ).counted(by: budget)
    }
}
