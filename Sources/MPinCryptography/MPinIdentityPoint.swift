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
public struct MPinIdentityPoint: Sendable, Equatable {
    let point: G1Point

    /// Maps an M-Pin ID. The bytes are hashed as they are and never serialised again.
    ///
    /// - Throws: ``MPinCryptographyError/Code/identityInvalid``.
    public init(mpinID: [UInt8]) throws(MPinCryptographyError) {
        guard !mpinID.isEmpty else { throw MPinCryptographyError(.identityInvalid) }
        try self.init(digest: Array(SHA256.hash(data: mpinID)))
    }

    /// Maps the SHA-256 digest of an M-Pin ID, which is all that a D-TA sees: 32 bytes.
    ///
    /// - Throws: ``MPinCryptographyError/Code/identityInvalid``.
    public init(digest: [UInt8]) throws(MPinCryptographyError) {
        do throws(BLS12381Error) {
            point = try G1Point(digest: digest)
        } catch {
            throw MPinCryptographyError(.identityInvalid)
        }
    }
}
