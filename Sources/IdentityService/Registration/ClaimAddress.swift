import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// Claims the address of a registration whose questions are those of somebody else: a mail with a code goes there.
///
/// The answer is the same whoever holds the address, and whether a mail was sent. So a stranger learns nothing, and the
/// reader of the mailbox what the mail says. A flow that proved the mailbox by a mailed invitation needs no mail, so
/// that nobody uses up the claims of its owner.
package struct ClaimAddress: FlowStepUseCase, Redacted {
    package let flow: String
    package let app: AppCaller
    /// The language tags of the reader, best first.
    package let languages: [String]
    package var purpose: FlowKind { .registration }

    package init(flow: String, app: AppCaller, languages: [String] = []) {
        self.flow = flow
        self.app = app
        self.languages = languages
    }

    /// Queues the mail once in a flow, if nobody else claims the address now and the month has claims left.
    ///
    /// - Throws: `mail.unavailable`, `flow.expired`, or `flow.wrong_step` in a flow that asks for no answers.
    package func run(_ run: UseCaseRun<ClaimAnswer>) async throws -> ClaimAnswer {
        let context = run.context, time = run.call.time, store = FlowStore(context: context)
        var row = try await store.load(handle: flow, purpose: purpose, app: app, at: time, run.firstRows)
        var person = try row.state.registering()
        guard person.userExists, row.state.step == .answers || row.state.step == .passphrase else {
            throw ServiceError(.flowWrongStep)
        }
        let holder = UserID(row.state.userId)
        if person.confirmsAddress {
            person.claim = AddressClaim(mail: UUID(), holder: holder.uuid)
            return try await ProveClaimedAddress.moveOn(row, person, context, at: time)
        }
        try context.requireMail()
        guard person.claim == nil else { return .awaited }
        let address = try parsed { () throws(ValueError) in try EmailAddress(person.email) }
        let mail = try await self.mail(to: holder, address, row.state, context, at: time)
        person.claim = AddressClaim(mail: mail?.event.mailID.uuid ?? UUID(), holder: holder.uuid)
        row.state.purpose = .registration(person)
        if let mail, try await queue(mail, address, row, run) { return .awaited }
        try await store.replace(row)
        return .awaited
    }

    /// The mail; `nil` if the address gets none, or has had its claims of the month.
    private func mail(
        to holder: UserID, _ address: EmailAddress, _ state: FlowState, _ context: ServiceContext, at time: Timestamp
    ) async throws -> QueuedMail? {
        guard !address.isDummy, DeliverableAddress(address.entered) != nil,
            try await AddressHolders(context: context).holder(of: address) == holder
        else { return nil }
        let budget = NoticeBudget(claimsOn: address, at: time, context.ring)
        guard try await !budget.isSpent(context.pool) else { return nil }
        do {
            try await context.chargeMail(to: address.key, app: nil, at: time)
        } catch let refusal as ServiceError where refusal.code == .requestRateLimited {
            return nil
        }
        return QueuedMail(
            .addressClaim, to: .user(holder), in: .directory(of: holder), until: state.expiresAt, at: time,
            languages: languages)
    }

    /// Queues the mail in the append that takes the right to claim, and advances the flow. Returns `false` if another
    /// flow has that right.
    private func queue(
        _ mail: QueuedMail, _ address: EmailAddress, _ row: FlowStore.Row, _ run: UseCaseRun<ClaimAnswer>
    ) async throws -> Bool {
        let context = run.context, budget = NoticeBudget(claimsOn: address, at: run.call.time, context.ring)
        var recorder = EventRecorder(
            context, at: run.call.time, metadata: EventMetadata(app: app.appId, requestId: run.call.requestId))
        try recorder.queue(mail)
        recorder.claims.append(
            try AddressClaimant.claim(on: address, mail.event.mailID.uuid, row.state, context.ring))
        recorder.statements += [budget.counting, try FlowStore(context: context).replacement(row).required]
        recorder.ledgers.formUnion([budget.ledger, FlowStore.ledger(of: row.state.id)])
        do { try await recorder.append() } catch {
            if error.code == .claimTaken { return false }
            guard error.isWorthDecidingAgain else { throw ServiceError(error) ?? error }
            throw ServiceError(.flowWrongStep)
        }
        return true
    }
}

