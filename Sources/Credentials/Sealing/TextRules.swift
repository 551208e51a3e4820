import Text

/// The text rules under which a record was made, by number; a record never changes its rules.
public struct TextRules: Sendable, Hashable {
    /// How answers are canonicalised: 1 is NFKC_Casefold, trimmed, inner white space collapsed.
    public let answerRule: UInt16
    /// How a passphrase is canonicalised: 2 is NFC, case and spaces kept.
    public let passphraseRule: UInt16
    /// The Unicode version, major in the high byte and minor in the low byte: 0x0f00 is 15.0.
    public let unicode: UInt16

    /// The rules of version 1, the only ones there are: 1, 2 and 0x0f00.
    public static let version1 = TextRules(
        answerRule: TextRule.foldedText.rawValue, passphraseRule: TextRule.passphrase.rawValue,
        unicode: unicodeVersion)

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.u16(answerRule)
        writer.u16(passphraseRule)
        writer.u16(unicode)
        return writer.bytes
    }
}

extension TextRule {
    /// Canonicalises a secret or a question; the error says no more than what is wrong.
    func secretBytes(of text: String, maximumBytes: Int) throws(CredentialsError) -> [UInt8] {
        do {
            return try canonicalize(text, maximumBytes: maximumBytes)
        } catch {
            switch error.code {
            case .empty: throw CredentialsError(.incomplete)
            case .tooLong: throw CredentialsError(.tooLong)
            default: throw CredentialsError(.textInvalid)
            }
        }
    }
}
