public import Canonical
import Crypto
import CryptoExtras

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The two VOPRF key pairs of a credential, derived from one seed.
public struct OPRFKeys: Sendable, Redacted {
    /// The key for answers.
    public let answers: OPRFKey
    /// The key for the passphrase.
    public let passphrase: OPRFKey

    /// Derives both keys from a seed, as ``OPRFKey`` describes.
    public init(seed: OPRFSeed) throws(CredentialsError) {
        answers = try OPRFKey(seed: seed, info: Tag.oprfAnswers)
        passphrase = try OPRFKey(seed: seed, info: Tag.oprfPassphrase)
    }

    /// Returns the key for inputs of this slot.
    public func key(for slot: CopySlot) -> OPRFKey {
        switch slot {
        case .answers: answers
        case .passphrase: passphrase
        }
    }
}

extension OPRFSeed {
    /// Returns the key for inputs of this slot, without deriving the other one.
    public func key(for slot: CopySlot) throws(CredentialsError) -> OPRFKey {
        switch slot {
        case .answers: try OPRFKey(seed: self, info: Tag.oprfAnswers)
        case .passphrase: try OPRFKey(seed: self, info: Tag.oprfPassphrase)
        }
    }
}

/// One VOPRF(P-384, SHA-384) key pair (RFC 9497, mode VOPRF): the service's half of an evaluation.
///
/// HKDF-SHA384 with the seed as key material, `tenure/v1/oprf` as salt and `tenure/v1/oprf/answers` or
/// `tenure/v1/oprf/passphrase` ‖ counter (one byte, from 0) as info gives 48 bytes. The first output that the library
/// accepts as a scalar is the private key. This is not RFC 9497's DeriveKeyPair, which the library does not offer.
///
/// It is Sendable although the library's key is not declared so: it wraps immutable values that are stored once and
/// only read afterwards.
public struct OPRFKey: @unchecked Sendable, Redacted {
    private let secret: SecretBytes
    private let key: P384._VOPRF.PrivateKey

    /// The length of an evaluation in bytes: evaluated element (49), proof c (48) and s (48).
    public static let evaluationByteCount = 145
    /// The length of a blinded element in bytes.
    public static let elementByteCount = 49

    init(seed: OPRFSeed, info: [UInt8]) throws(CredentialsError) {
        let derived = try ScalarDerivation.derive(
            SHA384.self, from: seed.secret, salt: Tag.oprf, info: info, byteCount: 48
        ) { candidate in try? OPRFKey(privateBytes: candidate) }
        self = derived
    }

    init(privateBytes secret: SecretBytes) throws(CredentialsError) {
        guard secret.count == 48, let key = try? P384._VOPRF.PrivateKey(rawRepresentation: secret.bytes) else {
            throw CredentialsError(.secretInvalid)
        }
        self.secret = secret
        self.key = key
    }

    /// The public half. The library has computed it, but returning it costs a square root.
    public var publicKey: OPRFPublicKey { OPRFPublicKey(key.publicKey) }

    /// Returns the public half of the key of a seed. It costs one multiplication, less than the whole key.
    static func publicKey(seed: OPRFSeed, info: [UInt8]) throws(CredentialsError) -> OPRFPublicKey {
        let point = try ScalarDerivation.derive(
            SHA384.self, from: seed.secret, salt: Tag.oprf, info: info, byteCount: 48
        ) { publicPoint(of: $0.bytes) }
        return try OPRFPublicKey(kept: point)
    }

    /// Returns the compressed public point of a scalar, or `nil` for bytes that ``init(privateBytes:)`` refuses.
    static func publicPoint(of scalar: [UInt8]) -> [UInt8]? {
        let key = try? P384.KeyAgreement.PrivateKey(rawRepresentation: scalar)
        return key.map { Array($0.publicKey.compressedRepresentation) }
    }

    /// Evaluates a blinded element and proves that this key was used. It takes about 1.8 ms.
    ///
    /// - Parameter element: A compressed P-384 point, exactly 49 bytes.
    /// - Returns: Evaluated element (49) ‖ proof (96). The element is the same at every call, the proof is not.
    /// - Throws: ``CredentialsError/Code/elementInvalid``.
    public func evaluate(blinded element: [UInt8]) throws(CredentialsError) -> [UInt8] {
        guard P384Point.hasForm(element),
            let point = try? P384._VOPRF.BlindedElement(oprfRepresentation: Data(element))
        else { throw CredentialsError(.elementInvalid) }
        return try evaluate(point)
    }

    /// Evaluates an element that was already validated.
    public func evaluate(_ element: BlindedElement) throws(CredentialsError) -> [UInt8] {
        try evaluate(element.point)
    }

    private func evaluate(_ point: P384._VOPRF.BlindedElement) throws(CredentialsError) -> [UInt8] {
        do {
            return Array(try key.evaluate(point).rawRepresentation)
        } catch {
            throw CredentialsError(.elementInvalid)
        }
    }

    /// Returns a function that evaluates inputs without blinding, for direct mode.
    func evaluator() throws(CredentialsError) -> (VOPRFInput) throws(CredentialsError) -> SecretBytes {
        let key = key
        return { (input: VOPRFInput) throws(CredentialsError) -> SecretBytes in
            try Self.evaluate(input.bytes, with: key)
        }
    }

    static func evaluate(_ input: [UInt8], with key: P384._VOPRF.PrivateKey) throws(CredentialsError) -> SecretBytes {
        guard input.count <= 65_535 else { throw CredentialsError(.tooLong) }
        do {
            return SecretBytes(try key.evaluate(Data(input)))
        } catch {
            throw CredentialsError(.cannotOpen)
        }
    }
}

/// The public half of a VOPRF key: a compressed P-384 point, 49 bytes, validated to lie on the curve.
public struct OPRFPublicKey: Sendable, Hashable {
    /// The 49 bytes: 2 or 3, then x (48, big-endian).
    public let bytes: [UInt8]

    /// Validates a key.
    ///
    /// - Throws: ``CredentialsError/Code/keyInvalid``.
    public init(bytes: [UInt8]) throws(CredentialsError) {
        guard P384Point.isCompressed(bytes) else { throw CredentialsError(.keyInvalid) }
        self.bytes = bytes
    }

    /// A key that was computed here, or validated before it was stored where no request can write. Only its form is
    /// checked.
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

    /// Whether `bytes` have the form of a compressed point. It does not check that the point exists.
    static func hasForm(_ bytes: [UInt8]) -> Bool { bytes.count == byteCount && (bytes[0] == 2 || bytes[0] == 3) }
}

/// The 32 secret bytes from which both VOPRF keys of one credential are derived.
///
/// The service wraps it, keeps it outside the log and destroys it with the credential.
public struct OPRFSeed: Sendable, Redacted {
    let secret: SecretBytes

    /// A stored or derived seed.
    ///
    /// - Throws: ``CredentialsError/Code/secretInvalid`` unless there are 32 bytes.
    public init(bytes: [UInt8]) throws(CredentialsError) {
        guard bytes.count == 32 else { throw CredentialsError(.secretInvalid) }
        secret = SecretBytes(bytes)
    }

    init(secret: SecretBytes) { self.secret = secret }

    /// Generates a seed.
    public static func generate(_ random: Randomness = .system) throws(CredentialsError) -> OPRFSeed {
        try OPRFSeed(bytes: random.bytes(32))
    }

    /// The 32 bytes, to be wrapped.
    public var bytes: [UInt8] { secret.bytes }

    /// Derives both key pairs. It takes about two multiplications on P-384.
    public func keys() throws(CredentialsError) -> OPRFKeys { try OPRFKeys(seed: self) }
}
