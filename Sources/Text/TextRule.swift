/// The version of the Unicode Character Database behind every rule here: major, then minor, one byte each (15.0).
package let unicodeVersion: UInt16 = 0x0F00

/// A rule for canonicalising text. The raw value is permanent, because it is stored beside what was derived.
///
/// A rule never changes. All properties come from tables of ``unicodeVersion``, not from the system, and code points
/// unassigned in that version are refused. The same text therefore yields the same bytes on every system, permanently.
package enum TextRule: UInt16, Sendable, Hashable, CaseIterable {
    /// Answers, names and addresses: spellings that people consider equal become equal.
    ///
    /// The text in form NFD is mapped by NFKC_Casefold (The Unicode Standard, D147), which folds case and compatibility
    /// variants and drops default-ignorable characters. It is then put in form NFC. Every run of White_Space becomes
    /// one space, and leading and trailing spaces are removed. Other control characters are refused.
    case foldedText = 1

    /// Passphrases: form NFC, with case and every space kept.
    ///
    /// All control characters are refused, including tabs and line ends. They come from pasting, cannot be seen, and
    /// would lock out a user who later types the phrase.
    case passphrase = 2

    /// The default limit: 256 bytes for ``foldedText``, 1,024 for ``passphrase``.
    package var maximumBytes: Int {
        switch self {
        case .foldedText: 256
        case .passphrase: 1_024
        }
    }

    /// Whether a code point is White_Space in the version of these rules, whatever the system's library says.
    package static func isWhiteSpace(_ scalar: Unicode.Scalar) -> Bool {
        UnicodeTables.version15.whiteSpace.contains(scalar.value)
    }

    /// Returns the canonical form of a text as UTF-8. Canonicalising the result again changes nothing.
    ///
    /// - Parameters:
    ///   - input: Any text.
    ///   - maximumBytes: The greatest size, in UTF-8, of the input and of the result, or `nil` for ``maximumBytes``.
    /// - Throws: ``TextError``, which never repeats the text.
    package func canonicalize(_ input: String, maximumBytes: Int? = nil) throws(TextError) -> [UInt8] {
        let limit = maximumBytes ?? self.maximumBytes
        guard input.utf8.count <= limit else { throw TextError(code: .tooLong) }
        let tables = UnicodeTables.version15
        var scalars: [UInt32] = []
        scalars.reserveCapacity(input.utf8.count)
        for scalar in input.unicodeScalars {
            guard tables.assigned.contains(scalar.value) else { throw TextError(code: .unassignedCodePoint) }
            guard accepts(scalar.value, tables) else { throw TextError(code: .controlCharacter) }
            scalars.append(scalar.value)
        }
        var result = Normalization.decompose(scalars)
        if self == .foldedText { result = Normalization.order(tables.folding.map(result)) }
        result = Normalization.compose(result)
        if self == .foldedText { result = collapse(result, tables.whiteSpace) }
        guard !result.isEmpty else { throw TextError(code: .empty) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(result.count)
        for value in result {
            // The tables contain scalar values only, and a test encodes every one of them.
            guard let scalar = Unicode.Scalar(value), let encoded = UTF8.encode(scalar) else { continue }
            bytes.append(contentsOf: encoded)
        }
        guard bytes.count <= limit else { throw TextError(code: .tooLong) }
        return bytes
    }

    /// Returns the canonical form of a text that somebody enters, such as a secret.
    ///
    /// It refuses U+FFFD, which decoders write for bytes that were not UTF-8: different texts would become the same.
    ///
    /// - Throws: As ``canonicalize(_:maximumBytes:)``, and ``TextError`` with
    ///   ``TextError/Code/replacementCharacter``.
    package func canonicalize(entered input: String, maximumBytes: Int? = nil) throws(TextError) -> [UInt8] {
        let form = try canonicalize(input, maximumBytes: maximumBytes)
        guard !input.unicodeScalars.contains("\u{FFFD}") else { throw TextError(code: .replacementCharacter) }
        return form
    }

    /// Whether a rule accepts a code point, with regard to control characters.
    ///
    /// Unicode guarantees that the general category Cc never changes, so it is hard-coded here.
    private func accepts(_ value: UInt32, _ tables: UnicodeTables) -> Bool {
        guard value < 0x20 || (0x7F...0x9F).contains(value) else { return true }
        return self == .foldedText && tables.whiteSpace.contains(value)
    }

    private func collapse(_ scalars: [UInt32], _ whiteSpace: ScalarSet) -> [UInt32] {
        var result: [UInt32] = []
        result.reserveCapacity(scalars.count)
        var pending = false
        for scalar in scalars {
            if whiteSpace.contains(scalar) {
                pending = !result.isEmpty
            } else {
                if pending { result.append(0x20) }
                pending = false
                result.append(scalar)
            }
        }
        return result
    }
}

/// An answer, a name or an address in the canonical form of ``TextRule/foldedText``.
///
/// Two values are equal if and only if their bytes are.
package struct CanonicalText: Sendable, Hashable {
    /// The canonical form, as UTF-8; never empty.
    package let bytes: [UInt8]

    /// The identifier stored beside what is derived from answers, names and addresses.
    package static let answerRule: UInt16 = TextRule.foldedText.rawValue

    /// The canonical form as a string.
    package var string: String { String(decoding: bytes, as: UTF8.self) }

    /// The canonical form of a text. Neither the text nor the form may exceed `maximumBytes`.
    ///
    /// - Throws: ``TextError``.
    package init(_ text: String, maximumBytes: Int = TextRule.foldedText.maximumBytes) throws(TextError) {
        bytes = try TextRule.foldedText.canonicalize(text, maximumBytes: maximumBytes)
    }

    /// The canonical form of an answer of at most 256 bytes.
    ///
    /// - Throws: ``TextError``.
    package init(answer: String) throws(TextError) { try self.init(answer) }

    /// The canonical form of a name of at most 256 bytes.
    ///
    /// - Throws: ``TextError``.
    package init(name: String) throws(TextError) { try self.init(name) }

    /// The canonical form of an e-mail address of at most 254 bytes (RFC 5321 §4.5.3.1.3).
    ///
    /// It does not check whether the text is an address.
    ///
    /// - Throws: ``TextError``.
    package init(address: String) throws(TextError) { try self.init(address, maximumBytes: 254) }

    /// Restores stored bytes of a canonical form.
    ///
    /// - Throws: ``TextError`` with ``TextError/Code/notCanonical`` if they are not canonical.
    package init(
        canonical bytes: [UInt8], maximumBytes: Int = TextRule.foldedText.maximumBytes
    ) throws(TextError) {
        let again = try TextRule.foldedText.canonicalize(
            String(decoding: bytes, as: UTF8.self), maximumBytes: maximumBytes)
        guard again == bytes else { throw TextError(code: .notCanonical) }
        self.bytes = bytes
    }
}

extension CanonicalText: CustomStringConvertible {
    /// A fixed text, so that no log or failure message shows an answer.
    package var description: String { "canonical text" }
}

/// The reason why a text has no canonical form. It says nothing about the text itself, which may be a secret.
package struct TextError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The stable identifier of a refusal. More may be added.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The identifier, such as `text.empty`.
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        package var description: String { rawValue }

        /// The canonical form is empty.
        package static let empty = Code(rawValue: "text.empty")
        /// The text or its canonical form has more bytes than the limit.
        package static let tooLong = Code(rawValue: "text.too_long")
        /// A code point that ``unicodeVersion`` does not assign.
        package static let unassignedCodePoint = Code(rawValue: "text.unassigned_code_point")
        /// A control character that the rule does not accept.
        package static let controlCharacter = Code(rawValue: "text.control_character")
        /// A code point that is invisible, or that changes the direction of others.
        package static let invisibleCharacter = Code(rawValue: "text.invisible_character")
        /// U+FFFD, which stands for bytes that were not UTF-8.
        package static let replacementCharacter = Code(rawValue: "text.replacement_character")
        /// Bytes presented as canonical are not.
        package static let notCanonical = Code(rawValue: "text.not_canonical")
    }

    package let code: Code

    package init(code: Code) { self.code = code }

    /// The code and the reason in one clause.
    package var description: String {
        let reason =
            switch code {
            case .empty: "the text is empty"
            case .tooLong: "the text is too long"
            case .unassignedCodePoint: "the text contains a character that Unicode 15.0 does not define"
            case .controlCharacter: "the text contains a control character"
            case .invisibleCharacter: "the text contains an invisible character"
            case .replacementCharacter: "the text contains U+FFFD, which stands for bytes that were not UTF-8"
            case .notCanonical: "the text is not in its canonical form"
            default: "the text is refused"
            }
        return "\(code): \(reason)"
    }
}
