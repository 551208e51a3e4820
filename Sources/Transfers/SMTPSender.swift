import Foundation

/// A mail as it is handed to a server: the envelope and the bytes of the message.
package struct SMTPMessage: Sendable {
    /// The address that failures of delivery go to.
    package var sender: String
    /// The address of the one recipient.
    package var recipient: String
    /// Header and body with CRLF line ends. The sender doubles leading dots.
    package var content: [UInt8]

    package init(sender: String, recipient: String, content: [UInt8]) {
        self.sender = sender
        self.recipient = recipient
        self.content = content
    }
}

/// What came of sending one mail.
package enum SMTPOutcome: Sendable, Equatable {
    /// The server took responsibility for the mail.
    case accepted
    /// The server refused the mail for now, with a reply code from 400 to 499.
    case temporarilyRefused(Int)
    /// The server refused the mail for good, with a reply code from 500 to 599.
    case permanentlyRefused(Int)
    /// The server took no mail at all, and was told nothing of this one. The reason is safe to log.
    case unreached(String)
    /// The mail was not handed over, or it is not known whether it was. The reason is safe to log.
    case undelivered(String)
}

/// Sends mails to one server by SMTP (RFC 5321), one connection for each mail.
///
/// ```swift
/// let sender = SMTPSender(server: try SMTPServer(host: "mail.example", port: 587, security: .startTLS))
/// switch await sender.send(message) {
/// case .accepted: …
/// }
/// ```
///
/// libcurl blocks, so every mail has a thread of its own, and none of Swift's cooperative pool waits. A missing STARTTLS
/// and a certificate of another authority or host end the connection before anything is sent.
package struct SMTPSender: Sendable {
    package let server: SMTPServer

    /// Sends to `server`.
    package init(server: SMTPServer) { self.server = server }

    /// Sends a mail. This never throws, and ends within the patience of the server's settings.
    package func send(_ message: SMTPMessage) async -> SMTPOutcome {
        guard Curl.isReady else { return .undelivered("libcurl could not be started") }
        return await Self.blocking { SMTPTransfer(server: server, message: message).run() }
    }

    /// Connects to the server as a mail does, sends none, and returns why none could be sent; `nil` if one could.
    package func check() async -> SMTPFault? {
        guard Curl.isReady else { return .other("libcurl could not be started") }
        return await Self.blocking { SMTPCheck(server: server).run() }
    }

    private static func blocking<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: work()) }
        }
    }
}
