import Text

/// A question's text with the salt of its commitment: the part of a record that is encrypted under the person's key.
///
/// The plaintext is always 288 bytes: salt 32 ‖ text padded with zero bytes to 256. Encrypted it is 316 bytes:
/// nonce 12 ‖ cipher text 288 ‖ tag 16. The key and its additional data are the caller's.
public struct QuestionText: Sendable, Hashable {
    /// The longest text in bytes of UTF-8.
    public static let maximumByteCount = 256
    /// The length of ``plaintext``.
    public static let plaintextByteCount = 288
    /// The length of the encrypted form.
    public static let encryptedByteCount = 316

    /// 32 random bytes, as secret as the text.
    public let salt: [UInt8]
    /// The text as entered.
    public let text: String

    /// Takes a new text and draws its salt.
    ///
    /// - Throws: ``CredentialsError/Code/incomplete``, ``CredentialsError/Code/tooLong`` or
    ///   ``CredentialsError/Code/textInvalid``.
    public init(_ text: String, random: Randomness = .system) throws(CredentialsError) {
        try self.init(text, salt: random.bytes(Commitment.saltByteCount))
    }

    /// Takes a text whose salt somebody else drew: a blind client, for the commitments in its record.
    ///
    /// - Throws: As ``init(_:random:)``; ``CredentialsError/Code/questionTextInvalid`` unless the salt has 32 bytes.
    public init(_ text: String, salt: [UInt8]) throws(CredentialsError) {
        _ = try TextRule.passphrase.secretBytes(of: text, maximumBytes: Self.maximumByteCount)
        guard salt.count == Commitment.saltByteCount else { throw CredentialsError(.questionTextInvalid) }
        self.text = text
        self.salt = salt
    }

    /// Refuses anything but five texts that differ after folding: what a set-up asks of its questions.
    ///
    /// - Throws: ``CredentialsError/Code/fiveQuestionsRequired`` or ``CredentialsError/Code/questionsAlike``.
    public static func requireFive(_ questions: [QuestionText]) throws(CredentialsError) {
        guard questions.count == 5 else { throw CredentialsError(.fiveQuestionsRequired) }
        var folded: Set<[UInt8]> = []
        for question in questions {
            let comparable = try TextRule.foldedText.secretBytes(of: question.text, maximumBytes: maximumByteCount)
            guard folded.insert(comparable).inserted else { throw CredentialsError(.questionsAlike) }
        }
    }

    /// Reads a decrypted plaintext.
    ///
    /// - Throws: ``CredentialsError/Code/questionTextInvalid`` for a wrong size, bad UTF-8, an empty text, or anything
    ///   but zeros after the text.
    public init(plaintext: [UInt8]) throws(CredentialsError) {
        guard plaintext.count == Self.plaintextByteCount else { throw CredentialsError(.questionTextInvalid) }
        let padded = plaintext.dropFirst(Commitment.saltByteCount)
        let bytes = Array(padded.prefix { $0 != 0 })
        guard !bytes.isEmpty, padded.dropFirst(bytes.count).allSatisfy({ $0 == 0 }),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw CredentialsError(.questionTextInvalid) }
        salt = Array(plaintext.prefix(Commitment.saltByteCount))
        self.text = text
    }

    /// Salt 32 ‖ text padded with zeros to 256.
    public var plaintext: [UInt8] {
        let bytes = Array(text.utf8)
        return salt + bytes + [UInt8](repeating: 0, count: Self.maximumByteCount - bytes.count)
    }

    /// SHA-256 of `tenure/v1/question` ‖ salt ‖ text.
    public var commitment: Commitment { .question(salt: salt, text: Array(text.utf8)) }
}
