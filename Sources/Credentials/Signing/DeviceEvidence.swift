import Crypto

/// What a device signs with, in the one form that is stored and sent.
///
/// Kind 1 is the signature of a device key, 64 bytes. Kind 2 is the assertion of a passkey: `02`, the algorithm (`01`
/// ES256, `02` RS256), a 16-bit length and the authenticator data, a 16-bit length and the client data, and the
/// signature to the end. Sixty-four bytes are always kind 1, because an assertion is longer.
///
/// ```swift
/// let evidence = try DeviceEvidence(bytes: bytes)
/// try evidence.verify(over: statement.bytes, by: key)     // from the bytes alone
/// try evidence.check(passkey, origins: originsInForce)    // by what the log holds of the key
/// ```
public enum DeviceEvidence: Sendable, Hashable {
    /// The signature of a device key that is no passkey.
    case signature(Signature)
    /// The assertion of a passkey.
    case passkey(PasskeyAssertion)

    /// The greatest number of bytes.
    public static let maximumByteCount =
        6 + AuthenticatorData.maximumByteCount + ClientData.maximumByteCount
        + PasskeyAssertion.maximumSignatureByteCount

    /// Parses the stored form, without verifying it.
    ///
    /// - Throws: ``CredentialsError/Code/evidenceInvalid`` unless ``bytes`` writes exactly these bytes.
    public init(bytes: [UInt8]) throws(CredentialsError) {
        if bytes.count == 64 {
            self = .signature(try Signature(raw: bytes))
            return
        }
        guard bytes.count <= Self.maximumByteCount else { throw CredentialsError(.evidenceInvalid) }
        var reader = ByteReader(bytes, refusal: .evidenceInvalid)
        guard try reader.u8() == 2 else { throw CredentialsError(.evidenceInvalid) }
        let algorithm: KeyAlgorithm
        switch try reader.u8() {
        case 1: algorithm = .es256
        case 2: algorithm = .rs256
        default: throw CredentialsError(.evidenceInvalid, field: "algorithm")
        }
        let authenticatorData = try reader.take(Int(try reader.u16()))
        let clientData = try reader.take(Int(try reader.u16()))
        let signature = try reader.take(algorithm.signatureByteCount)
        try reader.finish()
        self = .passkey(
            try PasskeyAssertion(
                algorithm: algorithm, authenticatorData: authenticatorData, clientDataJSON: clientData,
                rawSignature: signature))
    }

    /// The stored form.
    public var bytes: [UInt8] {
        switch self {
        case .signature(let signature): return signature.bytes
        case .passkey(let assertion):
            var writer = ByteWriter()
            writer.u8(2)
            writer.u8(assertion.algorithm == .es256 ? 1 : 2)
            writer.framed(assertion.authenticatorData.bytes)
            writer.framed(assertion.clientData.bytes)
            writer.raw(assertion.signature)
            return writer.bytes
        }
    }

    /// The assertion, if a passkey made it.
    public var assertion: PasskeyAssertion? {
        guard case .passkey(let assertion) = self else { return nil }
        return assertion
    }

    /// Verifies what the bytes alone tell: the signature, and of an assertion its type, its challenge, which is the
    /// SHA-256 of `message`, and its flags.
    ///
    /// - Throws: ``CredentialsError/Code/signatureInvalid``, or ``CredentialsError/Code/evidenceInvalid`` with the name
    ///   of what differs.
    public func verify(over message: [UInt8], by key: some DevicePublicKey) throws(CredentialsError) {
        switch self {
        case .signature(let signature): try key.verify(signature, over: message)
        case .passkey(let assertion): try assertion.verify(challenge: Array(SHA256.hash(data: message)), by: key)
        }
    }

    /// Checks evidence against what the log holds of its key.
    ///
    /// - Parameters:
    ///   - passkey: The passkey that the key is, or `nil` if it is none.
    ///   - origins: The origins in force, compared byte for byte.
    /// - Throws: ``CredentialsError/Code/evidenceKind`` if the key is of the other kind,
    ///   ``CredentialsError/Code/originUnknown``, or ``CredentialsError/Code/evidenceInvalid`` for another `rpId` or a
    ///   changed backup eligibility.
    public func check(_ passkey: PasskeyIdentity?, origins: [String]) throws(CredentialsError) {
        switch (self, passkey) {
        case (.signature, nil): return
        case (.passkey(let assertion), let passkey?):
            try assertion.authenticatorData.require(rpID: passkey.rpID)
            try assertion.clientData.require(origins: origins)
            guard assertion.authenticatorData.flags.contains(.backupEligible) == passkey.isBackupEligible else {
                throw CredentialsError(.evidenceInvalid, field: "backupEligible")
            }
        default: throw CredentialsError(.evidenceKind)
        }
    }
}

/// What is fixed of a passkey from its presentation on, and judges each of its assertions.
public struct PasskeyIdentity: Sendable, Hashable {
    /// The relying party's id, a host name.
    public var rpID: String
    /// The id of the credential, 1 to 1,023 bytes.
    public var credentialID: [UInt8]
    /// Whether the authenticator may copy the key to other devices.
    public var isBackupEligible: Bool

    /// The identity of a presented passkey.
    public init(rpID: String, credentialID: [UInt8], isBackupEligible: Bool) {
        (self.rpID, self.credentialID, self.isBackupEligible) = (rpID, credentialID, isBackupEligible)
    }
}

extension KeyAlgorithm {
    /// The number of bytes of a signature in its stored form.
    var signatureByteCount: Int { self == .es256 ? 64 : 256 }
}
