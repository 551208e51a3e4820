#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// All fields of a record of credentials except the signatures and the encrypted question texts.
public struct CredentialsContent: Sendable, Hashable {
    /// The authority to set these credentials.
    public enum Authority: Sendable, Hashable {
        /// The first credentials of a user.
        case initial
        /// A signature by the replaced user key over ``CredentialsContent/changeMessage``.
        case changed(Signature)
        /// The hashes of two approval events, 32 bytes each, different.
        case recovered([UInt8], [UInt8])
        /// A passkey of the user, which signed the challenge of the flow. Only a secret that nobody knows gives way to it.
        case passkey
    }

    /// 1 for a user's first record, incremented by each later one.
    public let generation: UInt32
    /// The hash of the previous record, 32 bytes, or zeros in the first.
    public let previousHash: [UInt8]
    /// The authority to set these credentials.
    public let authority: Authority
    /// The mode in which the credentials were set.
    public let mode: CredentialMode
    /// The context and the copies.
    public let sealed: SealedCredentials
    /// The commitments to the five question texts, in the order of the question ids.
    public let commitments: [Commitment]

    init(
        generation: UInt32, previousHash: [UInt8], authority: Authority, mode: CredentialMode,
        sealed: SealedCredentials, commitments: [Commitment]
    ) throws(CredentialsError) {
        let isFirst = authority == .initial
        guard commitments.count == 5, previousHash.count == 32, generation >= 1, isFirst == (generation == 1),
            isFirst == previousHash.allSatisfy({ $0 == 0 }),
            mode == .blind || !sealed.context.flags.contains(.blindOnly)
        else { throw CredentialsError(.recordInvalid) }
        if case .recovered(let first, let second) = authority {
            guard first.count == 32, second.count == 32, first != second else {
                throw CredentialsError(.recordInvalid)
            }
        }
        self.generation = generation
        self.previousHash = previousHash
        self.authority = authority
        self.mode = mode
        self.sealed = sealed
        self.commitments = commitments
    }

    /// The content of a new record. If the authority is a change, the replaced key signs it.
    init(
        previous: PreviousCredentials?, authority: SetUpAuthority, mode: CredentialMode, sealed: SealedCredentials,
        commitments: [Commitment]
    ) throws(CredentialsError) {
        func make(_ authority: Authority) throws(CredentialsError) -> CredentialsContent {
            try CredentialsContent(
                generation: (previous?.generation ?? 0) &+ 1,
                previousHash: previous?.hash ?? [UInt8](repeating: 0, count: 32), authority: authority, mode: mode,
                sealed: sealed, commitments: commitments)
        }
        switch authority {
        case .initial: self = try make(.initial)
        case .recovered(let first, let second): self = try make(.recovered(first, second))
        case .passkey: self = try make(.passkey)
        case .changed(let oldKey):
            guard oldKey.publicKey == previous?.userPublicKey else { throw CredentialsError(.recordInvalid) }
            // The message omits the signature, so a blank one is used until it is made.
            let blank = try make(.changed(try Signature(raw: [UInt8](repeating: 0, count: 64))))
            self = try make(.changed(try oldKey.sign(blank.changeMessage)))
        }
    }

    /// The message that user key and device key sign: `tenure/v1/credentials-set`, newline, all fields except the
    /// encrypted texts.
    public var signedMessage: [UInt8] { SignatureTag.credentialsSet.line + encoded() }

    /// The message that the replaced user key signs: `tenure/v1/credentials-change`, newline, and the same fields. They
    /// include the authority's kind, but not its signature.
    public var changeMessage: [UInt8] {
        SignatureTag.credentialsChange.line + encoded(withAuthoritySignature: false)
    }
}

