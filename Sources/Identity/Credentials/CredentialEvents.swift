public import Canonical

/// Credentials were set for a new user.
public struct CredentialsSet: EventPayload {
    /// The permanent type name of the event.
    public static let type = "CredentialsSet"
    /// The user.
    public var userID: UserID
    /// The credentials.
    public var credentialID: CredentialID
    /// The record, as its construction defines it.
    public var record: [UInt8]
    /// The e-mail address as entered, encrypted under the user's key.
    public var email: Personal
    /// The challenge of the set-up flow, which the device signed.
    public var challenge: [UInt8]
    /// The device's signature over the challenge.
    public var deviceSignature: SignatureBytes
    /// The new user key's signature over its own tag and the challenge, which binds user key and device together.
    public var userSignature: SignatureBytes

    /// Each parameter sets the member of the same name.
    public init(
        userID: UserID, credentialID: CredentialID, record: [UInt8], email: Personal, challenge: [UInt8],
        deviceSignature: SignatureBytes, userSignature: SignatureBytes
    ) {
        self.userID = userID
        self.credentialID = credentialID
        self.record = record
        self.email = email
        self.challenge = challenge
        self.deviceSignature = deviceSignature
        self.userSignature = userSignature
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try EventLimits.check(record, EventLimits.record, "/data/record")
        try EventLimits.check(challenge, EventLimits.challenge, "/data/challenge")
        return try .objectOmittingNil([
            "userId": userID.json,
            "credentialId": credentialID.json,
            "record": .bytes(record),
            "email": coder.seal(email, at: "/data/email"),
            "challenge": .bytes(challenge),
            "deviceSignature": .bytes(deviceSignature.bytes),
            "userSignature": .bytes(userSignature.bytes),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        userID = try reader.id("userId")
        credentialID = try reader.id("credentialId")
        record = try reader.bytes("record", EventLimits.record)
        email = try reader.personal("email")
        challenge = try reader.bytes("challenge", EventLimits.challenge)
        deviceSignature = try reader.signature("deviceSignature")
        userSignature = try reader.signature("userSignature")
        try reader.finish()
    }
}

/// A user's credentials were replaced, by a change or by a recovery.
public struct CredentialsChanged: EventPayload {
    /// The permanent type name of the event.
    public static let type = "CredentialsChanged"
    /// The user.
    public var userID: UserID
    /// The new credentials.
    public var credentialID: CredentialID
    /// The replaced credentials, which are no longer valid.
    public var previousCredentialID: CredentialID
    /// The new record, as its construction defines it. The replaced user key signed it, or it names the decisions of a
    /// recovery.
    public var record: [UInt8]
    /// The challenge of the flow, which names the replaced credentials and which the device signed.
    public var challenge: [UInt8]
    /// The device's signature over the challenge.
    public var deviceSignature: SignatureBytes
    /// The new user key's signature over its own tag and the challenge, which binds user key and device together.
    public var userSignature: SignatureBytes

    /// Each parameter sets the member of the same name.
    public init(
        userID: UserID, credentialID: CredentialID, previousCredentialID: CredentialID, record: [UInt8],
        challenge: [UInt8], deviceSignature: SignatureBytes, userSignature: SignatureBytes
    ) {
        self.userID = userID
        self.credentialID = credentialID
        self.previousCredentialID = previousCredentialID
        self.record = record
        self.challenge = challenge
        self.deviceSignature = deviceSignature
        self.userSignature = userSignature
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try EventLimits.check(record, EventLimits.record, "/data/record")
        try EventLimits.check(challenge, EventLimits.challenge, "/data/challenge")
        return .objectOmittingNil([
            "userId": userID.json,
            "credentialId": credentialID.json,
            "previousCredentialId": previousCredentialID.json,
            "record": .bytes(record),
            "challenge": .bytes(challenge),
            "deviceSignature": .bytes(deviceSignature.bytes),
            "userSignature": .bytes(userSignature.bytes),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        userID = try reader.id("userId")
        credentialID = try reader.id("credentialId")
        previousCredentialID = try reader.id("previousCredentialId")
        record = try reader.bytes("record", EventLimits.record)
        challenge = try reader.bytes("challenge", EventLimits.challenge)
        deviceSignature = try reader.signature("deviceSignature")
        userSignature = try reader.signature("userSignature")
        try reader.finish()
    }
}
