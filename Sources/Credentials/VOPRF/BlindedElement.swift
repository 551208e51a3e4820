import Canonical
import Crypto
import CryptoExtras

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A blinded element as received, validated before it is charged.
///
/// It is Sendable although the library's element is not declared so: it wraps an immutable point that is stored once
/// and only read afterwards.
public struct BlindedElement: @unchecked Sendable, Hashable {
    /// The copy that its evaluation opens.
    public let slot: CopySlot
    /// The compressed point, 49 bytes.
    public let bytes: [UInt8]
    /// The decoded point. Decoding takes a square root, which the evaluation need not repeat.
    let point: P384._VOPRF.BlindedElement

    /// Parses exactly one compressed point on P-384. The point at infinity has no such form.
    ///
    /// - Throws: ``CredentialsError/Code/elementInvalid``.
    public init(slot: CopySlot, bytes: [UInt8]) throws(CredentialsError) {
        guard P384Point.hasForm(bytes), let point = try? P384._VOPRF.BlindedElement(oprfRepresentation: Data(bytes))
        else { throw CredentialsError(.elementInvalid) }
        self.slot = slot
        self.bytes = bytes
        self.point = point
    }

    /// Compares copy and bytes.
    public static func == (left: BlindedElement, right: BlindedElement) -> Bool {
        left.slot == right.slot && left.bytes == right.bytes
    }

    /// Hashes copy and bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(slot)
        hasher.combine(bytes)
    }
}

extension OPRFKeys {
    /// Evaluates an element under the key of its slot, with a proof. It takes about 1.8 ms.
    ///
    /// - Returns: Evaluated element (49) ‖ proof (96).
    /// - Throws: ``CredentialsError/Code/elementInvalid``.
    public func evaluate(_ element: BlindedElement) throws(CredentialsError) -> [UInt8] {
        try key(for: element.slot).evaluate(element)
    }
}

/// The client's half of one evaluation: an input, its blind, and the element for the service.
///
/// It is Sendable although the library's value is not declared so: it wraps an immutable input, scalar and point that
/// are stored once and only read afterwards.
struct BlindedInput: @unchecked Sendable, Redacted {
    let slot: CopySlot
    /// The compressed point for the service, 49 bytes. It reveals nothing about the input.
    let element: [UInt8]
    private let input: P384._VOPRF.BlindedInput
    private let publicKey: OPRFPublicKey

    init(_ input: VOPRFInput, for publicKey: OPRFPublicKey) throws(CredentialsError) {
        guard input.bytes.count <= 65_535 else { throw CredentialsError(.tooLong) }
        do {
            self.input = try publicKey.libraryKey().blind(Data(input.bytes))
        } catch {
            throw CredentialsError(.keyInvalid)
        }
        slot = input.slot
        element = Array(self.input.blindedElement.oprfRepresentation)
        self.publicKey = publicKey
    }

    /// Verifies the proof and unblinds.
    ///
    /// - Parameter evaluation: 145 bytes from the service.
    /// - Returns: The output, 48 bytes.
    /// - Throws: `evaluationInvalid`.
    func finalize(_ evaluation: [UInt8]) throws(CredentialsError) -> SecretBytes {
        guard EvaluationGuard.accepts(evaluation, blinded: element, publicKey: publicKey) else {
            throw CredentialsError(.evaluationInvalid)
        }
        do {
            let parsed = try P384._VOPRF.BlindEvaluation(rawRepresentation: Data(evaluation))
            return SecretBytes(try publicKey.libraryKey().finalize(input, using: parsed))
        } catch {
            throw CredentialsError(.evaluationInvalid)
        }
    }
}

/// The input of the VOPRF: the secret, bound to the credential and, for answers, to the subset.
///
/// It has at most a few kilobytes, far below the 65,535 bytes above which the library traps.
struct VOPRFInput: Sendable, Redacted {
    let slot: CopySlot
    let bytes: [UInt8]

    /// An input of arbitrary bytes, for published vectors and tests of the limits.
    init(slot: CopySlot, bytes: [UInt8]) {
        self.slot = slot
        self.bytes = bytes
    }

    /// `"tenure/v1/answers" ‖ credentialId ‖ subset (1) ‖ (questionId ‖ u16 length ‖ answer) × 3`.
    init(credentialId: UUID, subset: AnswerSubset, answers: [(questionId: UUID, answer: [UInt8])]) {
        var input = ByteWriter()
        input.raw(Tag.answers)
        input.uuid(credentialId)
        input.u8(subset.index)
        for item in answers {
            input.uuid(item.questionId)
            input.framed(item.answer)
        }
        slot = .answers(subset)
        bytes = input.bytes
    }

    /// `"tenure/v1/passphrase" ‖ credentialId ‖ u16 length ‖ passphrase`.
    init(credentialId: UUID, passphrase: [UInt8]) {
        var input = ByteWriter()
        input.raw(Tag.passphrase)
        input.uuid(credentialId)
        input.framed(passphrase)
        slot = .passphrase
        bytes = input.bytes
    }
}

/// Refuses evaluations on which the library's proof verification would trap.
///
/// The library serializes t2 = s·G + c·B and t3 = d·(s·C + c·D), and traps if either is the point at infinity. This
/// happens for c = s = 0, and for proofs forged by someone who knows the key (s = −c·k) or who chose D as a known
/// multiple x of C (s = −c·x). In each case a hostile service could crash the client. So c and s must be scalars in 1
/// ..< n, and neither pair of points may have the same x coordinate, which is the case exactly if they are equal or
/// opposite. An honest proof is refused with a probability of about 2^-382.
enum EvaluationGuard {
    static func accepts(_ evaluation: [UInt8], blinded element: [UInt8], publicKey: OPRFPublicKey) -> Bool {
        guard evaluation.count == OPRFKey.evaluationByteCount, P384Point.isCompressed(Array(evaluation[..<49])),
            let challenge = try? P384.KeyAgreement.PrivateKey(rawRepresentation: Array(evaluation[49..<97])),
            let response = try? P384.KeyAgreement.PrivateKey(rawRepresentation: Array(evaluation[97...])),
            let evaluated = try? P384.KeyAgreement.PublicKey(compressedRepresentation: Array(evaluation[..<49])),
            let blinded = try? P384.KeyAgreement.PublicKey(compressedRepresentation: element),
            let key = try? P384.KeyAgreement.PublicKey(compressedRepresentation: publicKey.bytes),
            let keyTimesChallenge = multiply(key, by: challenge),
            let blindedTimesResponse = multiply(blinded, by: response),
            let evaluatedTimesChallenge = multiply(evaluated, by: challenge)
        else { return false }
        let generatorTimesResponse = Array(response.publicKey.rawRepresentation.prefix(48))
        return generatorTimesResponse != keyTimesChallenge && blindedTimesResponse != evaluatedTimesChallenge
    }

    /// Returns the x coordinate of scalar · point, 48 bytes, as an ECDH key agreement computes it.
    private static func multiply(
        _ point: P384.KeyAgreement.PublicKey, by scalar: P384.KeyAgreement.PrivateKey
    ) -> [UInt8]? {
        unsafe (try? scalar.sharedSecretFromKeyAgreement(with: point))?.withUnsafeBytes { unsafe Array($0) }
    }
}
