/// The version of the Unicode Character Database behind every rule here: major, then minor, one byte each (15.0).
public let unicodeVersion: UInt16 = 0x0F00

/// A way to bring text to one spelling; the raw value is permanent, because it is stored beside what was derived.
///
/// A rule never changes. All properties come from tables of ``unicodeVersion``, not from the system, and code points
/// that version had not assigned are refused; so the same text gives the same bytes on every system, for ever.
public enum TextRule: UInt16, Sendable, Hashable, CaseIterable {
    /// Answers, names and addresses: spellings that people take for the same become the same.
    ///
    /// The text in form NFD is mapped by NFKC_Casefold (The Unicode Standard, D147), which folds case and compatibility
    /// variants and drops default-ignorable characters, and is put in form NFC. Then every run of White_Space becomes
    /// one space, and none is left at either end. Control characters that are not white space are refused.
    case foldedText = 1

    /// Passphrases: form NFC, with case and every space kept.
    ///
    /// All control characters are refused, tabs and line ends too: they come from pasting, cannot be seen, and would
    /// lock out who later types the phrase.
    case passphrase = 2

    /// The limit when the caller names none: 256 bytes for ``foldedText``, 1,024 for ``passphrase``.
    public var maximumBytes: Int {
        switch self {
        case .foldedText: 256
        case .passphrase: 1_024
        }
    }

    /// The canonical form of a text, as UTF-8; applied to its own result it changes nothing.
    ///
    /// - Parameters:
    ///   - input: Any text.
    ///   - maximumBytes: The greatest size, in UTF-8, of the input and of the result; nil for ``maximumBytes``.
    /// - Throws: ``TextError``, which never repeats the text.
    public func canonicalize(_ input: String, maximumBytes: Int? = nil) throws(TextError) -> [UInt8] {
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
            // The tables hold scalar values only, and a test encodes every one of them.
            guard let scalar = Unicode.Scalar(value), let encoded = UTF8.encode(scalar) else { continue }
            bytes.append(contentsOf: encoded)
        }
        guard bytes.count <= limit else { throw TextError(code: .tooLong) }
        return bytes
    }

    /// Whether a rule takes a code point, with regard to control characters.
    ///
    /// The general category Cc is one of the few that Unicode promises never to change, so it is written here.
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
