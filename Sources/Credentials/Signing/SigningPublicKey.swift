import Canonical
import Crypto
import CryptoExtras

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The algorithm of a key's signatures, with SHA-256.
public enum KeyAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// ECDSA on P-256.
    case es256
    /// RSASSA-PKCS1-v1_5 with 2,048 bits and the exponent 65537, which only a passkey has.
    case rs256
}

/// A public key in its one accepted form: the 65-byte uncompressed X9.63 point, validated to lie on P-256.
///
/// Each role has its own type, so that a device key cannot be passed in place of a user key. The key of a device may
/// have another form, see ``DevicePublicKey``.
public protocol SigningPublicKey: Sendable, Hashable, CustomStringConvertible {
    /// The algorithms that a key of this role may have.
    static var algorithms: Set<KeyAlgorithm> { get }

    /// The 65 bytes: 0x04, x (32, big-endian), y (32, big-endian).
    var bytes: [UInt8] { get }

    /// A validated key. Use ``init(bytes:)`` for external input.
    init(validated bytes: CheckedKey)
}

/// The public half of a device key, which may be that of a passkey.
///
/// Its bytes are the 65-byte point, or the modulus of an RSA key: 256 bytes, big-endian, the first bit set, odd. The
/// exponent is always 65537. The number of bytes tells the form.
public protocol DevicePublicKey: SigningPublicKey {}

extension DevicePublicKey {
    /// Both.
    public static var algorithms: Set<KeyAlgorithm> { [.es256, .rs256] }

    /// The algorithm, which the number of bytes tells.
    public var algorithm: KeyAlgorithm { bytes.count == 65 ? .es256 : .rs256 }
}

/// Bytes that are known to be a public key. Only this module creates them.
public struct CheckedKey: Sendable, Hashable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8], _ algorithms: Set<KeyAlgorithm> = [.es256]) throws(CredentialsError) {
        try self.init(kept: bytes, algorithms)
        guard
            bytes.count == 65
                ? (try? P256.Signing.PublicKey(x963Representation: bytes)) != nil : RSAKey(modulus: bytes) != nil
        else { throw CredentialsError(.keyInvalid) }
    }

    /// Bytes that were validated as a key before they were stored.
    init(kept bytes: [UInt8], _ algorithms: Set<KeyAlgorithm> = [.es256]) throws(CredentialsError) {
        switch bytes.count {
        case 65 where algorithms.contains(.es256) && bytes[0] == 0x04: self.bytes = bytes
        case 256 where algorithms.contains(.rs256) && bytes[0] & 0x80 != 0 && bytes[255] & 1 == 1: self.bytes = bytes
        default: throw CredentialsError(.keyInvalid)
        }
    }

    init(_ key: P256.Signing.PublicKey) { bytes = Array(key.x963Representation) }
}

/// An RSA public key of 2,048 bits with the exponent 65537.
struct RSAKey {
    private let key: _RSA.Signing.PublicKey

    /// `nil` if the modulus is refused.
    init?(modulus: [UInt8]) {
        guard let key = try? _RSA.Signing.PublicKey(n: modulus, e: [1, 0, 1] as [UInt8]), key.keySizeInBits == 2_048
        else { return nil }
        self.key = key
    }

    func isValid(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        signature.count == 256
            && key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: message),
                padding: .insecurePKCS1v1_5)
    }
}

extension SigningPublicKey {
    /// P-256 only.
    public static var algorithms: Set<KeyAlgorithm> { [.es256] }

    /// Validates a key.
    ///
    /// - Throws: ``CredentialsError/Code/keyInvalid`` unless `bytes` are 65 bytes, begin with 4 and are on the curve, or
    ///   are an RSA modulus that a device may have.
    public init(bytes: [UInt8]) throws(CredentialsError) {
        self.init(validated: try CheckedKey(bytes, Self.algorithms))
    }

    /// A key that was validated before it was stored where no request can write. Only its form is checked; nothing
    /// verifies under a key that is not a point.
    ///
    /// - Throws: ``CredentialsError/Code/keyInvalid`` unless `bytes` have the form of a key.
    public init(kept bytes: [UInt8]) throws(CredentialsError) {
        self.init(validated: try CheckedKey(kept: bytes, Self.algorithms))
    }

    /// The lower-case hexadecimal SHA-256 of the bytes, 64 characters, which people compare out of band.
    public var fingerprint: String { Hex.encode(hash) }

    /// The SHA-256 of the bytes, 32 bytes.
    public var hash: [UInt8] { Array(SHA256.hash(data: bytes)) }

    /// The fingerprint, because a public key is not secret.
    public var description: String { fingerprint }

