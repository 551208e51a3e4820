import Text

/// A question with the salt of its commitment: the part of a record that is encrypted under the user's person key.
///
/// The plaintext is always 288 bytes: salt 32 ‖ content padded with zero bytes to 256. The content of a listed question
/// is U+0001 ‖ version ‖ "/" ‖ number in decimal digits; that of a user's own question is its text. The encrypted form
/// is 316 bytes: nonce 12 ‖ ciphertext 288 ‖ tag 16. The caller chooses the key and its additional data.
public struct QuestionText: Sendable, Hashable {
    /// The longest text in bytes of UTF-8.
    public static let maximumByteCount = 256
    /// The length of ``plaintext``.
    public static let plaintextByteCount = 288
    /// The length of the encrypted form.
    public static let encryptedByteCount = 316

    /// 32 random bytes, as secret as the text.
    public let salt: [UInt8]
    /// The question. A listed question is recognised even if its text was committed to.
    public let question: Question
    /// The committed content: the reference of a listed question, or a text.
    let content: String

    /// The text in English, or as entered.
    public var text: String { question.text(in: .english) }

    /// A new question with a random salt.
    ///
    /// - Throws: As ``init(_:salt:)-(String,_)``.
    public init(_ question: Question, random: Randomness = .system) throws(CredentialsError) {
        try self.init(question, salt: random.bytes(Commitment.saltByteCount))
    }

    /// A question with the salt that a blind client drew for the commitments in its record.
    ///
    /// - Throws: As ``init(_:salt:)-(String,_)``.
    public init(_ question: Question, salt: [UInt8]) throws(CredentialsError) {
        switch question {
        case .own(let text): try self.init(text, salt: salt)
        case .listed(let listed):
            guard salt.count == Commitment.saltByteCount else { throw CredentialsError(.questionTextInvalid) }
            self.init(salt: salt, question: question, content: Self.content(of: listed))
        }
    }

    private init(salt: [UInt8], question: Question, content: String) {
        self.salt = salt
        self.question = question
        self.content = content
    }

    /// A new text, to be committed to as it is, with a random salt.
    ///
    /// - Throws: As ``init(_:salt:)-(String,_)``.
    public init(_ text: String, random: Randomness = .system) throws(CredentialsError) {
        try self.init(text, salt: random.bytes(Commitment.saltByteCount))
    }

    /// A text that was committed to as it is, with its salt.
    ///
    /// - Throws: ``CredentialsError/Code/incomplete``, ``CredentialsError/Code/tooLong`` or
    ///   ``CredentialsError/Code/textInvalid``; ``CredentialsError/Code/questionTextInvalid`` unless the salt has 32
    ///   bytes.
    public init(_ text: String, salt: [UInt8]) throws(CredentialsError) {
        _ = try TextRule.passphrase.secretBytes(of: text, maximumBytes: Self.maximumByteCount)
        guard salt.count == Commitment.saltByteCount else { throw CredentialsError(.questionTextInvalid) }
        self.init(salt: salt, question: Question(text), content: text)
    }

    /// Refuses anything but five different questions, which a set-up requires.
    ///
    /// Listed questions are equal if their numbers are; own questions are equal if their texts are after folding.
    ///
    /// - Throws: ``CredentialsError/Code/fiveQuestionsRequired`` or ``CredentialsError/Code/questionsAlike``.
    public static func requireFive(_ questions: [QuestionText]) throws(CredentialsError) {
        guard questions.count == 5 else { throw CredentialsError(.fiveQuestionsRequired) }
        var seen: Set<[UInt8]> = []
        for (index, item) in questions.enumerated() {
            let comparable: [UInt8] =
                switch item.question {
                case .listed(let listed): [0, UInt8(clamping: listed.version), UInt8(clamping: listed.number)]
                case .own(let text): try TextRule.foldedText.secretBytes(of: text, maximumBytes: maximumByteCount)
                }
            guard seen.insert(comparable).inserted else {
                throw CredentialsError(.questionsAlike, at: .question(index))
            }
        }
    }

    /// Parses a decrypted plaintext.
    ///
    /// - Throws: ``CredentialsError/Code/questionTextInvalid`` for a wrong size, bad UTF-8, an empty text, a listed
    ///   question that no list has, or anything but zeros after the content.
    public init(plaintext: [UInt8]) throws(CredentialsError) {
        guard plaintext.count == Self.plaintextByteCount else { throw CredentialsError(.questionTextInvalid) }
        let padded = plaintext.dropFirst(Commitment.saltByteCount)
        let bytes = Array(padded.prefix { $0 != 0 })
        guard !bytes.isEmpty, padded.dropFirst(bytes.count).allSatisfy({ $0 == 0 }),
            let content = String(validating: bytes, as: UTF8.self)
        else { throw CredentialsError(.questionTextInvalid) }
        var question = Question(content)
        if content.unicodeScalars.first == Self.listedMark {
            guard let listed = Self.listed(content) else { throw CredentialsError(.questionTextInvalid) }
            question = .listed(listed)
        }
        self.init(salt: Array(plaintext.prefix(Commitment.saltByteCount)), question: question, content: content)
    }

    /// Salt 32 ‖ content padded with zeros to 256.
    public var plaintext: [UInt8] {
        let bytes = Array(content.utf8)
        return salt + bytes + [UInt8](repeating: 0, count: Self.maximumByteCount - bytes.count)
    }

    /// SHA-256 of `tenure/v1/question` ‖ salt ‖ content.
    public var commitment: Commitment { .question(salt: salt, text: Array(content.utf8)) }

    /// The first character of a listed question's content. No user's own text can contain it, because controls are
    /// refused.
    private static let listedMark: Unicode.Scalar = "\u{1}"

    /// Parses the content of a listed question in its one spelling.
    private static func listed(_ content: String) -> ListedQuestion? {
        let parts = content.unicodeScalars.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let version = Int(String(parts[0])), let number = Int(String(parts[1])),
            let listed = ListedQuestion(number: number, version: version),
            content == Self.content(of: listed)
        else { return nil }
        return listed
    }

    private static func content(of question: ListedQuestion) -> String {
        "\(listedMark)\(question.version)/\(question.number)"
    }
}
