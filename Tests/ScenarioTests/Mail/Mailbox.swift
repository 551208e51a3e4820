import Canonical
import Foundation
import IdentityService
import Postgres
import Synchronization
import Testing

/// A mail server in memory: it accepts everything and keeps it, unless it is told what to answer.
final class Mailbox: MailTransport {
    /// One copy of a mail, as it was handed over.
    struct Copy: Sendable {
        var mail: OutgoingMail
        /// Whether the log had the event of the mail when the mail was handed over.
        var isQueued: Bool

        /// The lines of the header that start with a name, without the name.
        func header(_ name: String) -> [String] {
            text.components(separatedBy: "\r\n\r\n")[0].components(separatedBy: "\r\n")
                .filter { $0.lowercased().hasPrefix("\(name.lowercased()):") }
                .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }

        /// Header and body as they are sent.
        var text: String { String(decoding: mail.content, as: UTF8.self) }

        /// The link of an M-Pin registration, if the mail has one.
        var link: MailedLink? {
            let body = text.replacingOccurrences(of: "=\r\n", with: "").replacingOccurrences(of: "=3D", with: "=")
            let form =
                /https:\/\/id\.example\/mpin\/([^\/?\s]+)\/verification\/([0-9a-f-]{36})\?expires=(\d+)&key=([0-9a-f]{64})/
            return body.firstMatch(of: form).map { match in
                MailedLink(
                    company: String(match.1), identityId: String(match.2), expires: String(match.3),
                    key: String(match.4))
            }
        }
    }

    private struct State {
        var copies: [Copy] = []
        var outcome = MailOutcome.accepted
        var isQueued: (@Sendable (UUID) async -> Bool)?
    }

    private let state = Mutex(State())

    /// Answers every mail with an outcome from now on. What is not accepted is not kept.
    func answer(_ outcome: MailOutcome) { state.withLock { $0.outcome = outcome } }

    /// Everything that was handed over, in order, second copies among it.
    var copies: [Copy] { state.withLock { $0.copies } }

    /// The newest link to an identity that was mailed; `nil` if there is none yet.
    func link(to enrolment: MPinEnrolment) -> MailedLink? {
        copies.reversed().lazy.compactMap(\.link).first { $0.identityId == enrolment.identityId }
    }

    /// Has every mail looked up in the log as it is handed over.
    func watch(_ world: TenureWorld) {
        state.withLock {
            $0.isQueued = { id in
                let count = try? await world.number(
                    """
                    SELECT count(*) FROM tenure.event WHERE kind = 'mail' AND stream_id = \(id) AND type = 'MailQueued'
                    """)
                return count == 1
            }
        }
    }

    /// Makes a service send its mails here.
    func serve(_ options: inout WorldOptions) {
        options.settings.mail = MailSettings(publicURL: "https://id.example", sender: "tenure@id.example")
        options.mailTransport = self
    }

    func send(_ mail: OutgoingMail) async -> MailOutcome {
        let (check, outcome) = state.withLock { ($0.isQueued, $0.outcome) }
        guard outcome == .accepted else { return outcome }
        let isQueued = await check?(mail.id) ?? true
        state.withLock { $0.copies.append(Copy(mail: mail, isQueued: isQueued)) }
        return .accepted
    }
}

/// The members of a link as they were mailed.
struct MailedLink: Sendable, Equatable {
    /// The name of the company, as it is in the path.
    var company: String
    var identityId: String
    var expires: String
    var key: String

    /// The path with the query.
    var path: String { "/mpin/\(company)/verification/\(identityId)?expires=\(expires)&key=\(key)" }
}

extension MPinScene {
    /// Waits until every mail has its last event.
    func mailsSettle() async throws {
        try await world.until { try await world.number("SELECT count(*) FROM tenure.mail_outbox") == 0 }
    }

    /// Waits for the link that was mailed to an identity, and for the last event of each mail.
    func mailedLink(to enrolment: MPinEnrolment, in mailbox: Mailbox) async throws -> MailedLink {
        try await mailsSettle()
        return try #require(mailbox.link(to: enrolment), "the mail of \(enrolment.identityId)")
    }
}
