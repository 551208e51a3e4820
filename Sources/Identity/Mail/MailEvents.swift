package import Canonical

/// A mail is to be sent. The event holds neither an address nor a link.
package struct MailQueued: EventPayload {
    package var mailID: MailID
    /// Whom the mail goes to.
    package var recipient: MailRecipient
    /// What the mail is about.
    package var kind: MailKind
    /// The language of the text; `nil` if it is unknown.
    package var locale: MailLanguage?
    /// When the mail is given up.
    package var expiresAt: Timestamp

    package static let members = EventMembers<MailQueued>(
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
package struct MailSent: EventPayload {
    /// The number of attempts, this one included.
    package var attempts: Int

    package static let members = EventMembers<MailSent>(
        "MailSent", MailSent.init,
        Member("attempts", \.attempts, .count))

    package init(attempts: Int) {
        self.attempts = attempts
    }
}

/// A mail was given up.
package struct MailFailed: EventPayload {
    /// The number of attempts to send it.
    package var attempts: Int
    /// The reason: `smtp_` and the reply code, `address_invalid`, `expired`, `not_needed` or `dropped`.
    package var code: ReasonCode

    package static let members = EventMembers<MailFailed>(
        "MailFailed", MailFailed.init,
        Member("attempts", \.attempts, .count), Member("code", \.code))

    package init(attempts: Int, code: ReasonCode) {
        self.attempts = attempts
        self.code = code
    }
}
