import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An ECDSA P-256 signature as it is stored: r ‖ s, 32 bytes each, big-endian (64 bytes).
///
/// Whoever sees (r, s) can write (r, n − s), which verifies as well. So a signature is never an identifier, never a
/// unique key and never part of a hash that something is looked up by.
public struct Signature: Sendable, Hashable {
    /// The 64 bytes.
    public let bytes: [UInt8]

    /// Takes 64 raw bytes; whether they verify is found out by verifying.
    ///
    /// - Throws: ``CredentialsError/Code/signatureInvalid`` unless there are exactly 64.
    public init(raw bytes: [UInt8]) throws(CredentialsError) {
        guard bytes.count == 64 else { throw CredentialsError(.signatureInvalid) }
        self.bytes = bytes
    }

    init(_ signature: P256.Signing.ECDSASignature) { bytes = Array(signature.rawRepresentation) }
}

/// A device's signature as it comes in: raw (64 bytes) or DER (as `openssl dgst -sha256 -sign` writes it).
public enum KeyProof {
    /// The longest DER form of a P-256 signature, in bytes.
    public static let maximumByteCount = 72

    /// Verifies `proof` over `message` and returns the raw form that is stored.
    ///
    /// Sixty-four bytes are tried as raw first and as DER after that, since a DER form can be that short.
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
}
