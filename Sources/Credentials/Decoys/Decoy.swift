import Crypto

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The credential of nobody: it answers every question a real one answers, and its copies never open.
public struct Decoy: Sendable, Redacted {
    /// The seed of its VOPRF keys; the keys follow by the same derivation as real ones.
    public let seed: OPRFSeed
    /// The public halves of its three keys.
    public let publicKeys: DecoyPublicKeys
    /// Context and copies, of the same types and sizes as real ones; the copies only where they were asked for.
    public let sealed: SealedCredentials
    /// What stands for the hash of its record, 32 bytes, where it was asked for.
    public let recordHash: [UInt8]
    /// Five questions of the frozen list, in the order of the context's ids, where they were asked for.
    public let questions: [(id: UUID, text: String)]

    /// The share of decoys, in 256ths, that ask for a passphrase.
    static let passphraseShare: UInt8 = 64
    /// The share of decoys, in 256ths, whose user allowed the questions beside the passphrase; a part of the former.
    static let questionsBesideShare: UInt8 = 16

    /// The share of decoys, in 256ths, that insist on the blind mode, as a person may: without it the flag would tell that
    /// its owner exists.
    public static let blindOnlyShare = 16

    /// What is made beside the context and the seed: most of a decoy's work, and no step of a flow needs all of it.
    public struct Parts: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt8
        /// Takes the bits as they are.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// The sealed copies.
        public static let copies = Parts(rawValue: 1)
        /// The record's hash and the questions.
        public static let record = Parts(rawValue: 2)
        /// Everything.
        public static let all: Parts = [.copies, .record]
    }

    /// Expands 32 bytes into everything: HKDF-Expand with SHA-256, info `tenure/v1/decoy/` ‖ name.
    ///
    /// - Parameters:
    ///   - known: The public keys, when they were derived before: they are what takes long.
    ///   - generator: What derives them otherwise.
    init(
        root: SecretBytes, kdf: ScryptParameters, blindOnlyShare: Int, keys known: DecoyPublicKeys?, _ parts: Parts,
        generator: any GeneratorMultiplication
    ) throws(CredentialsError) {
        func expand(_ name: String, _ count: Int) -> SecretBytes {
            SecretBytes(
                HKDF<SHA256>.expand(
                    pseudoRandomKey: root.key, info: Tag.decoy + Array("/\(name)".utf8), outputByteCount: count))
        }
        let seed = try OPRFSeed(bytes: expand("oprf-seed", 32).bytes)
        let kind = expand("kind", 1).bytes[0]
        let hasPassphrase = kind < Self.passphraseShare
        let keys: DecoyPublicKeys
        if let known {
            keys = known
        } else {
            keys = try DecoyPublicKeys(seed: seed, userKeySecret: expand("user-key", 32), generator: generator)
        }
        publicKeys = keys
        let hasAnswers = !hasPassphrase || kind < Self.questionsBesideShare
        var flags: CredentialFlags = hasPassphrase && hasAnswers ? .questionsWithPassphrase : []
        if Int(expand("blind-only", 1).bytes[0]) < blindOnlyShare { flags.insert(.blindOnly) }
        let ids = expand("ids", 7 * 16).bytes
        func id(_ index: Int) -> UUID { UUID(randomBytes: Array(ids[(index * 16)..<(index * 16 + 16)])) }
        let questionIds = (0..<5).map { id($0 + 2) }
        let context = try OpeningContext(
            credentialId: id(0), userId: id(1), userPublicKey: keys.user, oprfAnswers: keys.answers,
            oprfPassphrase: hasPassphrase ? keys.passphrase : nil,
            kdf: kdf, rules: .version1, flags: flags, questionIds: questionIds)
        self.seed = seed
        if parts.contains(.copies) {
            let copies = expand("copies", 11 * SealedCopy.byteCount).bytes
            func copy(_ index: Int) -> [UInt8] {
                Array(copies[(index * SealedCopy.byteCount)..<((index + 1) * SealedCopy.byteCount)])
            }
            sealed = try SealedCredentials(
                context: context, answerCopies: hasAnswers ? (0..<AnswerSubset.all.count).map(copy) : [],
                passphraseCopy: hasPassphrase ? copy(AnswerSubset.all.count) : nil)
        } else {
            sealed = SealedCredentials(withoutCopies: context)
        }
        guard parts.contains(.record) else {
            recordHash = []
            questions = []
            return
        }
        recordHash = expand("record", 32).bytes
        let texts = Self.choose(5, from: FrozenQuestions.all, by: expand("questions", 40).bytes)
        questions = Array(zip(questionIds, texts)).map { (id: $0.0, text: $0.1) }
    }

    /// Draws `count` different texts: for each a 64-bit big-endian number modulo what is left of the list.
    static func choose(_ count: Int, from list: [String], by bytes: [UInt8]) -> [String] {
        var left = list
        return (0..<count).map { index in
            let number = bytes[(index * 8)..<(index * 8 + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return left.remove(at: Int(number % UInt64(left.count)))
        }
    }
}
