import Crypto
import CryptoExtras

/// The public half of a VOPRF key: a compressed P-384 point, 49 bytes, validated to lie on the curve.
public struct OPRFPublicKey: Sendable, Hashable {
    /// The 49 bytes: 2 or 3, then x (48, big-endian).
    public let bytes: [UInt8]

    /// Validates and takes a key.
    ///
    /// - Throws: ``CredentialsError/Code/keyInvalid``.
    public init(bytes: [UInt8]) throws(CredentialsError) {
        guard P384Point.isCompressed(bytes) else { throw CredentialsError(.keyInvalid) }
        self.bytes = bytes
    }

    /// Takes a key that was computed here, or validated before it was kept where no stranger writes; only its form is
    /// looked at.
    init(kept bytes: [UInt8]) throws(CredentialsError) {
        guard P384Point.hasForm(bytes) else { throw CredentialsError(.keyInvalid) }
        self.bytes = bytes
    }

    init(_ key: P384._VOPRF.PublicKey) { bytes = Array(key.compressedRepresentation) }

    func libraryKey() throws(CredentialsError) -> P384._VOPRF.PublicKey {
        do {
            return try P384._VOPRF.PublicKey(compressedRepresentation: bytes)
        } catch {
            throw CredentialsError(.keyInvalid)
        }
    }
}

enum P384Point {
    static let byteCount = 49

    /// Whether `bytes` are exactly one compressed point on P-384; the point at infinity has no such form.
    static func isCompressed(_ bytes: [UInt8]) -> Bool {
        hasForm(bytes) && (try? P384.KeyAgreement.PublicKey(compressedRepresentation: bytes)) != nil
    }

    /// Whether `bytes` may be a compressed point; whether there is one with this x is not looked at.
    static func hasForm(_ bytes: [UInt8]) -> Bool { bytes.count == byteCount && (bytes[0] == 2 || bytes[0] == 3) }
}
