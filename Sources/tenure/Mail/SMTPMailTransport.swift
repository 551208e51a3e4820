import IdentityService
import Transfers

/// Sends the mails of the outbox to a mail server.
struct SMTPMailTransport: MailTransport {
    let sender: SMTPSender

    func send(_ mail: OutgoingMail) async -> MailOutcome {
        let message = SMTPMessage(sender: mail.sender, recipient: mail.recipient, content: mail.content)
        return switch await sender.send(message) {
        case .accepted: .accepted
        case .temporarilyRefused(let reply): .temporarilyRefused(reply)
        case .permanentlyRefused(let reply): .permanentlyRefused(reply)
        case .unreached(let reason): .unreached(reason)
        case .undelivered(let reason): .undelivered(reason)
        }
    }
}
