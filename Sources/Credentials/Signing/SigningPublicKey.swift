import Canonical
import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A P-256 public key in its one accepted form: the 65-byte uncompressed X9.63 point, validated to lie on the curve.
///
/// Each role has its own type, so that a device's key is never passed where a user's is meant.
public protocol SigningPublicKey: Sendable, Hashable, CustomStringConvertible {
    /// The 65 bytes: 0x04, x (32, big-endian), y (32, big-endian).
    var bytes: [UInt8] { get }

    /// Takes a key as it is; use ``init(bytes:)`` for what comes from outside.
    init(validated bytes: ValidatedPoint)
}

/// Sixty-five bytes that were found to be a point on P-256; only this module makes one.
public struct ValidatedPoint: Sendable, Hashable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) throws(CredentialsError) {
        guard bytes.count == 65, bytes[0] == 0x04, (try? P256.Signing.PublicKey(x963Representation: bytes)) != nil
        else { throw CredentialsError(.keyInvalid) }
        self.bytes = bytes
    }

    /// Takes what was found to be a point before it was kept.
    init(kept bytes: [UInt8]) throws(CredentialsError) {
        guard bytes.count == 65, bytes[0] == 0x04 else { throw CredentialsError(.keyInvalid) }
        self.bytes = bytes
    }

    init(_ key: P256.Signing.PublicKey) { bytes = Array(key.x963Representation) }
}

extension SigningPublicKey {
    /// Validates and takes a key.
    ///
    /// - Throws: ``CredentialsError/Code/keyInvalid`` unless `bytes` are 65 bytes, begin with 4 and are on the curve.
    public init(bytes: [UInt8]) throws(CredentialsError) { self.init(validated: try ValidatedPoint(bytes)) }

    /// Takes a key that was validated before it was kept where no stranger writes: only its form is looked at, and nothing
    /// verifies under what is no point.
    ///
    /// - Throws: ``CredentialsError/Code/keyInvalid`` unless `bytes` are 65 bytes and begin with 4.
    public init(kept bytes: [UInt8]) throws(CredentialsError) { self.init(validated: try ValidatedPoint(kept: bytes)) }

    /// The lower-case hexadecimal SHA-256 of the 65 bytes, 64 characters: what people compare out of band.
    public var fingerprint: String { Hex.encode(hash) }

    /// The SHA-256 of the 65 bytes, 32 bytes.
    public var hash: [UInt8] { Array(SHA256.hash(data: bytes)) }

    /// The fingerprint: a public key is no secret.
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

/// The public half of an employee's key on one device.
public struct EmployeePublicKey: SigningPublicKey {
    /// The 65-byte X9.63 point.
    public let bytes: [UInt8]
    /// Takes a validated point.
    public init(validated point: ValidatedPoint) { bytes = point.bytes }
}

/// The public half of a user key.
public struct UserPublicKey: SigningPublicKey {
    /// The 65-byte X9.63 point.
    public let bytes: [UInt8]
    /// Takes a validated point.
    public init(validated point: ValidatedPoint) { bytes = point.bytes }
}

/// The public half of an app's authority key.
public struct AppAuthorityPublicKey: SigningPublicKey {
    /// The 65-byte X9.63 point.
    public let bytes: [UInt8]
    /// Takes a validated point.
    public init(validated point: ValidatedPoint) { bytes = point.bytes }
}
