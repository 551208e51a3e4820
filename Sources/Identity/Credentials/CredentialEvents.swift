import Canonical

/// Credentials were set for a new user.
package struct CredentialsSet: EventPayload {
    package var userID: UserID
    package var credentialID: CredentialID
    /// The record, as its construction defines it.
    package var record: [UInt8]
    /// The e-mail address as entered, encrypted under the user's key.
    package var email: Personal
    /// The challenge of the set-up flow, which the device signed.
    package var challenge: [UInt8]
    /// The device's signature over the challenge.
    package var deviceSignature: SignatureBytes
    /// The new user key's signature over its own tag and the challenge, which binds user key and device together.
    package var userSignature: SignatureBytes
    /// `true` if the record is of a random passphrase that nobody knows; absent otherwise.
    package var secretless: Bool?

    package static let members = EventMembers<CredentialsSet>(
        "CredentialsSet", CredentialsSet.init,
        Member("userId", \.userID), Member("credentialId", \.credentialID),
        Member("record", \.record, .bytes(EventLimits.record)), Member("email", \.email),
        Member("challenge", \.challenge, .bytes(EventLimits.challenge)),
        Member("deviceSignature", \.deviceSignature), Member("userSignature", \.userSignature, .raw),
        Member(optional: "secretless", \.secretless, .onlyTrue))

    package init(
        userID: UserID, credentialID: CredentialID, record: [UInt8], email: Personal, challenge: [UInt8],
        deviceSignature: SignatureBytes, userSignature: SignatureBytes, secretless: Bool? = nil
    ) {
        self.userID = userID
        self.credentialID = credentialID
        self.record = record
        self.email = email
        self.challenge = challenge
        self.deviceSignature = deviceSignature
        self.userSignature = userSignature
        self.secretless = secretless
    }
}

/// A user's credentials were replaced, by a change or by a recovery.
package struct CredentialsChanged: EventPayload {
    package var userID: UserID
    package var credentialID: CredentialID
    /// The replaced credentials, which are no longer valid.
    package var previousCredentialID: CredentialID
    /// The new record, as its construction defines it. The replaced user key signed it, or it names the decisions of a
    /// recovery.
    package var record: [UInt8]
    /// The challenge of the flow, which names the replaced credentials and which the device signed.
    package var challenge: [UInt8]
    /// The device's signature over the challenge.
    package var deviceSignature: SignatureBytes
    /// The new user key's signature over its own tag and the challenge, which binds user key and device together.
    package var userSignature: SignatureBytes
    /// `true` if the record is of a random passphrase that nobody knows; absent otherwise.
    package var secretless: Bool?

    package static let members = EventMembers<CredentialsChanged>(
        "CredentialsChanged", CredentialsChanged.init,
        Member("userId", \.userID), Member("credentialId", \.credentialID),
        Member("previousCredentialId", \.previousCredentialID),
        Member("record", \.record, .bytes(EventLimits.record)),
        Member("challenge", \.challenge, .bytes(EventLimits.challenge)),
        Member("deviceSignature", \.deviceSignature), Member("userSignature", \.userSignature, .raw),
        Member(optional: "secretless", \.secretless, .onlyTrue))

    package init(
        userID: UserID, credentialID: CredentialID, previousCredentialID: CredentialID, record: [UInt8],
        challenge: [UInt8], deviceSignature: SignatureBytes, userSignature: SignatureBytes, secretless: Bool? = nil
    ) {
        self.userID = userID
        self.credentialID = credentialID
        self.previousCredentialID = previousCredentialID
        self.record = record
        self.challenge = challenge
        self.deviceSignature = deviceSignature
        self.userSignature = userSignature
        self.secretless = secretless
    }
}

extension MemberKind where Value == Bool {
    /// A boolean that is `true` or absent.
    fileprivate static var onlyTrue: MemberKind {
        MemberKind(.boolean) { (json, place) throws(JSONError) in
            guard json == .bool(true) else { throw place.invalid("true is expected, or no member") }
            return true
        } write: { (_, _) in
            .bool(true)
        }
    }
}
