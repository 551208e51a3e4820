import Canonical
import Crypto

/// The answer of a browser to `navigator.credentials.create`.
///
/// With attestation `none` nobody signs it. A registration counts only with a ``PasskeyAssertion`` of the new key.
public struct PasskeyCreation: Sendable, Hashable {
    /// The algorithm that the browser named.
    public var algorithm: KeyAlgorithm
    /// The bytes of `getAuthenticatorData()`.
    public var authenticatorData: [UInt8]
    /// The bytes of `clientDataJSON`.
    public var clientDataJSON: [UInt8]
    /// The bytes of `getPublicKey()`, if the browser has that function.
    public var publicKeySPKI: [UInt8]?

    /// The answer, not yet checked.
    public init(
        algorithm: KeyAlgorithm, authenticatorData: [UInt8], clientDataJSON: [UInt8], publicKeySPKI: [UInt8]?
    ) {
        (self.algorithm, self.authenticatorData) = (algorithm, authenticatorData)
        (self.clientDataJSON, self.publicKeySPKI) = (clientDataJSON, publicKeySPKI)
    }

    /// Checks the answer and returns what is registered.
    ///
    /// - Parameters:
    ///   - message: The bytes whose SHA-256 the browser was given as its challenge.
    ///   - rpID: The host name under which keys are made.
    ///   - origins: The origins in force.
    /// - Throws: ``CredentialsError/Code/evidenceInvalid``, ``CredentialsError/Code/originUnknown`` or
    ///   ``CredentialsError/Code/keyInvalid``.
    public func registration(
        over message: [UInt8], rpID: String, origins: [String]
    ) throws(CredentialsError) -> PasskeyRegistration {
        let client = try ClientData(bytes: clientDataJSON)
        try client.require(.create)
        guard client.challenge == PasskeyAssertion.challenge(for: message) else {
            throw CredentialsError(.evidenceInvalid, field: "challenge")
        }
        try client.require(oneOf: origins)
        let data = try AuthenticatorData(creation: authenticatorData, algorithm)
        try data.requireVerifiedUser()
        guard let new = data.newKey else { throw CredentialsError(.evidenceInvalid, field: "flags") }
        let identity = PasskeyIdentity(
            rpID: rpID, credentialID: new.credentialID, backupEligible: data.flags.contains(.backupEligible))
        try identity.require(data)
        guard publicKeySPKI.map({ $0 == new.key.subjectPublicKeyInfo }) ?? true else {
            throw CredentialsError(.keyInvalid, field: "publicKey")
        }
        return PasskeyRegistration(
            key: new.key, identity: identity, flags: data.flags, counter: data.counter, aaguid: new.aaguid)
    }
}

/// What a checked creation registers.
public struct PasskeyRegistration: Sendable, Hashable {
    /// The new public key.
    public let key: EmployeePublicKey
    /// What later assertions are compared with.
    public let identity: PasskeyIdentity
    /// The flags of the creation, which nobody signed.
    public let flags: AuthenticatorData.Flags
    /// The counter of the creation.
    public let counter: UInt32
    /// The model of the authenticator, 16 bytes.
    public let aaguid: [UInt8]

    /// The id of the credential.
    public var credentialID: [UInt8] { identity.credentialID }
}

extension DevicePublicKey {
    /// The key as a SubjectPublicKeyInfo (RFC 5280) in DER: 91 bytes for P-256, 294 for RSA.
    public var subjectPublicKeyInfo: [UInt8] {
        switch algorithm {
        case .es256:
            [
                0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86,
                0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
            ] + bytes
        case .rs256:
            [
                0x30, 0x82, 0x01, 0x22, 0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01,
                0x05, 0x00, 0x03, 0x82, 0x01, 0x0f, 0x00, 0x30, 0x82, 0x01, 0x0a, 0x02, 0x82, 0x01, 0x01, 0x00,
            ] + bytes + [0x02, 0x03, 0x01, 0x00, 0x01]
        }
    }
}
