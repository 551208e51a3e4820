public import Canonical
import Text

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// New credentials: the record without the device's signature, and the secrets beside it.
public struct NewCredentials: Sendable, Redacted {
    /// The new user key, which signs the flow's challenge and is then discarded.
    public let userKey: UserKey
    /// The record's content.
    public let content: CredentialsContent
    /// The signature of the new user key over ``deviceMessage``.
    public let selfSignature: Signature
    /// The five questions in the record's order. Each ``QuestionText/plaintext`` is encrypted under the user's person
    /// key.
    public let questions: [QuestionText]

    init(
        _ setUp: CredentialSetUp, outputs: [(CopySlot, SecretBytes)], authority: SetUpAuthority, random: Randomness
    ) throws(CredentialsError) {
        let plan = setUp.plan
        let userKey = try UserKey.generate(random)
        let context = try OpeningContext(
            credentialId: plan.credentialId, userId: plan.userId, userPublicKey: userKey.publicKey,
            oprfAnswers: plan.oprfAnswers, oprfPassphrase: setUp.passphrase == nil ? nil : plan.oprfPassphrase,
            kdf: plan.kdf, rules: .version1, flags: setUp.flags, questionIds: setUp.questionIds)
        var answerCopies: [[UInt8]] = []
        var passphraseCopy: [UInt8]?
        for (slot, output) in outputs {
            let copy = try SealedCopy.seal(userKey, under: output, slot: slot, context: context, random: random)
            switch slot {
            case .answers: answerCopies.append(copy)
            case .passphrase: passphraseCopy = copy
            }
        }
        content = try CredentialsContent(
            previous: plan.previous, authority: authority, mode: plan.mode,
            sealed: try SealedCredentials(
                context: context, answerCopies: answerCopies, passphraseCopy: passphraseCopy),
            commitments: setUp.questions.map(\.commitment))
        self.userKey = userKey
        selfSignature = try userKey.sign(content.signedMessage)
        questions = setUp.questions
    }

    /// The message that the device signs in blind mode: tag line and content.
    public var deviceMessage: [UInt8] { content.signedMessage }

    /// Returns the finished record.
    ///
    /// - Parameters:
    ///   - deviceSignature: The device's signature over ``deviceMessage``, raw or DER. Blind mode requires it. In
    ///     direct mode the device never sees the record and signs the flow's challenge instead.
    ///   - employeeKey: The device's key.
    /// - Throws: ``CredentialsError/Code/signatureInvalid`` or ``CredentialsError/Code/recordInvalid``.
    public func record(
        deviceSignature: [UInt8]?, employeeKey: EmployeePublicKey
    ) throws(CredentialsError) -> CredentialsRecord {
        var signature: Signature?
        if let deviceSignature {
            signature = try KeyProof.verify(deviceSignature, over: deviceMessage, by: employeeKey)
        }
        return try CredentialsRecord(content: content, selfSignature: selfSignature, deviceSignature: signature)
    }
}

/// A passphrase in canonical form (NFC, case and spaces kept), checked before anything is charged.
public struct Passphrase: Sendable, Redacted {
    let secret: SecretBytes

    /// The longest passphrase in bytes of UTF-8, before and after canonicalisation.
    public static let maximumByteCount = 1_024
    /// The minimum number of code points of a new passphrase, after canonicalisation.
    public static let minimumCodePoints = 8

    /// A passphrase typed to log in, of any length from 1.
    ///
    /// - Throws: ``CredentialsError/Code/passphraseMissing`` if it is empty, ``CredentialsError/Code/tooLong``,
    ///   ``CredentialsError/Code/textInvalid``.
    public init(supplied text: String) throws(CredentialsError) {
        do {
            secret = SecretBytes(
                try TextRule.passphrase.secretBytes(of: text, maximumBytes: Self.maximumByteCount))
        } catch {
            let error = error.code == .incomplete ? CredentialsError(.passphraseMissing) : error
            throw error.placed(at: .passphrase)
        }
    }