    /// Verifies an ECDSA P-256 signature over the SHA-256 of `message`.
    ///
    /// - Throws: ``CredentialsError/Code/signatureInvalid`` unless it verifies.
    public func verify(_ signature: Signature, over message: [UInt8]) throws(CredentialsError) {
        guard isValid(signature, over: message) else { throw CredentialsError(.signatureInvalid) }
    }

    func isValid(_ signature: Signature, over message: [UInt8]) -> Bool {
        guard let key = try? P256.Signing.PublicKey(x963Representation: bytes),
            let ecdsa = try? P256.Signing.ECDSASignature(rawRepresentation: signature.bytes)
        else { return false }
        return key.isValidSignature(ecdsa, for: message)
    }
}

/// The public half of an employee's device key.
public struct EmployeePublicKey: DevicePublicKey {
    /// The 65-byte X9.63 point, or an RSA modulus of 256 bytes.
    public let bytes: [UInt8]
    /// A validated key.
    public init(validated key: CheckedKey) { bytes = key.bytes }
}

/// The public half of a user key.
public struct UserPublicKey: SigningPublicKey {
    /// The 65-byte X9.63 point.
    public let bytes: [UInt8]
    /// A key at a validated point.
    public init(validated point: CheckedKey) { bytes = point.bytes }
}

/// The public half of an app's authority key.
public struct AppAuthorityPublicKey: SigningPublicKey {
    /// The 65-byte X9.63 point.
    public let bytes: [UInt8]
    /// A key at a validated point.
    public init(validated point: CheckedKey) { bytes = point.bytes }
}

/// An ECDSA P-256 signature in its stored form: r ‖ s, 32 bytes each, big-endian (64 bytes).
///
/// From (r, s) anyone can compute (r, n − s), which verifies as well. A signature is therefore never an identifier, a
/// unique key or part of a hash used for look-ups.
public struct Signature: Sendable, Hashable {
    /// The 64 bytes.
    public let bytes: [UInt8]

    /// 64 raw bytes, not yet verified.
    ///
    /// - Throws: ``CredentialsError/Code/signatureInvalid`` unless there are exactly 64.
    public init(raw bytes: [UInt8]) throws(CredentialsError) {
        guard bytes.count == 64 else { throw CredentialsError(.signatureInvalid) }
        self.bytes = bytes
    }

    init(_ signature: P256.Signing.ECDSASignature) { bytes = Array(signature.rawRepresentation) }
}

/// A device's signature as received: raw (64 bytes) or DER (as `openssl dgst -sha256 -sign` writes it).
public enum KeyProof {
    /// The longest DER form of a P-256 signature, in bytes.
    public static let maximumByteCount = 72

    /// Verifies `proof` over `message` and returns the raw form to store.
    ///
    /// Sixty-four bytes are tried as raw first and as DER second, because a DER form can be that short.
    ///
    /// - Throws: ``CredentialsError/Code/signatureInvalid`` unless one of the two forms verifies.
    public static func verify(
        _ proof: [UInt8], over message: [UInt8], by key: some SigningPublicKey
    ) throws(CredentialsError) -> Signature {
        guard proof.count <= maximumByteCount else { throw CredentialsError(.signatureInvalid) }
        if let raw = try? Signature(raw: proof), key.isValid(raw, over: message) { return raw }
        if let der = try? P256.Signing.ECDSASignature(derRepresentation: proof) {
            let signature = Signature(der)
            if key.isValid(signature, over: message) { return signature }
        }
        throw CredentialsError(.signatureInvalid)
    }

    /// Verifies a device's proof over `message`: raw, DER, or the bytes of a passkey's ``DeviceEvidence``.
    ///
    /// It does not judge whether the key is a passkey, nor its origin: ``DeviceEvidence/check(_:origins:)`` does.
    ///
    /// - Throws: ``CredentialsError/Code/signatureInvalid`` or ``CredentialsError/Code/evidenceInvalid``.
    public static func verify(
        _ proof: [UInt8], over message: [UInt8], by key: some DevicePublicKey
    ) throws(CredentialsError) -> DeviceEvidence {
        guard proof.count > maximumByteCount, proof[0] == 2 else {
            let signature: Signature = try verify(proof, over: message, by: key)
            return .signature(signature)
        }
        let evidence = try DeviceEvidence(bytes: proof)
        try evidence.verify(over: message, by: key)
        return evidence
    }

    /// Whether a proof that does not verify over `message` verifies over the base64 text of it, which is a frequent
    /// mistake of clients.
    public static func isOverBase64(_ proof: [UInt8], of message: [UInt8], by key: some SigningPublicKey) -> Bool {
        [Base64.encode(message), Base64URL.encode(message)].contains { text in
            let signature: Signature? = try? verify(proof, over: Array(text.utf8), by: key)
            return signature != nil
        }
    }
}
