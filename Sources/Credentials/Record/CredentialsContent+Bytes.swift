#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension CredentialsContent {
    /// The fields in their order; `encryptedTexts` are written after each commitment when given (the stored form).
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

    /// Reads the fields; encrypted texts are read after each commitment when `stored` and returned beside.
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

/// The user key and the five questions as they follow each other in a record.
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
