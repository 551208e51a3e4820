public import Canonical

/// A user has other credentials, set by somebody who opened those before.
public struct CredentialsChanged: EventPayload {
    /// The permanent name.
    public static let type = "CredentialsChanged"
    /// The user.
    public var userID: UserID
    /// The new credentials.
    public var credentialID: CredentialID
    /// The credentials they replace, which open nothing any more.
    public var previousCredentialID: CredentialID
    /// The new record, as its construction defines it: the replaced user key has signed it.
    public var record: [UInt8]
    /// The challenge of the flow, which names the replaced credentials: what the device signed.
    public var challenge: [UInt8]
    /// The device's signature over the challenge.
    public var deviceSignature: SignatureBytes
    /// The new user key's signature over its own tag and the challenge: it ties user key and device together.
    public var userSignature: SignatureBytes

    /// Makes the event.
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

    /// The member `data`.
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

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
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
