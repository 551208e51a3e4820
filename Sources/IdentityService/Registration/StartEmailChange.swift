import Canonical
import ErrorCodes
import EventCoding
package import FoundationEssentials
import Identity
import Keys
import Ledger

/// Begins the change of the caller's address: a mail with a code goes to the new one.
///
/// The answer is the same whoever has the address. If somebody else does, the mail tells them, and has no code.
package struct StartEmailChange: UseCase {
    package let email: String
    package let caller: EmployeeCaller
    /// The language tags of the caller, best first.
    package let languages: [String]

    package init(email: String, caller: EmployeeCaller, languages: [String] = []) {
        self.email = email
        self.caller = caller
        self.languages = languages
    }

    /// Queues the mail, and returns its id. An address that had its mails of the month gets none.
    ///
    /// - Throws: `session.login_required`, `mail.unavailable`, `email.invalid`, `request.rate_limited`, or
    ///   `authorization.not_permitted` while the last change can be undone.
    package func run(_ run: UseCaseRun<UUID>) async throws -> UUID {
        let context = run.context, time = run.call.time
        try await context.requireRecentLogIn(of: .employee(caller), at: time)
        try context.requireMail()
        let own = try await OwnAccount(of: caller, context)
        guard let account = own.employee.state.account else { throw ServiceError(.sessionInvalid) }
        let address = try parsed { () throws(ValueError) in try EmailAddress(email) }
        let user = try await context.userWithAddress(account.user)
        let present = try user.email?.text.map(EmailAddress.init(recorded:))
        guard !address.isDummy, DeliverableAddress(address.entered) != nil, present != address else {
            throw ServiceError(.emailInvalid)
        }
        _ = try User.decided(
            user, .changeEmail(User.ChangeEmail(to: address, isConfirmedByApproval: false, at: time)))
        try await context.charge(MailBudget(changesOf: account.user, ring: context.ring), at: time)
        let id = MailID(UUID()), end = time.adding(PendingAddress.lifetime)
        let pending = try PendingAddress(user: account.user.uuid, address: address.entered).claim(
            id.uuid, of: caller.sessionId, until: end, context.ring)
        let month = MailBudget(changesTo: address.key, ring: context.ring)
        let hour = MailBudget(address: address.key, app: nil, ring: context.ring)
        guard try await context.mayMail(month, hour, at: time) else {
            // Without a mail nothing is recorded, but the code of the page is asked for all the same.
            _ = try await context.pool.pipeline([pending.taking(context.ring)], in: [pending.key.ledger])
            return id.uuid
        }
        var recorder = EventRecorder(
            context, at: time, metadata: EventMetadata(actor: account.user.uuid, requestId: run.call.requestId))
        recorder.claims.append(pending)
        let holder = try await AddressHolders(context: context).holder(of: address)
        let isTaken = holder != nil && holder != account.user, reader = isTaken ? holder ?? account.user : account.user
        try recorder.queue(
            QueuedMail(
                isTaken ? .addressTaken : .addressChange, to: .user(reader), in: .directory(of: reader), until: end,
                at: time, languages: languages, id: id))
        try await recorder.append()
        return id.uuid
    }
}

/// Takes the code of the mail in the session that asked for it.
package struct ProveEmailChange: UseCase, Redacted {
    /// What became of a code.
    package enum Answer: Sendable, Equatable {
        /// The code is right. The change can be signed with this proof, the query of a link.
        case proved(proof: String, address: String)
        case wrong
        /// Five codes were typed.
        case spent
        /// The time is over, or another session asked.
        case expired
    }

    package let mail: UUID
    /// The code as it was typed.
    package let code: String
    package let caller: EmployeeCaller

    package init(mail: UUID, code: String, caller: EmployeeCaller) {
        self.mail = mail
        self.code = code
        self.caller = caller
    }

    /// Compares the code, after it was counted.
    package func run(_ run: UseCaseRun<Answer>) async throws -> Answer {
        let context = run.context, time = run.call.time
        guard let pending = try await PendingAddress.find(mail, context, at: time), pending.session == caller.sessionId
        else { return .expired }
        do { try await context.charge(MailBudget(codesOf: mail, ring: context.ring), at: time) } catch let error
            as ServiceError where error.code == .requestRateLimited
        { return .spent }
        guard TypedCode(ofClaim: mail, pending.session, context.ring).matches(code) else { return .wrong }
        let proof = MailLink(
            .addressProof, recipient: pending.address.user, until: pending.end,
            about: ChangeEmail.about(mail, caller), ring: context.ring)
        return .proved(proof: proof.query, address: pending.address.address)
    }
}
