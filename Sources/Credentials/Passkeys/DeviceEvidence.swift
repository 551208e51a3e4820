/// What proves that the holder of a device key agreed to bytes.
///
/// Its bytes have exactly one encoding. Kind 1, of a device's own key, is the 64 bytes of a ``Signature``. Kind 2, of a
/// passkey, is 2, the algorithm (1 ES256, 2 RS256), authenticator data and client data each after its 16-bit length, and
/// the signature to the end.
public enum DeviceEvidence: Sendable, Hashable {
    /// Kind 1: a signature over the bytes themselves.
    case signature(Signature)
    /// Kind 2: a passkey's signature over what authenticator and browser say about the bytes.
    case passkey(PasskeyAssertion)

    /// The greatest size of evidence in bytes.
    public static let maximumByteCount =
        2 + 2 + AuthenticatorData.maximumByteCount + 2 + ClientData.maximumByteCount + 256

    private static let passkeyKind: UInt8 = 2

    /// The bytes to store.
    public var bytes: [UInt8] {
        switch self {
        case .signature(let signature): return signature.bytes
        case .passkey(let assertion):
            var writer = ByteWriter()
            writer.u8(Self.passkeyKind)
            writer.u8(assertion.algorithm == .es256 ? 1 : 2)
            writer.framed(assertion.authenticatorData)
            writer.framed(assertion.clientDataJSON)
            writer.raw(assertion.signature)
            return writer.bytes
        }
    }

    /// Reads stored evidence, not yet verified. Sixty-four bytes are always kind 1.
    ///
    /// - Throws: ``CredentialsError/Code/evidenceInvalid``.
    public init(bytes: [UInt8]) throws(CredentialsError) {
        if let signature = try? Signature(raw: bytes) {
            self = .signature(signature)
            return
        }
        guard bytes.count <= Self.maximumByteCount else { throw CredentialsError(.evidenceInvalid) }
        var reader = ByteReader(bytes, refusal: .evidenceInvalid)
        guard try reader.u8() == Self.passkeyKind else { throw CredentialsError(.evidenceInvalid) }
        let algorithm: KeyAlgorithm
        switch try reader.u8() {
        case 1: algorithm = .es256
        case 2: algorithm = .rs256
        default: throw CredentialsError(.evidenceInvalid)
        }
        let authenticatorData = try reader.take(Int(try reader.u16()))
        let clientDataJSON = try reader.take(Int(try reader.u16()))
        let signature = try reader.take(algorithm == .es256 ? 64 : 256)
        try reader.finish()
        self = .passkey(
            try PasskeyAssertion(
                algorithm: algorithm, authenticatorData: authenticatorData, clientDataJSON: clientDataJSON,
                signature: signature))
    }

    /// Reads and verifies a proof as received: a raw or DER signature (``KeyProof``), or evidence of kind 2.
    ///
    /// - Throws: ``CredentialsError/Code/signatureInvalid`` or ``CredentialsError/Code/evidenceInvalid``.
    public static func verified(
        _ proof: [UInt8], over message: [UInt8], by key: some DevicePublicKey
    ) throws(CredentialsError) -> DeviceEvidence {
        guard proof.count > KeyProof.maximumByteCount else {
            return .signature(try KeyProof.verify(proof, over: message, by: key))
        }
        let evidence = try DeviceEvidence(bytes: proof)
        try evidence.verify(over: message, by: key)
        return evidence
    }

    /// Verifies the evidence from its bytes and the key alone. ``check(_:origins:)`` says whether it is of the right kind
    /// and from the right place.
    ///
    /// - Throws: ``CredentialsError/Code/evidenceInvalid`` for an assertion about other bytes or with refused flags, or
    ///   ``CredentialsError/Code/signatureInvalid``.
    public func verify(over message: [UInt8], by key: some DevicePublicKey) throws(CredentialsError) {
        switch self {
        case .signature(let signature): try key.verify(signature, over: message)
        case .passkey(let assertion): try assertion.verify(over: message, by: key)
        }
    }

    /// Compares the evidence with what its key was registered as.
    ///
    /// - Parameters:
    ///   - passkey: The facts of the passkey, or `nil` for a device's own key.
    ///   - origins: The origins that were in force.
    /// - Throws: ``CredentialsError/Code/evidenceKind``, ``CredentialsError/Code/originUnknown`` or
    ///   ``CredentialsError/Code/evidenceInvalid``.
    public func check(_ passkey: PasskeyIdentity?, origins: [String]) throws(CredentialsError) {
        switch (self, passkey) {
        case (.signature, nil): return
        case (.passkey(let assertion), let passkey?):
            try passkey.require(assertion.authenticator)
            try assertion.client.require(oneOf: origins)
        default: throw CredentialsError(.evidenceKind)
        }
    }
}
