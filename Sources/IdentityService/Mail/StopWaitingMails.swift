import Canonical
import EventCoding
import FoundationEssentials
import Identity

/// Stops the mails that tell an admin that somebody waits, by the link of such a mail.
package struct StopWaitingMails: UseCase {
    private let link: MailLink?
    private let tenant: UUID?
    /// Whether the mails are stopped; otherwise nothing changes.
    package let isDecision: Bool

    /// - Parameters:
    ///   - tenant: The tenant of the link.
    ///   - user: The user of the link.
    ///   - expires: When the link expires, in seconds since 1970.
    ///   - key: The code of the link, 64 lower-case hexadecimal digits.
    ///   - isDecision: Whether the mails are stopped; otherwise nothing changes.
    package init(tenant: String, user: String, expires: String, key: String, isDecision: Bool) {
        self.tenant = UUID(entered: tenant)
        link = self.tenant.flatMap {
            MailLink(.waitingStop, recipient: user, expires: expires, key: key, about: $0.bytes)
        }
        self.isDecision = isDecision
    }

    /// Checks the link, and stops the mails for a year. A second use does no more.
    package func run(_ run: UseCaseRun<ConfirmEmail.Answer>) async throws -> ConfirmEmail.Answer {
        let context = run.context
        guard let link, let tenant else { return .invalid }
        switch context.standing(of: link, at: run.call.time) {
        case .invalid: return .invalid
        case .expired: return .expired
        case .valid: break
        }
        guard isDecision else { return .pending() }
        let mails = WaitingMailSwitch(user: UserID(link.recipient), tenant: TenantID(tenant), context)
        try await mails.turnOff(at: run.call.time)
        return .verified
    }
}
