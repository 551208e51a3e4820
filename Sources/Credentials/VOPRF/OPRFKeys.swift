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

    /// Derives both. See ``OPRFKey`` for how.
    public init(seed: OPRFSeed) throws(CredentialsError) {
        answers = try OPRFKey(seed: seed, info: Tag.oprfAnswers)
        passphrase = try OPRFKey(seed: seed, info: Tag.oprfPassphrase)
    }

    /// The key that evaluates inputs of this slot.
    public func key(for slot: CopySlot) -> OPRFKey {
        switch slot {
        case .answers: answers
        case .passphrase: passphrase
        }
    }
}

extension OPRFSeed {
    /// The key that evaluates inputs of this slot, without the cost of deriving the other one.
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
/// `tenure/v1/oprf/passphrase` ‖ counter (one byte, from 0) as info gives 48 bytes; the first output that the library
/// takes as a scalar is the private key. This is not RFC 9497's DeriveKeyPair, which the library does not offer.
///
/// Sendable although the library's key does not say so: it is a struct of immutable values that is stored once and only
/// read afterwards, so that no two threads ever change anything of it.
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

    /// The public half; the library has it already, and asking costs a square root.
    public var publicKey: OPRFPublicKey { OPRFPublicKey(key.publicKey) }

    /// The public half of the key that a seed gives, for who needs no more: one multiplication.
    static func publicKey(
        seed: OPRFSeed, info: [UInt8], generator: any GeneratorMultiplication = CryptoMultiplication()
    ) throws(CredentialsError) -> OPRFPublicKey {
        let point = try ScalarDerivation.derive(
            SHA384.self, from: seed.secret, salt: Tag.oprf, info: info, byteCount: 48
        ) { generator.compressedPoint(of: $0.bytes) }
        return try OPRFPublicKey(kept: point)
    }

    /// Evaluates a blinded element and proves that this key was used; about 1.8 ms.
    ///
    /// - Parameter element: A compressed P-384 point, exactly 49 bytes.
    /// - Returns: Evaluated element (49) ‖ proof (96). The proof differs from call to call, the element does not.
    /// - Throws: ``CredentialsError/Code/elementInvalid``.
    public func evaluate(blinded element: [UInt8]) throws(CredentialsError) -> [UInt8] {
        guard P384Point.hasForm(element),
            let point = try? P384._VOPRF.BlindedElement(oprfRepresentation: Data(element))
        else { throw CredentialsError(.elementInvalid) }
        return try evaluate(point)
    }

    /// The same for an element that was checked as it came in.
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

    /// Evaluates inputs directly, without blinding: what the service does in direct mode.
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
