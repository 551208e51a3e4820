import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Ledger
package import TenureAPI

/// Sends the caller a mail with the link that verifies their address.
package struct VerifyMyEmail: UseCase {
    /// What the caller is told.
    package enum Answer: String, Sendable {
        /// A mail is on its way.
        case sent
        /// The address is verified already.
        case verified
    }
    /// The time for which the link is valid.
    static let lifetime: Duration = .seconds(86_400)
    package let caller: EmployeeCaller
    /// The language tags of the caller, best first.
    package let languages: [String]

    package init(caller: EmployeeCaller, languages: [String] = []) {
        self.caller = caller
        self.languages = languages
    }

    /// Queues the mail, unless the address is verified.
    ///
    /// - Throws: `mail.unavailable`, `request.rate_limited`, `email.invalid` if no mail can be sent to the address, or
    ///   `email.missing` if it was reclaimed.
    package func run(_ run: UseCaseRun<Answer>) async throws -> Answer {
        let context = run.context, time = run.call.time
        let own = try await OwnAccount(of: caller, context)
        guard let account = own.employee.state.account else { throw ServiceError(.sessionInvalid) }
        let user = try await context.userWithAddress(account.user)
        if user.isEmailVerified { return .verified }
        guard let text = user.email?.text else { throw ServiceError(.emailMissing) }
        let address = try parsed { () throws(ValueError) in try EmailAddress(recorded: text) }
        guard DeliverableAddress(text) != nil, !address.isDummy else { throw ServiceError(.emailInvalid) }
        try context.requireMail()
        try await context.chargeMail(to: address.key, app: nil, at: time)
        let mail = context.verification(of: account.user, at: time, languages)
        var recorder = EventRecorder(
            context, at: time, metadata: EventMetadata(actor: caller.employeeId, requestId: run.call.requestId))
        try recorder.queue(mail)
        try await recorder.append()
        return .sent
    }
}

/// Verifies an address by the link of a mail.
package struct ConfirmEmail: UseCase {
    /// What the reader of the link is told.
    package enum Answer: Sendable, Equatable {
        /// The address is verified, now or since an earlier use of the link.
        case verified
        /// The link could verify the address of whoever has these accounts: what a look without a decision says.
        case pending(of: [EmployeeSummaryResponse] = [])
        /// The time of the link is over.
        case expired
        /// The link was not made by this service, or the address is not the user's any more.
        case invalid
    }
    private let link: MailLink?
    private let isDecision: Bool
    /// Whoever is logged in in the browser; `nil` for nobody.
    private let browser: EmployeeCaller?

    /// - Parameters:
    ///   - user: The user of the link.
    ///   - expires: When the link expires, in seconds since 1970.
    ///   - key: The code of the link, 64 lower-case hexadecimal digits.
    ///   - isDecision: Whether the address is verified; otherwise nothing changes.
    ///   - browser: Whoever is logged in in the browser; `nil` for nobody.
    package init(user: String, expires: String, key: String, isDecision: Bool, browser: EmployeeCaller? = nil) {
        link = MailLink(.verify, recipient: user, expires: expires, key: key)
        self.isDecision = isDecision
        self.browser = browser
    }

    /// The accounts of the user: a stranger may have registered with the address of whoever reads the mail.
    private func accounts(of user: UserID, _ context: ServiceContext) async throws -> [EmployeeSummaryResponse] {
        let loader = StateLoader(reader: context.reader)
        var found: [EmployeeSummaryResponse] = []
        for (tenant, employee) in try await context.accounts(of: user) {
            found.append(
                try await context.summary(
                    of: try await loader.employee(employee, in: tenant), in: try await loader.tenant(tenant)))
        }
        return found
    }

    /// The account of the browser's session, if it is one of the user's.
    private func account(of user: UserID, _ context: ServiceContext) async throws -> EmployeeID? {
        guard let browser, let own = try? await OwnAccount(of: browser, context) else { return nil }
        return own.employee.state.account?.user == user ? own.employee.id : nil
    }

    /// Checks the link, and appends `EmailVerified` once.
    ///
    /// - Throws: The errors of ``EventRecording/takeAddress(of:inOwnBrowser:)``.
    package func run(_ run: UseCaseRun<Answer>) async throws -> Answer {
        let context = run.context
        guard let link else { return .invalid }
        switch context.standing(of: link, at: run.call.time) {
        case .invalid: return .invalid
        case .expired: return .expired
        case .valid: break
        }
        guard isDecision else {
            // Whoever finds an old link learns of no account.
            let user = try await StateLoader(reader: context.reader).user(UserID(link.recipient))
            guard user.state.address?.verifiedAt == nil else { return .verified }
            return .pending(of: try await accounts(of: user.id, context))
        }
        return try await optimistic(retryingClaims: true) {
            let user = try await StateLoader(reader: context.reader).user(UserID(link.recipient))
            guard let address = user.state.address else { return .invalid }
            let browserOf = try await account(of: user.id, context)
            let events = try User.decided(
                user.state, .verifyEmail(address: address.place.position, browserOf: browserOf))
            guard !events.isEmpty else { return .verified }
            var recorder = EventRecorder(
                context, at: run.call.time,
                metadata: EventMetadata(actor: user.id.uuid, requestId: run.call.requestId))
            try recorder.add(events, to: .user(user.id), version: user.version)
            if context.mail != nil { try recorder.queue(context.welcome(user.id, at: run.call.time)) }
            try await recorder.takeAddress(of: user.id, inOwnBrowser: browserOf != nil)
            try await recorder.append()
            return .verified
        }
    }
}

