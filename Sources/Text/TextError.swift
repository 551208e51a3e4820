/// Why a text has no canonical form; it says nothing about the text itself, which may be a secret.
public struct TextError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The stable identifier of a refusal; more may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The identifier, such as `text.empty`.
        public let rawValue: String

        /// Makes a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The identifier.
        public var description: String { rawValue }

        /// Nothing is left of the text.
        public static let empty = Code(rawValue: "text.empty")
        /// The text or its canonical form has more bytes than the limit.
        public static let tooLong = Code(rawValue: "text.too_long")
        /// A code point that ``unicodeVersion`` does not assign.
        public static let unassignedCodePoint = Code(rawValue: "text.unassigned_code_point")
        /// A control character that the rule does not take.
        public static let controlCharacter = Code(rawValue: "text.control_character")
        /// Bytes presented as canonical that are not.
        public static let notCanonical = Code(rawValue: "text.not_canonical")
    }

    /// What is wrong.
    public let code: Code

    /// Makes an error.
    public init(code: Code) { self.code = code }

    /// The code and one clause for a person.
    public var description: String {
        let reason =
            switch code {
            case .empty: "the text is empty"
            case .tooLong: "the text is too long"
            case .unassignedCodePoint: "the text holds a character that Unicode 15.0 does not know"
            case .controlCharacter: "the text holds a control character"
            case .notCanonical: "the text is not in its canonical form"
            default: "the text is refused"
            }
        return "\(code): \(reason)"
    }
}
