import Canonical
import IdentityService
import Transfers

extension Examination {
    /// Asks the mail server whether it takes mails, as the service does; nothing without one. No mail is sent.
    func mailServer() async -> [Finding] {
        do {
            let configuration = try MailConfiguration(await configured(), patience: .seconds(10))
            guard let server = configuration?.server else { return [] }
            return [Self.finding(await SMTPSender(server: server).check(), of: server)]
        } catch {
            return [Finding(subject: "mail server", error: CommandFailure(describing: error) as (any Error)? ?? error)]
        }
    }

    /// Returns the finding for a mail server.
    ///
    /// - Parameter fault: Why it takes no mail; `nil` if it does.
    static func finding(_ fault: SMTPFault?, of server: SMTPServer) -> Finding {
        let subject = "mail server", url = Settings.Name.smtpUrl.variable
        let address = "\(server.host):\(server.port)"
        guard let fault else {
            return Finding(subject: subject, verdict: .good, detail: "\(address) takes mails")
        }
        let (detail, remedy) =
            switch fault {
            case .hostUnknown:
                ("there is no host \(server.host)", "correct \(url), or what this machine knows of names")
            case .unreachable: ("nobody accepts connections at \(address)", "start it, or correct \(url)")
            case .silent:
                (
                    "\(address) does not answer",
                    "start it, or correct \(url); a port that begins with TLS, such as 465, needs smtps://"
                )
            case .noSTARTTLS:
                (
                    "\(address) offers no STARTTLS, so it gets no mail",
                    "let it offer STARTTLS, or name a port that begins with TLS by smtps:// in \(url)"
                )
            case .certificate:
                (
                    "TLS with \(address) fails, or its certificate is not that of \(server.host) by an authority that "
                        + "is trusted",
                    "name its authority in \(Settings.Name.smtpCaFile.variable), or correct \(url)"
                )
            case .loginRefused(let reply):
                (
                    "\(address) refuses the log-in with \(reply)",
                    "correct \(Settings.Name.smtpUser.variable) and \(Settings.Name.smtpPasswordFile.variable)"
                )
            case .refused(let reply):
                ("\(address) takes no connection from here, with \(reply)", "see the log of the mail server")
            case .other(let text): ("\(address) takes no mail: \(text)", "see the log of the mail server")
            }
        return Finding(subject: subject, verdict: .bad, detail: detail, remedy: remedy)
    }

    /// Tells how many mails wait, and for how long.
    func mails() async -> [Finding] {
        await inDatabase("mails") { pool in
            [Self.finding(try await MailBacklog.read(pool), at: .now())]
        }
    }

    /// How long a mail may wait before it is worth a look.
    private static let mailPatience: Duration = .seconds(300)

    static func finding(_ mails: MailBacklog, at time: Timestamp) -> Finding {
        let subject = "mails"
        guard mails.count > 0 else { return Finding(subject: subject, verdict: .good, detail: "none waits") }
        let age = mails.oldest.map { ", the oldest since \(TimeText.ago($0, now: time))" } ?? ""
        let detail = Noun.mail.counted(mails.count, "waits", "wait") + age
        guard let oldest = mails.oldest, oldest.adding(mailPatience) < time else {
            return Finding(subject: subject, verdict: .good, detail: detail)
        }
        return Finding(
            subject: subject, verdict: .note, detail: detail,
            remedy: "the service's log says why: a mail waits; tenure mail list shows them")
    }
}
