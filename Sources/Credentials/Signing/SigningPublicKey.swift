import Canonical
import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The algorithm of a key. The size of the key's bytes says which it is.
public enum KeyAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// ECDSA over P-256 and SHA-256.
    case es256
    /// RSA of 2,048 bits with exponent 65537, PKCS#1 v1.5 and SHA-256. Only passkeys have such keys.
    case rs256
}

/// A public key in its one accepted form: the 65-byte uncompressed X9.63 point of P-256, validated to lie on the curve.
///
/// Each role has its own type, so that a device key cannot be passed in place of a user key.
public protocol SigningPublicKey: Sendable, Hashable, CustomStringConvertible {
    /// The 65 bytes: 0x04, x (32, big-endian), y (32, big-endian). A ``DevicePublicKey`` has another form too.
    var bytes: [UInt8] { get }

    /// What keys of this role may be.
    static var algorithms: [KeyAlgorithm] { get }

    /// A key with validated bytes. Use ``init(bytes:)`` for external input.
    init(validated key: ValidatedKey)
}

/// A public key that may be that of a passkey: a point of P-256, or the 256 bytes of an RSA modulus, big-endian, odd
/// and with its first bit set. The exponent is always 65537.
public protocol DevicePublicKey: SigningPublicKey {}

extension DevicePublicKey {
    /// ES256 and RS256.
    public static var algorithms: [KeyAlgorithm] { KeyAlgorithm.allCases }
}

/// Bytes that are known to be a public key. Only this module creates it.
public struct ValidatedKey: Sendable, Hashable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8], _ algorithms: [KeyAlgorithm]) throws(CredentialsError) {
        try self.init(kept: bytes, algorithms)
        guard bytes.count == 256 || (try? P256.Signing.PublicKey(x963Representation: bytes)) != nil else {
            throw CredentialsError(.keyInvalid)
        }
    }

    /// Bytes that were validated before they were stored.
    init(kept bytes: [UInt8], _ algorithms: [KeyAlgorithm]) throws(CredentialsError) {
        let isWellFormed =
            switch bytes.count {
            case 65: bytes[0] == 0x04 && algorithms.contains(.es256)
            case 256: bytes[0] & 0x80 != 0 && bytes[255] & 1 == 1 && algorithms.contains(.rs256)
            default: false
            }
        guard isWellFormed else { throw CredentialsError(.keyInvalid) }
        self.bytes = bytes
    }

    init(_ key: P256.Signing.PublicKey) { bytes = Array(key.x963Representation) }
}

extension SigningPublicKey {
    /// ES256 only.
    public static var algorithms: [KeyAlgorithm] { [.es256] }

    /// Validates a key.
    ///
    /// - Throws: ``CredentialsError/Code/keyInvalid`` unless `bytes` are a point on P-256, or a modulus where the role
    ///   takes one.
    public init(bytes: [UInt8]) throws(CredentialsError) {
        self.init(validated: try ValidatedKey(bytes, Self.algorithms))
    }

    /// A key that was validated before it was stored where no request can write. Only its form is checked; nothing
    /// verifies under a key that is not a point.
    ///
    /// - Throws: ``CredentialsError/Code/keyInvalid`` unless `bytes` have the form of a key.
    public init(kept bytes: [UInt8]) throws(CredentialsError) {
        self.init(validated: try ValidatedKey(kept: bytes, Self.algorithms))
    }

    /// The algorithm, which the size of the bytes says.
    public var algorithm: KeyAlgorithm { bytes.count == 256 ? .rs256 : .es256 }

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
    /// The 65-byte X9.63 point, or the 256 bytes of an RSA modulus.
    public let bytes: [UInt8]
    /// A key with validated bytes.
    public init(validated key: ValidatedKey) { bytes = key.bytes }
}

/// The public half of a user key.
public struct UserPublicKey: SigningPublicKey {
    /// The 65-byte X9.63 point.
    public let bytes: [UInt8]
    /// A key with validated bytes.
    public init(validated key: ValidatedKey) { bytes = key.bytes }
}

/// The public half of an app's authority key.
public struct AppAuthorityPublicKey: SigningPublicKey {
    /// The 65-byte X9.63 point.
    public let bytes: [UInt8]
    /// A key with validated bytes.
    public init(validated key: ValidatedKey) { bytes = key.bytes }
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

    /// Whether a proof that does not verify over `message` verifies over the base64 text of it, which is a frequent
    /// mistake of clients.
    public static func isOverBase64(_ proof: [UInt8], of message: [UInt8], by key: some SigningPublicKey) -> Bool {
        [Base64.encode(message), Base64URL.encode(message)].contains { text in
            (try? verify(proof, over: Array(text.utf8), by: key)) != nil
        }
    }
}
