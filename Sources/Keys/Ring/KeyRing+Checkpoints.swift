public import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension KeyRing {
    /// The Ed25519 key (RFC 8032) that signs checkpoints; the purpose key is its 32-byte seed.
    ///
    /// - Throws: ``KeysError/Code/cipherFailed``, which the library has no reason for with a seed of 32 bytes.
    public func checkpointSigningKey() throws(KeysError) -> Curve25519.Signing.PrivateKey {
        do {
            return try Curve25519.Signing.PrivateKey(rawRepresentation: secret(.checkpoints).bytes)
        } catch {
            throw KeysError(code: .cipherFailed, reason: "the checkpoint key is not usable")
        }
    }
}
