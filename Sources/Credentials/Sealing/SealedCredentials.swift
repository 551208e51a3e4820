import Crypto
import CryptoExtras

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A context and its sealed copies, of a real credential or a decoy. Opening needs nothing else except the secrets and
/// the seed.
public struct SealedCredentials: Sendable, Hashable {
    /// The context that the copies are bound to.
    public let context: OpeningContext
    /// Ten copies of 60 bytes in the frozen order of subsets, or none if answers do not open the credential.
    public let answerCopies: [[UInt8]]
    /// The copy under the passphrase, 60 bytes, if there is one.
    public let passphraseCopy: [UInt8]?

    init(
        context: OpeningContext, answerCopies: [[UInt8]], passphraseCopy: [UInt8]?
    ) throws(CredentialsError) {
        guard answerCopies.count == (context.acceptsAnswers ? AnswerSubset.all.count : 0),
            (passphraseCopy != nil) == context.acceptsPassphrase,
            (answerCopies + [passphraseCopy].compactMap { $0 }).allSatisfy({ $0.count == SealedCopy.byteCount })
        else { throw CredentialsError(.recordInvalid) }
        self.context = context
        self.answerCopies = answerCopies
        self.passphraseCopy = passphraseCopy
    }

    /// The context of a decoy whose copies were not requested. Each is refused as not stored.
    init(withoutCopies context: OpeningContext) {
        self.context = context
        answerCopies = []
        passphraseCopy = nil
    }

    /// Returns the copy in `slot`, 60 bytes, which a blind client receives with the evaluation for that slot.
    ///
    /// - Throws: ``CredentialsError/Code/notStored``.
    public func copy(in slot: CopySlot) throws(CredentialsError) -> [UInt8] {
        switch slot {
        case .answers(let subset):
            guard answerCopies.indices.contains(Int(subset.index)) else { throw CredentialsError(.notStored) }
            return answerCopies[Int(subset.index)]
        case .passphrase:
            guard let passphraseCopy else { throw CredentialsError(.notStored) }
            return passphraseCopy
        }
    }
}

/// Seals the user key under one VOPRF output, and opens it again. A copy is 60 bytes.
///
/// output → scrypt (salt SHA-256 of `tenure/v1/scrypt` ‖ credential id ‖ slot byte) → HKDF-SHA256 (no salt, info
/// `tenure/v1/seal/answers` or `tenure/v1/seal/passphrase` ‖ slot byte) → AES-256-GCM: nonce 12 ‖ ciphertext 32 ‖ tag
/// 16.
enum SealedCopy {
    static let byteCount = 60

    static func seal(
        _ userKey: UserKey, under output: SecretBytes, slot: CopySlot, context: OpeningContext, random: Randomness
    ) throws(CredentialsError) -> [UInt8] {
        let key = try sealingKey(output, slot: slot, context: context)
        do {
            let box = try AES.GCM.seal(
                userKey.secret.bytes, using: key.key, nonce: AES.GCM.Nonce(data: random.bytes(12)),
                authenticating: context.associatedData(for: slot))
            return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
        } catch {
            throw CredentialsError(.secretInvalid)
        }
    }

    /// Opens a copy and compares the public half with the context's, because AES-GCM alone does not commit to its key.
    static func open(
        _ copy: [UInt8], under output: SecretBytes, slot: CopySlot, context: OpeningContext
    ) throws(CredentialsError) -> UserKey {
        let key = try sealingKey(output, slot: slot, context: context)
        guard copy.count == byteCount, let box = try? AES.GCM.SealedBox(combined: copy),
            let plain = try? AES.GCM.open(box, using: key.key, authenticating: context.associatedData(for: slot)),
            let userKey = try? UserKey(privateBytes: SecretBytes(plain)),
            userKey.publicKey == context.userPublicKey
        else { throw CredentialsError(.cannotOpen) }
        return userKey
    }

    static func sealingKey(
        _ output: SecretBytes, slot: CopySlot, context: OpeningContext
    ) throws(CredentialsError) -> SecretBytes {
        var salted = ByteWriter()
        salted.raw(Tag.scrypt)
        salted.uuid(context.credentialId)
        salted.u8(slot.byte)
        let stretched = try context.kdf.stretch(output, salt: Array(SHA256.hash(data: salted.bytes)))
        let label: [UInt8]
        switch slot {
        case .answers: label = Tag.sealAnswers
        case .passphrase: label = Tag.sealPassphrase
        }
        return SecretBytes(
            HKDF<SHA256>.deriveKey(inputKeyMaterial: stretched.key, info: label + [slot.byte], outputByteCount: 32))
    }
}

/// The cost of one guess: scrypt (RFC 7914) with N = 2^log2N, block size 8 and one to three lanes.
///
/// Memory is 128 · N · r bytes, 32 MiB by default and 128 MiB at most. Only these ranges are passed to the library,
/// whatever a record says: log2N 14…17, r 8, p 1…3. The library derives its memory limit from the parameters (128 · N ·
/// r · p and a page), which suffices for each of them.
public struct ScryptParameters: Sendable, Hashable {
    /// The logarithm of the cost parameter, 14 to 17.
    public let log2N: UInt8
    /// The block size, always 8.
    public let r: UInt8
    /// The number of lanes, 1 to 3.
    public let p: UInt8

    /// The identifier of scrypt in a record.
    public static let identifier: UInt8 = 1
    /// log2N 15, r 8, p 1: about 58 ms.
    public static let standard = ScryptParameters(validLog2N: 15, p: 1)

    private init(validLog2N: UInt8, p: UInt8) {
        log2N = validLog2N
        r = 8
        self.p = p
    }

    /// Parameters within log2N 14…17, r 8, p 1…3.
    ///
    /// - Throws: ``CredentialsError/Code/parametersRefused``.
    public init(log2N: UInt8, r: UInt8 = 8, p: UInt8 = 1) throws(CredentialsError) {
        guard (14...17).contains(log2N), r == 8, (1...3).contains(p) else {
            throw CredentialsError(.parametersRefused)
        }
        self.init(validLog2N: log2N, p: p)
    }

    /// The four bytes in records and contexts: identifier, log2N, r, p.
    var bytes: [UInt8] { [Self.identifier, log2N, r, p] }

    /// Stretches one VOPRF output to 32 bytes.
    func stretch(_ output: SecretBytes, salt: [UInt8]) throws(CredentialsError) -> SecretBytes {
        do {
            return SecretBytes(
                try KDF.Scrypt.deriveKey(
                    from: output.bytes, salt: salt, outputByteCount: 32, rounds: 1 << Int(log2N), blockSize: Int(r),
                    parallelism: Int(p)))
        } catch {
            // Only lack of memory can cause this. The caller gets the same refusal as for a wrong secret.
            throw CredentialsError(.cannotOpen)
        }
    }
}
