public import Canonical

/// What a passkey answers to a challenge: the result of `navigator.credentials.get`, or of a platform's own interface.
///
/// ```swift
/// // AuthenticationServices: `assertion` is an ASAuthorizationPlatformPublicKeyCredentialAssertion.
/// let answer = PasskeyAnswer(
///     credentialId: Array(assertion.credentialID), authenticatorData: Array(assertion.rawAuthenticatorData),
///     clientDataJSON: Array(assertion.rawClientDataJSON), signature: Array(assertion.signature),
///     userHandle: Array(assertion.userID))
/// ```
public struct PasskeyAnswer: Sendable, Equatable, RequestObject {
    /// The id of the credential.
    public var credentialId: [UInt8]
    /// What the authenticator says.
    public var authenticatorData: [UInt8]
    /// What the browser or the platform says, UTF-8.
    public var clientDataJSON: [UInt8]
    /// The signature: DER of ES256, or 256 bytes of RS256.
    public var signature: [UInt8]
    /// The handle of the account; a log-in needs it.
    public var userHandle: [UInt8]?

    /// Collects the parts, byte for byte as the authenticator gave them.
    public init(
        credentialId: [UInt8], authenticatorData: [UInt8], clientDataJSON: [UInt8], signature: [UInt8],
        userHandle: [UInt8]? = nil
    ) {
        (self.credentialId, self.authenticatorData) = (credentialId, authenticatorData)
        (self.clientDataJSON, self.signature, self.userHandle) = (clientDataJSON, signature, userHandle)
    }

    /// The members on the wire.
    public static let members = WireMembers<PasskeyAnswer>(
        "PasskeyAnswer", PasskeyAnswer.init, Member("credentialId", \.credentialId, .anyBytes),
        Member("authenticatorData", \.authenticatorData, .anyBytes),
        Member("clientDataJSON", \.clientDataJSON, .anyBytes),
        Member("signature", \.signature, .anyBytes), Member(optional: "userHandle", \.userHandle, .anyBytes))
}

/// A passkey that was just made: the result of `navigator.credentials.create`.
public struct NewPasskey: Sendable, Equatable, RequestObject {
    /// What the authenticator says, with the credential: `getAuthenticatorData()`, or `authData` of the attestation.
    public var authenticatorData: [UInt8]
    /// What the browser or the platform says, UTF-8.
    public var clientDataJSON: [UInt8]

    /// Collects the parts.
    public init(authenticatorData: [UInt8], clientDataJSON: [UInt8]) {
        (self.authenticatorData, self.clientDataJSON) = (authenticatorData, clientDataJSON)
    }

    /// The members on the wire.
    public static let members = WireMembers<NewPasskey>(
        "NewPasskey", NewPasskey.init, Member("authenticatorData", \.authenticatorData, .anyBytes),
        Member("clientDataJSON", \.clientDataJSON, .anyBytes))
}

/// The body of `POST /v1/logins/passkey`.
public struct PasskeyLoginRequest: Sendable, Equatable, RequestObject {
    /// The challenge of the options.
    public var challenge: [UInt8]
    /// What the passkey answered to it.
    public var answer: PasskeyAnswer

    /// Describes a log-in.
    public init(challenge: [UInt8], answer: PasskeyAnswer) { (self.challenge, self.answer) = (challenge, answer) }

    /// The members on the wire.
    public static let members = WireMembers<PasskeyLoginRequest>(
        "PasskeyLoginRequest", PasskeyLoginRequest.init, Member("challenge", \.challenge, .anyBytes),
        Member("answer", \.answer))
}

/// The body of `POST /v1/passkeys`.
public struct PasskeyRequest: Sendable, Equatable, RequestObject {
    /// The challenge of the options, which both the creation and the answer are about.
    public var challenge: [UInt8]
    /// The new passkey.
    public var creation: NewPasskey
    /// What it answered next: nobody signs a creation.
    public var answer: PasskeyAnswer

    /// Describes a further passkey.
    public init(challenge: [UInt8], creation: NewPasskey, answer: PasskeyAnswer) {
        (self.challenge, self.creation, self.answer) = (challenge, creation, answer)
    }

    /// The members on the wire.
    public static let members = WireMembers<PasskeyRequest>(
        "PasskeyRequest", PasskeyRequest.init, Member("challenge", \.challenge, .anyBytes),
        Member("creation", \.creation),
        Member("answer", \.answer))
}
