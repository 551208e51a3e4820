import Credentials

/// Finds typographic quotation marks and dashes in an entry that was refused.
///
/// A phone types them by itself, so the answer that a person set on one device may differ from the one that they type on
/// another. The text rule keeps them apart, because a rule never changes.
enum TypographicCharacters {
    /// The typographic characters, each with the one that a keyboard types.
    private static let plain: [Unicode.Scalar: String] = [
        "\u{2018}": "'", "\u{2019}": "'", "\u{201A}": "'", "\u{201B}": "'", "\u{2032}": "'", "\u{2039}": "'",
        "\u{203A}": "'", "\u{201C}": "\"", "\u{201D}": "\"", "\u{201E}": "\"", "\u{201F}": "\"", "\u{2033}": "\"",
        "\u{00AB}": "\"", "\u{00BB}": "\"", "\u{2010}": "-", "\u{2011}": "-", "\u{2012}": "-", "\u{2013}": "-",
        "\u{2014}": "-", "\u{2015}": "-", "\u{2212}": "-",
    ]

    /// A sentence about the first typographic character of an entry; `nil` if it has none.
    ///
    /// - Parameter entry: What the entry is called, such as "The passphrase".
    static func hint(_ text: String, _ entry: String) -> String? {
        for scalar in text.unicodeScalars {
            guard let plain = plain[scalar] else { continue }
            return "\(entry) contains \(scalar), which phones type by themselves."
                + " If you set it with \(plain), type that instead."
        }
        return nil
    }

    /// The sentences about the answers or the passphrase that prove who somebody is.
    static func hints(in secret: CurrentSecret) -> [String] {
        switch secret {
        case .answers(let answers):
            answers.enumerated().compactMap { hint($1.answer, "Answer \($0 + 1)") }
        case .passphrase(let text): [hint(text, "The passphrase")].compactMap(\.self)
        }
    }
}

extension FlowSubmission {
    /// The secret that the submission proves; `nil` if it proves none.
    var proved: CurrentSecret? {
        switch self {
        case .answers(let answers): .answers(answers)
        case .passphrase(let text): .passphrase(text)
        case .change(.direct(let current), _): current
        case .newCredentials, .change(.blind, _): nil
        }
    }
}

extension TenureClientError {
    /// Adds hints about typographic characters to the refusal of a secret.
    func hinting(at secret: CurrentSecret?) -> TenureClientError {
        guard let secret, [.answersIncorrect, .passphraseIncorrect, .signingRefused].contains(kind) else { return self }
        return TenureClientError(code, problem, retryAfter, advice + TypographicCharacters.hints(in: secret))
    }
}
