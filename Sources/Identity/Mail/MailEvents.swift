public import Canonical

/// A mail is to be sent. The event holds neither an address nor a link.
public struct MailQueued: EventPayload {
    /// The mail.
    public var mailID: MailID
    /// Whom the mail goes to.
    public var recipient: MailRecipient
    /// What the mail is about.
    public var kind: MailKind
    /// The language of the text; `nil` if it is unknown.
    public var locale: MailLanguage?
    /// When the mail is given up.
    public var expiresAt: Timestamp

    /// The members as the log has them.
    public static let members = EventMembers<MailQueued>(
        "MailQueued", MailQueued.init,
        Member("mailId", \.mailID), Member("recipient", \.recipient), Member("kind", \.kind),
        Member(optional: "locale", \.locale), Member("expiresAt", \.expiresAt))

    package init(
        mailID: MailID, recipient: MailRecipient, kind: MailKind, locale: MailLanguage? = nil, expiresAt: Timestamp
    ) {
        self.mailID = mailID
        self.recipient = recipient
        self.kind = kind
        self.locale = locale
        self.expiresAt = expiresAt
    }
}

/// A mail server accepted the mail.
public struct MailSent: EventPayload {
    /// The number of attempts, this one included.
    public var attempts: Int

    /// The members as the log has them.
    public static let members = EventMembers<MailSent>(
        "MailSent", MailSent.init,
        Member("attempts", \.attempts, .count))

    package init(attempts: Int) {
        self.attempts = attempts
    }
}

/// A mail was given up.
public struct MailFailed: EventPayload {
    /// The number of attempts to send it.
    public var attempts: Int
    /// The reason: `smtp_` and the reply code, `address_invalid`, `expired`, `not_needed` or `dropped`.
    public var code: ReasonCode

    /// The members as the log has them.
    public static let members = EventMembers<MailFailed>(
        "MailFailed", MailFailed.init,
        Member("attempts", \.attempts, .count), Member("code", \.code))

    package init(attempts: Int, code: ReasonCode) {
        self.attempts = attempts
        self.code = code
    }
}