/// What became of a claim on an address.
package enum ClaimAnswer: Sendable, Equatable {
    /// A mail may have gone out. Its code is to be typed.
    case awaited
    /// The mailbox is proved, and the flow goes on with new credentials.
    case proved
    /// The mailbox is proved, but the address is confirmed, or somebody vouched for its holder.
    case kept
    /// The code is wrong. So many may be typed yet.
    case wrong(triesLeft: Int)
}

/// Takes the code of the mail about a claimed address in the browser that claims it.
package struct ProveClaimedAddress: FlowStepUseCase, Redacted {
    /// The code as it was typed.
    package let code: String
    package let flow: String
    package let app: AppCaller
    package var purpose: FlowKind { .registration }

    package init(code: String, flow: String, app: AppCaller) {
        self.code = code
        self.flow = flow
        self.app = app
    }

    /// Compares the code, after it was counted. Of several codes at once one is compared.
    ///
    /// - Throws: `flow.expired`, or `flow.wrong_step` in a flow that claims no address.
    package func run(_ run: UseCaseRun<ClaimAnswer>) async throws -> ClaimAnswer {
        let context = run.context, time = run.call.time, store = FlowStore(context: context)
        var row = try await store.load(handle: flow, purpose: purpose, app: app, at: time, run.firstRows)
        var person = try row.state.registering()
        guard var claim = person.claim, !claim.isProved else { throw ServiceError(.flowWrongStep) }
        guard claim.tries < TypedCode.limit else { return .wrong(triesLeft: 0) }
        claim.tries += 1
        person.claim = claim
        row.state.purpose = .registration(person)
        try await store.replace(row)
        guard TypedCode(ofClaim: claim.mail, row.state.id, context.ring).matches(code) else {
            return .wrong(triesLeft: TypedCode.limit - claim.tries)
        }
        return try await Self.moveOn(
            try await store.load(handle: flow, purpose: purpose, app: app, at: time), person, context, at: time)
    }

    /// Lets a flow that proved the mailbox go on as that of a new user, unless the holder keeps the address.
    ///
    /// - Throws: `flow.expired` if somebody else has the address by now.
    fileprivate static func moveOn(
        _ row: FlowStore.Row, _ person: FlowState.Registration, _ context: ServiceContext, at time: Timestamp
    ) async throws -> ClaimAnswer {
        var next = row, person = person
        guard var claim = person.claim else { throw ServiceError(.flowWrongStep) }
        let address = try parsed { () throws(ValueError) in try EmailAddress(person.email) }
        let successor = successor(of: UserID(claim.holder))
        guard try await AddressHolders(context: context).holder(of: address)?.uuid == claim.holder else {
            throw ServiceError(.flowExpired)
        }
        let giving = try await GivingWay(of: UserID(claim.holder), address, to: successor, context)
        guard giving.isPossible else { return .kept }
        claim.isProved = true
        person.claim = claim
        person.userExists = false
        next.state.purpose = .registration(person)
        try begin(&next.state, as: successor, context, at: time)
        try await FlowStore(context: context).replace(next)
        return .proved
    }

    /// The id of the user who gets an address: in the directory of the one who loses it, so that one ledger holds both
    /// events.
    private static func successor(of holder: UserID) -> UserID {
        let bytes = [holder.uuid.bytes[0]] + UUID().bytes.dropFirst()
        return UserID(UUID(bytes: bytes) ?? UUID())
    }

    /// Lets the flow go on as that of a new user. The challenge that the device signed names the new credential
    /// already.
    private static func begin(
        _ state: inout FlowState, as user: UserID, _ context: ServiceContext, at time: Timestamp
    ) throws {
        state.userId = user.uuid
        state.credentialId = state.namedCredentialId
        (state.charges, state.attempt, state.questionsAllowed) = ([], nil, false)
        state.step = .credentials
        state.challenge = try context.challenge(for: state, at: time)
        state.setUp = FlowState.SetUp(seed: try OPRFSeed.generate().bytes)
    }
}
