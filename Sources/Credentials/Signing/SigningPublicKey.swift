import Canonical
import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A P-256 public key in its one accepted form: the 65-byte uncompressed X9.63 point, validated to lie on the curve.
///
/// Each role has its own type, so that a device key cannot be passed in place of a user key.
public protocol SigningPublicKey: Sendable, Hashable, CustomStringConvertible {
    /// The 65 bytes: 0x04, x (32, big-endian), y (32, big-endian).
    var bytes: [UInt8] { get }

    /// A key at a validated point. Use ``init(bytes:)`` for external input.
    init(validated bytes: ValidatedPoint)
}

/// Sixty-five bytes that are known to be a point on P-256. Only this module creates it.
public struct ValidatedPoint: Sendable, Hashable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) throws(CredentialsError) {
        guard bytes.count == 65, bytes[0] == 0x04, (try? P256.Signing.PublicKey(x963Representation: bytes)) != nil
        else { throw CredentialsError(.keyInvalid) }
        self.bytes = bytes
    }

    /// Bytes that were validated as a point before they were stored.
    init(kept bytes: [UInt8]) throws(CredentialsError) {
        guard bytes.count == 65, bytes[0] == 0x04 else { throw CredentialsError(.keyInvalid) }
        self.bytes = bytes
    }

    init(_ key: P256.Signing.PublicKey) { bytes = Array(key.x963Representation) }
}

extension SigningPublicKey {
    /// Validates a key.
    ///
    /// - Throws: ``CredentialsError/Code/keyInvalid`` unless `bytes` are 65 bytes, begin with 4 and are on the curve.
    public init(bytes: [UInt8]) throws(CredentialsError) { self.init(validated: try ValidatedPoint(bytes)) }

    /// A key that was validated before it was stored where no request can write. Only its form is checked; nothing
    /// verifies under a key that is not a point.
    ///
    /// - Throws: ``CredentialsError/Code/keyInvalid`` unless `bytes` are 65 bytes and begin with 4.
    public init(kept bytes: [UInt8]) throws(CredentialsError) { self.init(validated: try ValidatedPoint(kept: bytes)) }

    /// The lower-case hexadecimal SHA-256 of the 65 bytes, 64 characters, which people compare out of band.
    public var fingerprint: String { Hex.encode(hash) }

    /// The SHA-256 of the 65 bytes, 32 bytes.
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
public struct EmployeePublicKey: SigningPublicKey {
    /// The 65-byte X9.63 point.
    public let bytes: [UInt8]
    /// A key at a validated point.
    public init(validated point: ValidatedPoint) { bytes = point.bytes }
}

/// The public half of a user key.
public struct UserPublicKey: SigningPublicKey {
    /// The 65-byte X9.63 point.
    public let bytes: [UInt8]
    /// A key at a validated point.
    public init(validated point: ValidatedPoint) { bytes = point.bytes }
}

/// The public half of an app's authority key.
public struct AppAuthorityPublicKey: SigningPublicKey {
    /// The 65-byte X9.63 point.
    public let bytes: [UInt8]
    /// A key at a validated point.
    public init(validated point: ValidatedPoint) { bytes = point.bytes }
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