    /// A newly chosen passphrase.
    ///
    /// - Throws: ``CredentialsError/Code/incomplete`` below 8 code points, ``CredentialsError/Code/tooLong``,
    ///   ``CredentialsError/Code/textInvalid``.
    public init(new text: String) throws(CredentialsError) {
        let bytes = try placed(.passphrase) { () throws(CredentialsError) in
            try TextRule.passphrase.secretBytes(of: text, maximumBytes: Self.maximumByteCount)
        }
        guard String(decoding: bytes, as: UTF8.self).unicodeScalars.count >= Self.minimumCodePoints else {
            throw CredentialsError(.incomplete, field: "passphrase").placed(at: .passphrase)
        }
        secret = SecretBytes(bytes)
    }
}

/// A question that a user chose and the answer, as entered.
public struct QuestionAndAnswer: Sendable, Redacted {
    /// The question. A user's own text has at most 256 bytes of UTF-8.
    public var question: Question
    /// The answer, at most 256 bytes of UTF-8 before and after canonicalisation.
    public var answer: String

    /// A question and its answer as entered. ``CredentialSetUp`` checks them.
    public init(question: Question, answer: String) {
        self.question = question
        self.answer = answer
    }

    /// A question by its text, which may be that of a listed one, and its answer.
    public init(question: String, answer: String) { self.init(question: Question(question), answer: answer) }
}

/// Three to five answers to a credential's questions in canonical form, checked before anything is charged.
public struct SuppliedAnswers: Sendable, Redacted {
    /// The longest answer in bytes of UTF-8, before and after canonicalisation.
    public static let maximumByteCount = 256
    /// The fewest answers that can open a copy.
    public static let minimumCount = 3

    /// The answers by the position of their question in the record, 0 to 4.
    let byPosition: [Int: SecretBytes]

    /// Canonicalises and checks answers.
    ///
    /// An answer that is empty after canonicalisation counts as not supplied.
    ///
    /// - Parameters:
    ///   - answers: The answers in any order, each with the id of its question.
    ///   - questionIds: The five ids of the credential, real or decoy, in the record's order.
    /// - Throws: ``CredentialsError/Code/questionTwice``, ``CredentialsError/Code/questionUnknown``,
    ///   ``CredentialsError/Code/tooLong``, ``CredentialsError/Code/textInvalid``,
    ///   ``CredentialsError/Code/atLeastThreeAnswersRequired``.
    public init(
        _ answers: [(questionId: UUID, answer: String)], questionIds: [UUID]
    ) throws(CredentialsError) {
        var seen: Set<UUID> = []
        for (index, item) in answers.enumerated() where !seen.insert(item.questionId).inserted {
            throw CredentialsError(.questionTwice, at: .question(index))
        }
        var byPosition: [Int: SecretBytes] = [:]
        for (index, item) in answers.enumerated() {
            guard let position = questionIds.firstIndex(of: item.questionId) else {
                throw CredentialsError(.questionUnknown, at: .question(index))
            }
            do {
                byPosition[position] = SecretBytes(
                    try TextRule.foldedText.secretBytes(of: item.answer, maximumBytes: Self.maximumByteCount))
            } catch {
                guard error.code == .incomplete else { throw error.placed(at: .answer(index)) }
            }
        }
        guard byPosition.count >= Self.minimumCount else { throw CredentialsError(.atLeastThreeAnswersRequired) }
        self.byPosition = byPosition
    }

    /// How many answers there are, 3 to 5. They give 1, 4 or 10 combinations to try.
    public var count: Int { byPosition.count }

    /// The inputs of all subsets that these answers cover, in the frozen order.
    func inputs(_ context: OpeningContext) -> [VOPRFInput] {
        AnswerSubset.within(Set(byPosition.keys)).map { subset in
            VOPRFInput(
                credentialId: context.credentialId, subset: subset,
                answers: subset.positions.compactMap { position in
                    byPosition[position].map { (context.questionIds[position], $0.bytes) }
                })
        }
    }
}
