import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
import Text

/// A row of the outbox that a worker holds the lease of.
struct OutboxRow: Sendable {
    let ledger: LedgerID
    let id: MailID
    let kind: MailKind
    let recipient: MailRecipient
    let locale: MailLanguage?
    /// The number of attempts, the one that the lease is for included.
    let attempts: Int
    /// Whether no earlier attempt told a mail server of the mail.
    let isUntold: Bool
    let expiresAt: Timestamp
    /// The event that queued the mail.
    let queued: RecordedEvent

    /// The statement that deletes a row.
    static func deletion(_ id: MailID, in ledger: LedgerID) -> SQL {
        "DELETE FROM tenure.mail_outbox WHERE ledger_id = \(ledger.uuid) AND mail_id = \(id.uuid)"
    }
}

/// Derives address and link of a mail when it is sent.
struct MailDraft: Sendable {
    let context: ServiceContext
    let settings: MailSettings
    /// Reads who waits for the admins of a tenant, in the order of lists.
    var whoWaits: WhoWaits = { _, _ in [] }

    /// Reads who waits for the admins of a tenant, in the order of lists.
    typealias WhoWaits = @Sendable (TenantSnapshot, Timestamp) async throws -> [WaitingEntry]

    /// What is known when a mail is to be sent.
    enum Result: Sendable {
        case ready(OutgoingMail)
        /// The mail is given up, with the code of `MailFailed`.
        case givenUp(String)
    }

    struct Target {
        var address: String
        var end: Timestamp
        /// The return that the mail is about, if it is about one.
        var back: ReturnID?
        /// The waiting browser that the mail is about, if it is about one.
        var wait: BrowserWaitRow?
        /// Whether the account of that browser never had a device key in force.
        var isFirst = false
        /// Who waits, if the mail tells an admin of it.
        var waiting: WaitSummary?
        /// The employee id that the mail invites to, if it is an invitation.
        var invited: String?
        /// The position of the change of an address that the mail lets undo.
        var change: Int64?
        /// The further values that the sentences name.
        var values: [String] = []
        /// The language that the recipient chose; `nil` if it is not known.
        var language: MailLanguage?
    }

    /// The kinds whose link leads to a page of the account.
    private static let ofAccount: Set<MailKind> = [
        .welcome, .approved, .deviceAdded, .credentialsChanged, .addressProved, .passkeyElsewhere,
    ]

    /// Composes the mail of a row, or finds that it must not be sent any more.
    ///
    /// - Throws: The errors of the database and of the keys.
    func compose(_ row: OutboxRow, at time: Timestamp) async throws -> Result {
        guard var target = try await target(row, at: time) else { return .givenUp(MailFailure.notNeeded) }
        guard let address = DeliverableAddress(target.address) else { return .givenUp(MailFailure.addressInvalid) }
        let company = try await company(of: row)
        // Whoever claims an address reads another language than the user who has it.
        if case .user(let id) = row.recipient, row.kind != .addressClaim {
            target.language = try await context.userWithAddress(id).language
        }
        // Without pages the log-in is that of an application, whose address nobody knows here.
        let hasPages = try await context.pagesApp(at: time) != nil
        let leadsNowhere = Self.ofAccount.contains(row.kind) && !hasPages
        let language = target.language ?? row.locale ?? .english
        var link = leadsNowhere ? nil : self.link(row, target, company?.companyName)
        // The page behind the link goes on in the language of the mail. Pages are English without it.
        if language != .english, link?.contains("?") == true { link?.append("&language=\(language.rawValue)") }
        let content = MailContent(
            id: row.id, kind: row.kind, language: language, settings: settings, recipient: address,
            isFirst: target.isFirst, values: target.values, domain: company?.shownDomain, link: link,
            end: target.end, facts: try await facts(row, target), waiting: target.waiting,
            stopLink: stopLink(row, target))
        return .ready(
            OutgoingMail(
                id: row.id.uuid, sender: settings.sender, recipient: address.text, content: content.bytes(at: time)))
    }

    /// The address and the expiry; `nil` if nobody waits for the mail any more.
    private func target(_ row: OutboxRow, at time: Timestamp) async throws -> Target? {
        let keys = try await context.personKeys.load([row.recipient.uuid], ledger: keyLedger(row).uuid)
        switch row.recipient {
        case .identity(let id):
            let stream = StreamID.mpin(id, in: TenantID(row.ledger.uuid))
            let events = try await context.reader.streams([stream])[stream] ?? []
            let state = try StateLoader.mpin(id, events, keys: keys).state
            guard state.status(at: time) == .started, case .started(let end)? = state.progress,
                let address = state.registration?.userID.text
            else { return nil }
            return Target(address: address, end: end)
        case .user(let id):
            let stream = StreamID.user(id)
            let events = try await context.reader.streams([stream])[stream] ?? []
            let state = User.fold(try events.map { try EventCodec.decode($0, keys: keys) })
            switch row.kind {
            case .addressChange: return try await changing(row, at: time)
            case .addressChanged: return changed(row, state, at: time)
            default: break
            }
            guard let address = state.email?.text, row.kind != .verify || !state.isEmailVerified else { return nil }
            if row.kind == .addressClaim { return try await claiming(row, address, at: time) }
            if row.kind == .deviceConfirmation { return try await waiting(row, state, address, at: time) }
            if row.kind == .somebodyWaits { return try await told(row, to: id, address, at: time) }
            guard MailDraft.aboutReturn.contains(row.kind) else { return Target(address: address, end: row.expiresAt) }
            return try await returning(row, to: id, address, at: time)
        case .invitation(let id): return try await invited(by: id, in: TenantID(row.ledger.uuid), at: time)
        }
    }

