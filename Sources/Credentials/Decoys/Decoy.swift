public import Canonical
import Crypto

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A decoy credential: it behaves like a real one, but its copies never open.
public struct Decoy: Sendable, Redacted {
    /// The seed of its VOPRF keys, which are derived from it as real ones are.
    public let seed: OPRFSeed
    /// The public halves of its three keys.
    public let publicKeys: DecoyPublicKeys
    /// Context and copies with the types and sizes of real ones. The copies exist only if they were requested.
    public let sealed: SealedCredentials
    /// A made-up record hash, 32 bytes, if it was requested.
    public let recordHash: [UInt8]
    /// Five questions of version 1 of the published list, in the order of the context's ids, if they were requested.
    public let questions: [(id: UUID, question: ListedQuestion)]

    /// The share of decoys, in 256ths, that ask for a passphrase.
    static let passphraseShare: UInt8 = 64
    /// The share of decoys, in 256ths, that also accept answers instead of the passphrase. They are among those with a
    /// passphrase.
    static let questionsBesideShare: UInt8 = 16

    /// The share of decoys, in 256ths, that require blind mode. Real users may require it; without such decoys the flag
    /// would reveal that its owner exists.
    public static let blindOnlyShare = 16

    /// The optional parts of a decoy. They take most of its work, and no step of a flow needs all of them.
    public struct Parts: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt8
        /// A set with these bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// The sealed copies.
        public static let copies = Parts(rawValue: 1)
        /// The record's hash and the questions.
        public static let record = Parts(rawValue: 2)
        /// All parts.
        public static let all: Parts = [.copies, .record]
    }

    /// Expands 32 bytes into all parts: HKDF-Expand with SHA-256, info `tenure/v1/decoy/` ‖ name.
    ///
    /// - Parameter known: The public keys, if they were derived before, which is the slow part.
    init(
        root: SecretBytes, kdf: ScryptParameters, blindOnlyShare: Int, keys known: DecoyPublicKeys?, _ parts: Parts
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
            keys = try DecoyPublicKeys(seed: seed, userKeySecret: expand("user-key", 32))
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
        let drawn = Self.list.draw(5, by: expand("questions", 40).bytes)
        questions = Array(zip(questionIds, drawn)).map { (id: $0.0, question: $0.1) }
    }

    /// The list that decoys draw from. A decoy keeps its version; a later version is for tenants founded after it.
    private static let list = QuestionList.version1
}

/// The secret that all decoys are derived from. It is generated once and never rotated.
///
/// A rotation would change the questions of all unknown employees at once, which would distinguish them from known
/// ones.
///
/// ```swift
/// let key = try DecoyKey(bytes: bytes)
/// let decoy = try key.decoy(company: company, employee: employee, hiddenFrom: app)
/// ```
public struct DecoyKey: Sendable, Redacted {
    private let secret: SecretBytes

    /// A stored key.
    ///
    /// - Throws: ``CredentialsError/Code/secretInvalid`` unless there are 32 bytes.
    public init(bytes: [UInt8]) throws(CredentialsError) {
        guard bytes.count == 32 else { throw CredentialsError(.secretInvalid) }
        secret = SecretBytes(bytes)
    }

    /// Returns the id shown for an unknown tenant: the same for all its unknown employees, with the form of UUID
    /// version 4.
    ///
    /// - Parameter company: The canonical name in UTF-8.
    public func tenantId(company: [UInt8]) -> UUID {
        var message = ByteWriter()
        message.raw(Tag.decoyTenant)
        message.framed(company)
        return UUID(randomBytes: Array(mac(message.bytes).prefix(16)))
    }

    /// Returns the decoy of an unknown employee. It is the same at every call, and has the shape of a real credential.
    ///
    /// - Parameters:
    ///   - company: The canonical tenant name in UTF-8.
    ///   - employee: The canonical employee id in UTF-8.
    ///   - app: The app that the tenant is hidden from. Every such app gets different decoys, so that two apps cannot
    ///     compare them to find out whom only one of them sees.
    ///   - kdf: The cost of real credentials.
    ///   - blindOnlyShare: How many of 256 decoys require blind mode.
    ///   - keys: The public keys of this decoy, if they are already known.
    ///   - parts: The parts that are needed.
    public func decoy(
        company: [UInt8], employee: [UInt8], hiddenFrom app: UUID? = nil, kdf: ScryptParameters = .standard,
        blindOnlyShare: Int = Decoy.blindOnlyShare, keys: DecoyPublicKeys? = nil, parts: Decoy.Parts = .all
    ) throws(CredentialsError) -> Decoy {
        var message = ByteWriter()
        message.raw(Tag.decoy)
        message.framed(company)
        message.framed(employee)
        if let app { message.framed(app.bytes) }
        return try Decoy(
            root: SecretBytes(mac(message.bytes)), kdf: kdf, blindOnlyShare: blindOnlyShare, keys: keys, parts)
    }

    private func mac(_ message: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: secret.key))
    }
}

/// The public keys of a decoy. They take three multiplications on the curves, so callers that need them again keep
/// them.
///
/// All three are computed for every name, even if no passphrase is asked for. Otherwise a slower start would reveal the
/// kind of a decoy, and a later change of kind would prove that the name exists.
public struct DecoyPublicKeys: Sendable, Hashable {
    let user: UserPublicKey
    let answers: OPRFPublicKey
    let passphrase: OPRFPublicKey

    init(seed: OPRFSeed, userKeySecret: SecretBytes) throws(CredentialsError) {
        let userKey = try ScalarDerivation.derive(
            SHA256.self, from: userKeySecret, salt: [], info: Tag.decoy, byteCount: 32
        ) { try? UserKey(privateBytes: $0) }
        user = userKey.publicKey
        answers = try OPRFKey.publicKey(seed: seed, info: Tag.oprfAnswers)
        passphrase = try OPRFKey.publicKey(seed: seed, info: Tag.oprfPassphrase)
    }

    /// Parses the result of ``bytes`` from trusted storage.
    ///
    /// - Throws: ``CredentialsError/Code/keyInvalid`` unless there are 163 bytes with the forms of the three keys.
    public init(bytes: [UInt8]) throws(CredentialsError) {
        guard bytes.count == 65 + 49 + 49 else { throw CredentialsError(.keyInvalid) }
        user = try UserPublicKey(kept: Array(bytes[..<65]))
        answers = try OPRFPublicKey(kept: Array(bytes[65..<114]))
        passphrase = try OPRFPublicKey(kept: Array(bytes[114...]))
    }

    /// User key (65) ‖ VOPRF key for answers (49) ‖ VOPRF key for the passphrase (49).
    public var bytes: [UInt8] { user.bytes + answers.bytes + passphrase.bytes }
}
