import BLS12381
import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The master secret of one D-TA: 32 random bytes, from which it derives a scalar for each tenant.
package struct MPinMasterSecret: Sendable, UndisclosedElement {
    package static let byteCount = 32

    private static let salt: [UInt8] = Array("tenure/v1/mpin-dta".utf8)
    private let key: SymmetricKey

    /// A master secret of 32 bytes.
    ///
    /// - Throws: ``MPinCryptographyError/Code/masterInvalid``.
    package init(bytes: [UInt8]) throws(MPinCryptographyError) {
        guard bytes.count == Self.byteCount else { throw MPinCryptographyError(.masterInvalid, field: "master") }
        key = SymmetricKey(data: bytes)
    }

    /// Derives the D-TA's share of a tenant's master scalar.
    ///
    /// The share is HKDF-SHA-256(master, salt "tenure/v1/mpin-dta", info tenant id ‖ u32 epoch) of 48 bytes, big-endian,
    /// modulo r (RFC 5869; the length follows RFC 9380, section 5). The tenant's id is 16 bytes. A new epoch gives new
    /// keys to everyone in the tenant.
    ///
    /// - Throws: ``MPinCryptographyError/Code/masterInvalid``.
    package func share(tenantID: [UInt8], epoch: UInt32) throws(MPinCryptographyError) -> MPinMasterShare {
        guard tenantID.count == 16 else { throw MPinCryptographyError(.masterInvalid, field: "tenant") }
        let info = tenantID + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: epoch >> UInt32($0)) }
        let derived = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, salt: Self.salt, info: info, outputByteCount: Scalar.wideByteCount)
        do throws(BLS12381Error) {
            return MPinMasterShare(try Scalar(reducing: derived.withUnsafeBytes { Array($0) }))
        } catch {
            throw MPinCryptographyError(.masterInvalid)
        }
    }
}

/// The scalar sᵢ of one D-TA for one tenant and epoch. It issues the D-TA's shares of all keys.
///
/// Whoever has the scalars of all D-TAs can impersonate every user of the tenant.
package struct MPinMasterShare: Sendable, UndisclosedElement {
    private let scalar: Scalar

    init(_ scalar: Scalar) { self.scalar = scalar }

    /// Returns the share sᵢA of the client key of an identity.
    package func clientKeyShare(for identity: MPinIdentityPoint) -> MPinClientKeyShare {
        MPinClientKeyShare(point: identity.point.multiplied(by: scalar))
    }

    /// Returns the share sᵢQ of the tenant's server key.
    package func serverKeyShare() -> MPinServerKeyShare {
        MPinServerKeyShare(point: G2Point.generator.multiplied(by: scalar))
    }
}