    /// The ledger of the recipient's key.
    private func keyLedger(_ row: OutboxRow) -> LedgerID {
        switch row.recipient {
        case .identity, .invitation: row.ledger
        case .user(let id): .directory(of: id)
        }
    }

    /// The tenant in whose ledger the mail was queued.
    private func company(of row: OutboxRow) async throws -> Tenant.State? {
        guard !row.ledger.isDirectory else { return nil }
        return try await StateLoader(reader: context.reader).tenant(TenantID(row.ledger.uuid)).state
    }

    private func link(_ row: OutboxRow, _ target: Target, _ company: String?) -> String? {
        let recipient = row.recipient.uuid
        switch row.kind {
        case .verify:
            let link = MailLink(.verify, recipient: recipient, until: target.end, ring: context.ring)
            return "\(settings.publicURL)/verify-email/\(recipient.lowercased)?\(link.query)"
        case .activation:
            let link = MailLink(.activation, recipient: recipient, until: target.end, ring: context.ring)
            let name = MailLink.percentEncoded(company ?? "")
            return "\(settings.publicURL)/mpin/\(name)/verification/\(recipient.lowercased)?\(link.query)"
        case .returnRequested: return returnLink(.returnOpening, "", target, company)
        case .returnOpened, .returnReminder: return returnLink(.returnCancellation, "/cancellation", target, company)
        case .invitation: return joinLink(row, target, company)
        case .deviceConfirmation: return waitLink(target)
        // To the list, never to a decision.
        case .somebodyWaits: return "\(settings.publicURL)/account/approvals"
        case .welcome, .approved: return "\(settings.publicURL)/account"
        case .deviceAdded, .credentialsChanged, .addressProved, .passkeyElsewhere:
            return "\(settings.publicURL)/account/devices"
        case .recoveryOpened, .adminAppointed, .returnCompleted, .removed, .addressClaim, .addressChange,
            .addressTaken, .passkeyCopied:
            return nil
        case .addressChanged: return undoLink(row, target)
        }
    }
}

extension Tenant.State {
    /// What a mail calls the tenant: its confirmed domain in A-labels, preferably that of its name as entered. `nil`
    /// without one: anybody may found a tenant whose name is a sentence with a link.
    var shownDomain: String? {
        let own = companyName.flatMap { try? CompanyName(recorded: $0) }?.domainName?.ascii
        return own.flatMap { confirmedDomains.contains($0) ? $0 : nil } ?? confirmedDomains.min()
    }
}

/// Mails about a device that waits.
extension MailDraft {
    /// The wait that a mail is about; `nil` if it ended, or if the address is another one now.
    fileprivate func waiting(
        _ row: OutboxRow, _ user: User.State, _ address: String, at time: Timestamp
    ) async throws -> Target? {
        let wait = try await BrowserWaitRow.find(mail: row.id, in: TenantID(row.ledger.uuid), context, at: time)
        guard let wait, let mail = wait.mail, time < mail.until, user.address?.place.position == mail.address else {
            return nil
        }
        let employee = try await StateLoader(reader: context.reader).employee(
            EmployeeID(wait.employee), in: TenantID(row.ledger.uuid))
        let isFirst = employee.state.keys.values.allSatisfy { $0.authorized == nil }
        return Target(address: address, end: mail.until, wait: wait, isFirst: isFirst)
    }

    fileprivate func waitLink(_ target: Target) -> String? {
        guard let wait = target.wait else { return nil }
        let link = MailLink(
            .device, recipient: wait.flow, until: target.end, about: wait.fingerprint, ring: context.ring)
        return "\(settings.publicURL)/waiting/mail/\(wait.tenant.lowercased)/\(wait.flow.lowercased)?\(link.query)"
    }
}

/// Mails about a claim on an address.
extension MailDraft {
    /// Who claims the address, and the code; `nil` if the claim is over.
    fileprivate func claiming(_ row: OutboxRow, _ text: String, at time: Timestamp) async throws -> Target? {
        guard let address = try? EmailAddress(recorded: text) else { return nil }
        let claim = try await context.reader.claim(context.ring.addressClaimant(address))
        guard let claim, let claimant = AddressClaimant.of(claim, context.ring, at: time),
            claimant.mail == row.id.uuid
        else { return nil }
        let code = TypedCode(ofClaim: claimant.mail, claim.owner, context.ring)
        return Target(
            address: text, end: row.expiresAt,
            values: [claimant.person, claimant.company].map(MailFacts.plain) + [code.shown])
    }

}