extension CredentialsContent {
    /// Writes the fields in order. If `encryptedTexts` are given, as in the stored form, one follows each commitment.
    func encoded(encryptedTexts: [[UInt8]]? = nil, withAuthoritySignature: Bool = true) -> [UInt8] {
        let context = sealed.context
        var writer = ByteWriter()
        writer.u16(OpeningContext.suite)
        writer.uuid(context.credentialId)
        writer.uuid(context.userId)
        writer.u32(generation)
        writer.raw(previousHash)
        switch authority {
        case .initial: writer.u8(0)
        case .changed(let signature):
            writer.u8(1)
            if withAuthoritySignature { writer.raw(signature.bytes) }
        case .recovered(let first, let second):
            writer.u8(2)
            writer.raw(first)
            writer.raw(second)
        case .passkey: writer.u8(3)
        }
        writer.u8(mode.rawValue)
        writer.u8(context.flags.rawValue)
        writer.raw(context.rules.bytes)
        writer.raw(context.kdf.bytes)
        writer.raw(context.oprfAnswers.bytes)
        writer.optional(context.oprfPassphrase?.bytes)
        writer.raw(context.userPublicKey.bytes)
        for index in 0..<5 {
            writer.uuid(context.questionIds[index])
            writer.raw(commitments[index].bytes)
            if let encryptedTexts { writer.raw(encryptedTexts[index]) }
        }
        writer.u8(UInt8(clamping: sealed.answerCopies.count))
        for copy in sealed.answerCopies { writer.raw(copy) }
        writer.optional(sealed.passphraseCopy)
        return writer.bytes
    }

    /// Reads the fields. If `stored`, an encrypted text follows each commitment, and the texts are returned too.
    static func read(
        _ reader: inout ByteReader, stored: Bool
    ) throws(CredentialsError) -> (content: CredentialsContent, encryptedTexts: [[UInt8]]) {
        try reader.suite()
        let credentialId = try reader.uuid()
        let userId = try reader.uuid()
        let generation = try reader.u32()
        let previousHash = try reader.take(32)
        let authority = try reader.authority()
        guard let mode = CredentialMode(rawValue: try reader.u8()) else { throw CredentialsError(.recordInvalid) }
        let flags = CredentialFlags(rawValue: try reader.u8())
        let rules = try reader.rules()
        let kdf = try reader.kdf()
        let oprfAnswers = try reader.oprfPublicKey()
        let oprfPassphrase = try reader.optionalOPRFPublicKey()
        let questions = try reader.questionsAfterUserKey(stored: stored)
        let context = try OpeningContext(
            credentialId: credentialId, userId: userId, userPublicKey: questions.userPublicKey,
            oprfAnswers: oprfAnswers, oprfPassphrase: oprfPassphrase, kdf: kdf, rules: rules, flags: flags,
            questionIds: questions.ids)
        let copyCount = Int(try reader.u8())
        guard copyCount == 0 || copyCount == AnswerSubset.all.count else { throw CredentialsError(.recordInvalid) }
        var answerCopies: [[UInt8]] = []
        for _ in 0..<copyCount { answerCopies.append(try reader.take(SealedCopy.byteCount)) }
        let content = try CredentialsContent(
            generation: generation, previousHash: previousHash, authority: authority, mode: mode,
            sealed: try SealedCredentials(
                context: context, answerCopies: answerCopies,
                passphraseCopy: try reader.optional(SealedCopy.byteCount)),
            commitments: questions.commitments)
        return (content, questions.encryptedTexts)
    }
}

/// The user key and the five questions, in the order of a record.
private struct QuestionFields {
    var userPublicKey: UserPublicKey
    var ids: [UUID] = []
    var commitments: [Commitment] = []
    var encryptedTexts: [[UInt8]] = []
}

extension ByteReader {
    fileprivate mutating func authority() throws(CredentialsError) -> CredentialsContent.Authority {
        switch try u8() {
        case 0: return .initial
        case 1: return .changed(try Signature(raw: try take(64)))
        case 2: return .recovered(try take(32), try take(32))
        case 3: return .passkey
        default: throw CredentialsError(.recordInvalid)
        }
    }

    fileprivate mutating func questionsAfterUserKey(stored: Bool) throws(CredentialsError) -> QuestionFields {
        var fields = QuestionFields(userPublicKey: try userPublicKey())
        for _ in 0..<5 {
            fields.ids.append(try uuid())
            fields.commitments.append(try Commitment(bytes: try take(32)))
            if stored { fields.encryptedTexts.append(try take(QuestionText.encryptedByteCount)) }
        }
        return fields
    }
}

/// The mode in which secrets are used, for setting credentials and for attempts.
public enum CredentialMode: UInt8, Sendable, Hashable, CaseIterable {
    /// The client evaluates its secrets with the service's help; no answer or passphrase reaches the service.
    case blind = 1
    /// The app sends the secrets to the service.
    case direct = 2

    /// The name in events: `blind` or `direct`.
    public var name: String {
        switch self {
        case .blind: "blind"
        case .direct: "direct"
        }
    }
}
