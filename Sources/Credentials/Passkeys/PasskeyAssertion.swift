import Crypto
import CryptoExtras

/// A passkey's signature, with what it covers: the answer of a browser to `navigator.credentials.get`.
///
/// What it stands for is the SHA-256 of Tenure's bytes, which the browser was given as its challenge.
public struct PasskeyAssertion: Sendable, Hashable {
    /// The algorithm of the key.
    public let algorithm: KeyAlgorithm
    /// What the authenticator says.
    public let authenticator: AuthenticatorData
    /// What the browser says.
    public let client: ClientData
    /// The signature: r ‖ s (64 bytes), or that of RSA (256 bytes).
    public let signature: [UInt8]

    /// The exact bytes of what the authenticator says.
    public var authenticatorData: [UInt8] { authenticator.bytes }
    /// The exact bytes of what the browser says.
    public var clientDataJSON: [UInt8] { client.bytes }

    /// An assertion in its stored form, not yet verified.
    ///
    /// - Throws: ``CredentialsError/Code/evidenceInvalid`` if a part does not have its form.
    public init(
        algorithm: KeyAlgorithm, authenticatorData: [UInt8], clientDataJSON: [UInt8], signature: [UInt8]
    ) throws(CredentialsError) {
        guard signature.count == (algorithm == .es256 ? 64 : 256) else {
            throw CredentialsError(.evidenceInvalid, field: "signature")
        }
        self.algorithm = algorithm
        authenticator = try AuthenticatorData(assertion: authenticatorData)
        client = try ClientData(bytes: clientDataJSON)
        self.signature = signature
    }

    /// An assertion as a browser hands it over, whose signature of P-256 is DER.
    ///
    /// - Parameter algorithm: That of the registered key.
    /// - Throws: ``CredentialsError/Code/evidenceInvalid`` if a part does not have its form.
    public init(
        response algorithm: KeyAlgorithm, authenticatorData: [UInt8], clientDataJSON: [UInt8], signature: [UInt8]
    ) throws(CredentialsError) {
        var stored = signature
        if algorithm == .es256 {
            guard let ecdsa = try? P256.Signing.ECDSASignature(derRepresentation: signature) else {
                throw CredentialsError(.evidenceInvalid, field: "signature")
            }
            stored = Array(ecdsa.rawRepresentation)
        }
        try self.init(
            algorithm: algorithm, authenticatorData: authenticatorData, clientDataJSON: clientDataJSON,
            signature: stored)
    }

    /// The challenge that a browser is given for a message: its SHA-256, 32 bytes.
    public static func challenge(for message: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: message)) }

    /// Verifies the assertion as one over a message, by the key and the bytes alone.
    ///
    /// - Throws: ``CredentialsError/Code/evidenceInvalid`` for another ceremony, another challenge or flags that are
    ///   refused, or ``CredentialsError/Code/signatureInvalid``.
    func verify(over message: [UInt8], by key: some DevicePublicKey) throws(CredentialsError) {
        try client.require(.get)
        guard client.challenge == Self.challenge(for: message) else {
            throw CredentialsError(.evidenceInvalid, field: "challenge")
        }
        try authenticator.requireVerifiedUser()
        guard key.algorithm == algorithm, isSigned(by: key) else { throw CredentialsError(.signatureInvalid) }
    }

    private func isSigned(by key: some DevicePublicKey) -> Bool {
        let signed = authenticatorData + SHA256.hash(data: clientDataJSON)
        switch algorithm {
        case .es256:
            guard let raw = try? Signature(raw: signature) else { return false }
            return key.isValid(raw, over: signed)
        case .rs256:
            let exponent: [UInt8] = [0x01, 0x00, 0x01]
            guard let rsa = try? _RSA.Signing.PublicKey(n: key.bytes, e: exponent) else { return false }
            return rsa.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: signed, padding: .insecurePKCS1v1_5)
        }
    }
}