extension EventRecording {
    /// Takes the claim on the address that a user confirms: one who registered without a secret has none before. Of
    /// several users with an address the first one who confirms it has it.
    ///
    /// - Parameter inOwnBrowser: Whether a browser of the user showed that they read the mail. A mail alone takes an
    ///   address from nobody: mail programs press buttons, and people those of strangers.
    /// - Throws: `authorization.not_permitted` if another user keeps the address, who confirmed it or is vouched for;
    ///   `session.login_required` if another user gives way in a browser of this one.
    mutating func takeAddress(of user: UserID, inOwnBrowser: Bool) async throws {
        let holders = AddressHolders(context: context)
        guard let address = try await holders.address(of: user) else { return }
        guard let holder = try await holders.holder(of: address) else {
            recorder.claims.append(Claim(key: context.ring.addressClaim(address), owner: user.uuid))
            return
        }
        guard holder != user else { return }
        let giving = try await GivingWay(of: holder, address, to: user, context)
        guard giving.isPossible else { throw ServiceError(.authorizationNotPermitted) }
        guard inOwnBrowser else { throw ServiceError(.sessionLoginRequired) }
        // The tenants of the holder learn nothing of this user.
        let metadata = recorder.metadata
        recorder.metadata = EventMetadata(requestId: metadata.requestId)
        try giving.add(to: &self)
        recorder.metadata = metadata
    }
}

extension ServiceContext {
    /// The mail to somebody who has confirmed the address.
    ///
    /// - Parameter ledger: That of the tenant whose mail it is; `nil` for the user's directory, which names none.
    func welcome(_ user: UserID, in ledger: LedgerID? = nil, at time: Timestamp) -> QueuedMail {
        QueuedMail(
            .welcome, to: .user(user), in: ledger ?? .directory(of: user), until: time.adding(Self.noticeLifetime),
            at: time)
    }

    /// The mail with the link that verifies a user's address. It is in the user's directory, and names no tenant.
    func verification(of user: UserID, at time: Timestamp, _ languages: [String] = []) -> QueuedMail {
        QueuedMail(
            .verify, to: .user(user), in: .directory(of: user), until: time.adding(VerifyMyEmail.lifetime), at: time,
            languages: languages)
    }
}
