package import FoundationEssentials

/// Something that takes mails for delivery: a mail server, or a directory in development.
package protocol MailTransport: Sendable {
    /// Hands over one mail. It ends within a minute, and a second copy of a mail has the same content and id.
    func send(_ mail: OutgoingMail) async -> MailOutcome
}

/// A mail as it is handed over.
package struct OutgoingMail: Sendable {
    /// The id of the mail, which its `Message-ID` contains.
    package var id: UUID
    /// The address of the sender.
    package var sender: String
    /// The address of the recipient.
    package var recipient: String
    /// Header and body with CRLF line ends, in ASCII.
    package var content: [UInt8]
}

/// What came of handing over a mail.
package enum MailOutcome: Sendable, Equatable {
    case accepted
    /// It was refused for now, with the reply code of the server.
    case temporarilyRefused(Int)
    /// It was refused for good, with the reply code of the server.
    case permanentlyRefused(Int)
    /// The server took no mail at all, and was told nothing of this one. The reason is safe to log.
    case unreached(String)
    /// It was not handed over, or that is not known. The reason is safe to log.
    case undelivered(String)
}
