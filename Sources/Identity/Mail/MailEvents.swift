public import Canonical

/// A mail is to be sent. The event holds neither an address nor a link.
public struct MailQueued: EventPayload {
    /// The permanent type name of the event.
    public static let type = "MailQueued"
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

    /// Each parameter sets the member of the same name.
    public init(
        mailID: MailID, recipient: MailRecipient, kind: MailKind, locale: MailLanguage? = nil, expiresAt: Timestamp
    ) {
        self.mailID = mailID
        self.recipient = recipient
        self.kind = kind
        self.locale = locale
        self.expiresAt = expiresAt
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .objectOmittingNil([
            "mailId": mailID.json,
            "recipient": recipient.json,
            "kind": .string(kind.rawValue),
            "locale": locale.map { .string($0.rawValue) },
            "expiresAt": .timestamp(expiresAt),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        mailID = try reader.id("mailId")
        recipient = try reader.recipient("recipient")
        kind = try reader.one("kind")
        locale = try reader.optionalOne("locale")
        expiresAt = try reader.time("expiresAt")
        try reader.finish()
    }
}

/// A mail server accepted the mail.
public struct MailSent: EventPayload {
    /// The permanent type name of the event.
    public static let type = "MailSent"
    /// The number of attempts, this one included.
    public var attempts: Int

    /// Each parameter sets the member of the same name.
    public init(attempts: Int) { self.attempts = attempts }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try EventLimits.checkAttempts(attempts)
        return .object(["attempts": .integer(Int64(attempts))])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        attempts = try reader.count("attempts")
        try reader.finish()
    }
}

/// A mail was given up.
public struct MailFailed: EventPayload {
    /// The permanent type name of the event.
    public static let type = "MailFailed"
    /// The number of attempts to send it.
    public var attempts: Int
    /// The reason: `smtp_` and the reply code, `address_invalid`, `expired`, `not_needed` or `dropped`.
    public var code: ReasonCode

    /// Each parameter sets the member of the same name.
    public init(attempts: Int, code: ReasonCode) {
        self.attempts = attempts
        self.code = code
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try EventLimits.checkAttempts(attempts)
        return .object(["attempts": .integer(Int64(attempts)), "code": .string(code.text)])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        attempts = try reader.count("attempts")
        code = try reader.reason("code")
        try reader.finish()
    }
}

extension EventLimits {
    fileprivate static func checkAttempts(_ attempts: Int) throws(EventError) {
        guard count.contains(attempts) else { throw EventError(.invalidValue, "/data/attempts") }
    }
}
