public import Canonical

/// A user has credentials.
public struct CredentialsSet: EventPayload {
    /// The permanent name.
    public static let type = "CredentialsSet"
    /// The user.
    public var userID: UserID
    /// The credentials.
    public var credentialID: CredentialID
    /// The record, as its construction defines it.
    public var record: [UInt8]
    /// The e-mail address as entered, under the user's key.
    public var email: Personal
    /// The challenge of the set-up flow: what the device signed.
    public var challenge: [UInt8]
    /// The device's signature over the challenge.
    public var deviceSignature: SignatureBytes
    /// The new user key's signature over its own tag and the challenge: it ties user key and device together.
    public var userSignature: SignatureBytes

    /// Makes the event.
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

    /// The member `data`.
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

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
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