/// Mails about a change of an address.
extension MailDraft {
    /// The new address, and the code; `nil` if the change is over.
    fileprivate func changing(_ row: OutboxRow, at time: Timestamp) async throws -> Target? {
        guard let pending = try await PendingAddress.find(row.id.uuid, context, at: time) else { return nil }
        let code = TypedCode(ofClaim: row.id.uuid, pending.session, context.ring)
        return Target(address: pending.address.address, end: row.expiresAt, values: [code.shown])
    }

    /// The former address; `nil` if it can undo nothing any more.
    fileprivate func changed(_ row: OutboxRow, _ user: User.State, at time: Timestamp) -> Target? {
        guard let change = user.change, let address = change.former?.text, let end = change.undoUntil, time < end else {
            return nil
        }
        return Target(address: address, end: end, change: change.place.position)
    }

    fileprivate func undoLink(_ row: OutboxRow, _ target: Target) -> String? {
        guard let change = target.change else { return nil }
        let user = row.recipient.uuid
        let link = MailLink(
            .addressUndo, recipient: user, until: target.end, about: MailLink.about(change), ring: context.ring)
        return "\(settings.publicURL)/address/undo/\(user.lowercased)?\(link.query)"
    }
}

/// Mails to admins about who waits.
extension MailDraft {
    /// The admin as they are now, with who waits for them; `nil` if nobody does, or the person is no admin any more.
    fileprivate func told(
        _ row: OutboxRow, to user: UserID, _ address: String, at time: Timestamp
    ) async throws -> Target? {
        let id = TenantID(row.ledger.uuid), tenant = try await StateLoader(reader: context.reader).tenant(id)
        let notice = WaitNotice(context: context, tenant: tenant)
        guard let admin = try await notice.admins().first(where: { $0.user == user }) else { return nil }
        let entries = try await whoWaits(tenant, time).filter { entry in
            entry.employee != admin.employee.uuid && (admin.isSecurityAdmin || !entry.isAdministrative)
        }
        guard let waiting = WaitSummary(entries) else { return nil }
        return Target(address: address, end: row.expiresAt, waiting: waiting)
    }

    fileprivate func stopLink(_ row: OutboxRow, _ target: Target) -> String? {
        guard target.waiting != nil else { return nil }
        let tenant = row.ledger.uuid, user = row.recipient.uuid
        let link = MailLink(
            .waitingStop, recipient: user, until: target.end.adding(.seconds(30 * 86_400)), about: tenant.bytes,
            ring: context.ring)
        return "\(settings.publicURL)/waiting/admins/\(tenant.lowercased)/\(user.lowercased)?\(link.query)"
    }
}

/// Mails about the return of a security admin.
extension MailDraft {
    fileprivate static let aboutReturn: Set<MailKind> = [
        .returnRequested, .returnOpened, .returnReminder, .returnCompleted,
    ]

    /// The return that a mail is about, as it is now; `nil` if it ended, or the user is no longer the security admin.
    fileprivate func returning(
        _ row: OutboxRow, to user: UserID, _ address: String, at time: Timestamp
    ) async throws -> Target? {
        let loader = StateLoader(reader: context.reader), tenant = TenantID(row.ledger.uuid)
        let company = try await loader.tenant(tenant).state
        guard let admin = company.securityAdmin else { return nil }
        let state = try await loader.employee(admin, in: tenant).state
        guard state.account?.user == user else { return nil }
        switch row.kind {
        case .returnRequested:
            guard let request = state.returnRequest, time < request.expiresAt else { return nil }
            return Target(address: address, end: request.expiresAt, back: request.id)
        case .returnCompleted:
            return state.completedReturn(in: company).map { Target(address: address, end: row.expiresAt, back: $0.id) }
        default:
            guard let open = state.openReturn(in: company, at: time) else { return nil }
            return Target(address: address, end: open.expiresAt, back: open.id)
        }
    }

    fileprivate func returnLink(
        _ kind: MailLink.Kind, _ rest: String, _ target: Target, _ company: String?
    ) -> String? {
        guard let back = target.back else { return nil }
        let link = MailLink(kind, recipient: back.uuid, until: target.end, ring: context.ring)
        let name = MailLink.percentEncoded(company ?? "")
        return "\(settings.publicURL)/return/\(name)/\(back.uuid.lowercased)\(rest)?\(link.query)"
    }
}

/// The codes of `MailFailed` besides those of mail servers.
enum MailFailure {
    /// The address cannot be in a header.
    static let addressInvalid = "address_invalid"
    /// The operator gave the mail up.
    static let dropped = "dropped"
    /// The mail could not be sent in time.
    static let expired = "expired"
    /// The recipient is verified, erased or gone.
    static let notNeeded = "not_needed"
    /// A mail server refused the mail for good.
    static func refused(_ reply: Int) -> String { "smtp_\(reply)" }
}
