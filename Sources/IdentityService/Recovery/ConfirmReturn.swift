import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger

/// Opens or cancels a return by the link of a mail.
///
/// The link that opens shows that the mailbox is read now. The link that cancels is in every later mail, and can cancel
/// until the completion. Opening a link changes nothing, because mail scanners open links; doing it twice is the same
/// as once.
package struct ConfirmReturn: UseCase {
    /// What a link is for.
    package enum Action: Sendable {
        /// It opens the return that was asked for.
        case open
        /// It cancels the return that is open.
        case cancel

        fileprivate var link: MailLink.Kind { self == .open ? .returnOpening : .returnCancellation }
    }

    /// What the reader of the link is told.
    package enum Answer: Sendable, Equatable {
        /// The return is open, or it is cancelled: now, or since an earlier use of the link.
        case done
        /// The link could do what it is for: what a look without a decision says.
        case pending
        /// The reader says first which words the new device shows. Another row was wrong, if one was chosen.
        case asking(WordQuestion)
        /// Two wrong rows were chosen, which ended the request.
        case refused
        /// The time of the link is over.
        case expired
        /// The link was not made by this service, or it can do nothing any more.
        case invalid
    }
    private let action: Action
    private let company: String
    private let link: MailLink?
    private let isDecision: Bool
    private let row: [UInt8]?

    /// - Parameters:
    ///   - company: The tenant's name.
    ///   - id: The return of the link.
    ///   - expires: When the link expires, in seconds since 1970.
    ///   - key: The code of the link, 64 lower-case hexadecimal digits.
    ///   - isDecision: Whether the link does what it is for; otherwise nothing changes.
    ///   - row: The row of words that the reader chose, which the opening needs.
    package init(
        _ action: Action, company: String, id: String, expires: String, key: String, isDecision: Bool,
        row: [UInt8]? = nil
    ) {
        self.row = row
        self.action = action
        self.company = company
        self.isDecision = isDecision
        link = MailLink(action.link, recipient: id, expires: expires, key: key)
    }

    /// Checks the link, and appends `ReturnOpened` or `ReturnCancelled` once. The opening needs the row of words that the
    /// new device shows; the second wrong one cancels the request.
    package func run(_ run: UseCaseRun<Answer>) async throws -> Answer {
        let context = run.context
        guard let link, let name = try? CompanyName(company) else { return .invalid }
        switch context.standing(of: link, at: run.call.time) {
        case .invalid: return .invalid
        case .expired: return .expired
        case .valid: break
        }
        guard isDecision || action == .open else { return .pending }
        let tenant = TenantID(context.ring.tenantID(companyName: name.canonical)), id = ReturnID(link.recipient)
        return try await optimistic {
            guard let admin = try await StateLoader(reader: context.reader).tenant(tenant).state.securityAdmin else {
                return .invalid
            }
            let scene = try await ReturnScene(of: admin, in: tenant, context)
            switch action {
            case .open: return try await open(id, scene, run)
            case .cancel: return try await cancel(id, scene, run)
            }
        }
    }

    private func open(_ id: ReturnID, _ scene: ReturnScene, _ run: UseCaseRun<Answer>) async throws -> Answer {
        let context = run.context, time = run.call.time, state = scene.employee.state
        if scene.openReturn(at: time)?.id == id { return .done }
        guard let request = state.returnRequest, request.id == id,
            let proof = try await proof(of: request, scene, context)
        else { return .invalid }
        let words = WordCounter(
            fingerprint: ServiceContext.fingerprint(of: request.key), tenant: scene.tenant.id.uuid, context: context)
        let question = try await words.question()
        guard isDecision else { return question.isSpent ? .refused : .asking(question) }
        guard let row else { return .asking(question) }
        switch try await words.choose(row, at: time) {
        case .right: break
        case .wrong: return .asking(question)
        case .spent:
            _ = try await end(.words(id), scene, run)
            return .refused
        }
        let command = Employee.OpenReturn(
            id: id, proof: proof, user: scene.user.state, scene: scene.facts(at: time))
        let events: [EmployeeEvent]
        // The page tells a stranger with the link nothing about the account.
        do throws(Employee.Rejection) { events = try Employee.decide(state, .openReturn(command)) } catch {
            return .invalid
        }
        let mails = events.flatMap { event -> [QueuedMail] in
            guard case .returnOpened(let opened) = event else { return [] }
            return context.returnMails(opened, to: scene.user.id, in: scene.tenant.id, at: time)
        }
        try await append(events, mails, scene, until: request.expiresAt, run)
        return .done
    }

    /// The proof that the flow of the request recorded, with both signatures verified again.
    private func proof(
        of request: Employee.ReturnRequest, _ scene: ReturnScene, _ context: ServiceContext
    ) async throws -> ReturnProof? {
        let stream = StreamID.flow(request.flow.uuid, in: scene.tenant.id)
        for event in try await context.reader.streams([stream])[stream] ?? [] {
            let validation: CredentialValidation
            switch try EventCodec.payload(of: event) {
            case let payload as AnswersValidated: validation = payload.validation
            case let payload as PassphraseValidated: validation = payload.validation
            default: continue
            }
            let proof = ReturnProof(validation)
            guard validation.purpose == .returning, let challenge = try? proof.verifiedChallenge(),
                challenge.fields.purpose == .return, challenge.fields.flow == request.flow.uuid,
                challenge.fields.tenant == scene.tenant.id.uuid, challenge.fields.employeeKey.bytes == request.key.bytes
            else { return nil }
            return proof
        }
        return nil
    }

    private func cancel(_ id: ReturnID, _ scene: ReturnScene, _ run: UseCaseRun<Answer>) async throws -> Answer {
        let isCancelled = try await end(.mail(id), scene, run)
        return isCancelled || scene.employee.hasCancelled(id) ? .done : .invalid
    }

    /// Returns whether there was something to cancel.
    private func end(
        _ cause: Employee.EndReturn.Cause, _ scene: ReturnScene, _ run: UseCaseRun<Answer>
    ) async throws -> Bool {
        let end = Employee.EndReturn(cause, tenant: scene.tenant.state, time: run.call.time)
        let events = try Employee.decided(scene.employee.state, .endReturn(end))
        try await append(events, [], scene, until: nil, run)
        return !events.isEmpty
    }

    private func append(
        _ events: [EmployeeEvent], _ mails: [QueuedMail], _ scene: ReturnScene, until end: Timestamp?,
        _ run: UseCaseRun<Answer>
    ) async throws {
        guard !events.isEmpty else { return }
        var recorder = EventRecorder(
            run.context, at: run.call.time,
            metadata: EventMetadata(actor: scene.employee.id.uuid, requestId: run.call.requestId))
        recorder.expectations = scene.expectations
        recorder.notAfter = end
        try recorder.add(
            events, to: .employee(scene.employee.id, in: scene.tenant.id), version: scene.employee.version)
        for mail in mails { try recorder.queue(mail) }
        try await recorder.append()
    }
}

extension EmployeeSnapshot {
    /// Whether the stream says that a return was cancelled.
    fileprivate func hasCancelled(_ id: ReturnID) -> Bool {
        events.contains { $0.type == ReturnCancelled.type && $0.data["returnId"] == id.json }
    }
}
