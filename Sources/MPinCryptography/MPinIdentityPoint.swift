import BLS12381
import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The point A of G1 that an M-Pin ID is mapped to. It is public.
///
/// SHA-256 of the ID is mapped by ``BLS12381/G1Point/init(digest:)``. The mapping takes about as long as one
/// multiplication; keep the value while it is needed.
///
/// Several digests have one point, because the map counts up: half of all digests share theirs with the next one. So
/// whoever keeps a list of identities for which keys were issued must compare ``encoded`` and not digests.
package struct MPinIdentityPoint: Sendable, Equatable {
    let point: G1Point

    /// Maps an M-Pin ID. The bytes are hashed as they are and never serialised again.
    ///
    /// - Throws: ``MPinCryptographyError/Code/identityInvalid``.
    package init(mpinID: [UInt8]) throws(MPinCryptographyError) {
        guard !mpinID.isEmpty else { throw MPinCryptographyError(.identityInvalid) }
        try self.init(digest: Array(SHA256.hash(data: mpinID)))
    }

    /// Maps the SHA-256 digest of an M-Pin ID, which is all that a D-TA sees: 32 bytes.
    ///
    /// A digest whose point is infinity, such as 32 zero bytes, is refused: every key would prove such an identity. No
    /// M-Pin ID with such a digest is known.
    ///
    /// - Throws: ``MPinCryptographyError/Code/identityInvalid``.
    package init(digest: [UInt8]) throws(MPinCryptographyError) {
        do throws(BLS12381Error) {
            point = try G1Point(digest: digest)
        } catch {
            throw MPinCryptographyError(.identityInvalid)
        }
        guard !point.isInfinity else { throw MPinCryptographyError(.identityInvalid) }
    }

    /// The 97 bytes 0x04 ‖ x ‖ y of A. Two identities have one client key exactly if these are equal.
    package var encoded: [UInt8] { point.encoded }
}
