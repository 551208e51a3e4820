import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The assertion of a passkey: what `navigator.credentials.get` answers, and what authenticators sign.
public struct PasskeyAssertion: Sendable, Hashable {
    /// The greatest number of bytes of a signature in its stored form.
    static let maximumSignatureByteCount = 256

    /// The algorithm of the signature.
    public let algorithm: KeyAlgorithm
    /// What the authenticator says.
    public let authenticatorData: AuthenticatorData
    /// What the browser says.
    public let clientData: ClientData
    /// The signature over the authenticator data and the SHA-256 of the client data: 64 raw bytes or 256 of RSA.
    public let signature: [UInt8]

    /// An assertion as a browser gives it, not yet verified.
    ///
    /// - Parameter signature: The DER form of an ECDSA signature, or the 256 bytes of an RSA signature.
    /// - Throws: ``CredentialsError/Code/evidenceInvalid`` or ``CredentialsError/Code/signatureInvalid``.
    public init(
        algorithm: KeyAlgorithm, authenticatorData: [UInt8], clientDataJSON: [UInt8], signature: [UInt8]
    ) throws(CredentialsError) {
        var raw = signature
        if algorithm == .es256 {
            guard let parsed = try? P256.Signing.ECDSASignature(derRepresentation: signature) else {
                throw CredentialsError(.signatureInvalid)
            }
            raw = Array(parsed.rawRepresentation)
        }
        try self.init(
            algorithm: algorithm, authenticatorData: authenticatorData, clientDataJSON: clientDataJSON,
            rawSignature: raw)
    }

    init(
        algorithm: KeyAlgorithm, authenticatorData: [UInt8], clientDataJSON: [UInt8], rawSignature: [UInt8]
    ) throws(CredentialsError) {
        guard rawSignature.count == algorithm.signatureByteCount else { throw CredentialsError(.signatureInvalid) }
        self.algorithm = algorithm
        self.authenticatorData = try AuthenticatorData(bytes: authenticatorData)
        clientData = try ClientData(bytes: clientDataJSON)
        signature = rawSignature
        guard self.authenticatorData.credential == nil else {
            throw CredentialsError(.evidenceInvalid, field: "attestedCredential")
        }
    }

    /// Verifies the type, the challenge, the flags and the signature.
    ///
    /// - Parameter challenge: The bytes that the page gave to `navigator.credentials.get`.
    func verify(challenge: [UInt8], by key: some DevicePublicKey) throws(CredentialsError) {
        try clientData.require(.get, challenge: challenge)
        try authenticatorData.requireVerifiedUser()
        guard key.algorithm == algorithm, isSigned(by: key) else { throw CredentialsError(.signatureInvalid) }
    }

    private func isSigned(by key: some DevicePublicKey) -> Bool {
        let message = authenticatorData.bytes + Array(SHA256.hash(data: clientData.bytes))
        switch algorithm {
        case .es256: return (try? Signature(raw: signature)).map { key.isValid($0, over: message) } ?? false
        case .rs256: return RSAKey(modulus: key.bytes)?.isValid(signature, over: message) ?? false
        }
    }
}

/// A new passkey as `navigator.credentials.create` answers it. No key signs it: only an assertion over the flow's
/// challenge proves that somebody has the key.
public struct PasskeyCreation: Sendable, Hashable {
    /// What the authenticator says.
    public let authenticatorData: AuthenticatorData
    /// What the browser says.
    public let clientData: ClientData
    /// The new credential and its key.
    public let credential: AuthenticatorData.Credential

    /// Parses a creation.
    ///
    /// - Parameter publicKey: What `getPublicKey()` answers, a DER `SubjectPublicKeyInfo`, if the caller sends it.
    /// - Throws: ``CredentialsError/Code/evidenceInvalid`` for another form, a key that is not the one of `publicKey`, or
    ///   a missing credential.
    public init(
        authenticatorData: [UInt8], clientDataJSON: [UInt8], publicKey: [UInt8]? = nil
    ) throws(CredentialsError) {
        self.authenticatorData = try AuthenticatorData(bytes: authenticatorData)
        clientData = try ClientData(bytes: clientDataJSON)
        guard let credential = self.authenticatorData.credential else {
            throw CredentialsError(.evidenceInvalid, field: "attestedCredential")
        }
        self.credential = credential
        guard publicKey == nil || publicKey == credential.key.subjectPublicKeyInfo else {
            throw CredentialsError(.evidenceInvalid, field: "publicKey")
        }
    }

    /// Checks the creation against what the page asked for.
    ///
    /// - Throws: ``CredentialsError/Code/evidenceInvalid`` or ``CredentialsError/Code/originUnknown``.
    public func check(challenge: [UInt8], rpID: String, origins: [String]) throws(CredentialsError) {
        try clientData.require(.create, challenge: challenge)
        try authenticatorData.requireVerifiedUser()
        try authenticatorData.require(rpID: rpID)
        try clientData.require(origins: origins)
    }
}

extension DevicePublicKey {
    /// The DER `SubjectPublicKeyInfo` (RFC 5280 §4.1), as `getPublicKey()` of a browser writes it.
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
