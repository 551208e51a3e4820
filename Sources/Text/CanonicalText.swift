/// An answer, a name or an address in the canonical form of ``TextRule/foldedText``.
///
/// Two values are equal exactly when their bytes are.
public struct CanonicalText: Sendable, Hashable {
    /// The canonical form, as UTF-8; never empty.
    public let bytes: [UInt8]

    /// The identifier stored beside what is derived from answers, names and addresses.
    public static let answerRule: UInt16 = TextRule.foldedText.rawValue

    /// The canonical form as a string.
    public var string: String { String(decoding: bytes, as: UTF8.self) }

    /// Makes the canonical form of a text of at most `maximumBytes` bytes, before and after.
    ///
    /// - Throws: ``TextError``.
    public init(_ text: String, maximumBytes: Int = TextRule.foldedText.maximumBytes) throws(TextError) {
        bytes = try TextRule.foldedText.canonicalize(text, maximumBytes: maximumBytes)
    }

    /// Makes the canonical form of an answer, of at most 256 bytes.
    ///
    /// - Throws: ``TextError``.
    public init(answer: String) throws(TextError) { try self.init(answer) }

    /// Makes the canonical form of a name, of at most 256 bytes.
    ///
    /// - Throws: ``TextError``.
    public init(name: String) throws(TextError) { try self.init(name) }

    /// Makes the canonical form of an e-mail address, of at most 254 bytes (RFC 5321 §4.5.3.1.3).
    ///
    /// Only the spelling is settled here, not whether it is an address.
    ///
    /// - Throws: ``TextError``.
    public init(address: String) throws(TextError) { try self.init(address, maximumBytes: 254) }

    /// Takes back bytes that were canonical when they were stored.
    ///
    /// - Throws: ``TextError`` with ``TextError/Code/notCanonical`` when they are not their own canonical form.
    public init(
        canonical bytes: [UInt8], maximumBytes: Int = TextRule.foldedText.maximumBytes
    ) throws(TextError) {
        let again = try TextRule.foldedText.canonicalize(
            String(decoding: bytes, as: UTF8.self), maximumBytes: maximumBytes)
        guard again == bytes else { throw TextError(code: .notCanonical) }
        self.bytes = bytes
    }
}

extension CanonicalText: CustomStringConvertible {
    /// Says that text is here and not which, so that no log or failure message shows an answer.
    public var description: String { "canonical text" }
}
