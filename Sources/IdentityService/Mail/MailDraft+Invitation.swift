import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// Mails with invitations.
extension MailDraft {
    /// The invited person; `nil` if the invitation was used or revoked, has expired, or its issuer lost the authority.
    func invited(by id: InvitationID, in tenant: TenantID, at time: Timestamp) async throws -> Target? {
        let company = try await StateLoader(reader: context.reader).tenant(tenant)
        let state = try await context.invitation(id, in: company).state
        guard let issue = state.issue, state.isOpen(at: time), state.isBacked, let address = issue.email?.text else {
            return nil
        }
        return Target(address: address, end: issue.expiresAt, invited: issue.companyEmployeeID.text)
    }

    /// The link to the page where an invited person registers.
    ///
    /// All values stand behind the `#`: browsers send no server that part, so the code is in no log and in no
    /// `Referer`.
    func joinLink(_ row: OutboxRow, _ target: Target, _ company: String?) -> String? {
        guard case .invitation(let id) = row.recipient, let company, let employee = target.invited else { return nil }
        let code = MailedInvitation(id, until: target.end, ring: context.ring).text
        let fields = [("company", company), ("id", employee), ("email", target.address), ("invitation", code)]
        let fragment = fields.map { "\($0)=\(MailLink.percentEncoded($1))" }.joined(separator: "&")
        return "\(settings.publicURL)/join#\(fragment)"
    }
}

/// Decides whether an invitation is mailed.
extension ServiceContext {
    /// The mail with an invitation; `nil` if no mail can be sent, the pages are not enabled or not linked to the
    /// tenant, or the address or the tenant has had too many mails. The issuer has the code in every case.
    ///
    /// - Parameter end: When the invitation expires.
    func mailing(
        _ id: InvitationID, to address: EmailAddress?, in tenant: TenantSnapshot, until end: Timestamp,
        app: UUID?, at time: Timestamp
    ) async throws -> QueuedMail? {
        guard mail != nil, let address, DeliverableAddress(address.entered) != nil,
            let pages = try await pagesApp(at: time), tenant.state.links(pages, as: .creation)
        else { return nil }
        let budget = NoticeBudget(invitationsOf: tenant.id, at: time, ring)
        guard try await !budget.isSpent(pool) else { return nil }
        do {
            // Anybody may found a company and invite strangers in its name.
            if tenant.state.confirmedDomains.isEmpty {
                try await charge(MailBudget(invitationsTo: address.key, ring: ring), at: time)
            }
            try await chargeMail(to: address.key, app: app, at: time)
        } catch let refusal as ServiceError where refusal.code == .requestRateLimited {
            return nil
        }
        let worthwhile = min(end, time.adding(Self.noticeLifetime))
        let queued = QueuedMail(
            .invitation, to: .invitation(id), in: LedgerID(tenant.id.uuid), until: worthwhile, at: time)
        return queued.counted(by: budget)
    }
}
