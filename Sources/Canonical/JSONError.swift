/// The reason why JSON was refused, and the place.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of refusal.
    public let code: Code
    /// The offset of the refused byte, or `nil` if a parsed value was refused.
    public let offset: Int?
    /// The place of the value as a JSON pointer (RFC 6901), empty for the whole document.
    public let pointer: String
    /// The reason in one clause, which never repeats a value.
    public let reason: String

    /// An error with its reason; `reason` must not repeat the input.
    public init(code: Code, offset: Int? = nil, pointer: String, reason: String) {
        self.code = code
        self.offset = offset
        self.pointer = pointer
        self.reason = reason
    }

    /// The code, the place and the reason, in printable ASCII of bounded length.
    public var description: String {
        var text = "\(code): \(reason)"
        if !pointer.isEmpty { text += " at " + Self.printable(pointer) }
        if let offset { text += " (byte \(offset))" }
        return text
    }

    /// Makes a pointer safe to print. Names come from outside, so characters that could confuse a terminal or a log are
    /// replaced, and the length is bounded.
    private static func printable(_ pointer: String) -> String {
        let shown = pointer.unicodeScalars.prefix(160).map { (0x20...0x7E).contains($0.value) ? String($0) : "?" }
        return shown.joined() + (pointer.unicodeScalars.count > 160 ? "..." : "")
    }

    /// Appends one member name to a JSON pointer, escaping `~` and `/` (RFC 6901 §3).
    static func pointer(_ pointer: String, member name: String) -> String {
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
            return pointer + "/" + name
        }
        var result = pointer + "/"
        for scalar in name.unicodeScalars {
            switch scalar {
            case "~": result += "~0"
            case "/": result += "~1"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension JSONError {
    /// The stable identifier of a refusal. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The identifier, such as `json.duplicate_member`.
        public let rawValue: String

        /// A code with the identifier `rawValue`.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The identifier.
        public var description: String { rawValue }

        /// More bytes than the limit.
        public static let tooLarge = Code(rawValue: "json.too_large")
        /// Arrays and objects nested deeper than the limit.
        public static let tooDeep = Code(rawValue: "json.too_deep")
        /// The text ends inside a value.
        public static let unexpectedEnd = Code(rawValue: "json.unexpected_end")
        /// A byte that the grammar does not allow here.
        public static let unexpectedByte = Code(rawValue: "json.unexpected_byte")
        /// The text starts with a byte order mark.
        public static let byteOrderMark = Code(rawValue: "json.byte_order_mark")
        /// The bytes are not UTF-8.
        public static let invalidUTF8 = Code(rawValue: "json.invalid_utf8")
        /// An unescaped control character in a string.
        public static let controlCharacter = Code(rawValue: "json.control_character")
        /// An escape that JSON does not define.
        public static let invalidEscape = Code(rawValue: "json.invalid_escape")
        /// Half of a surrogate pair.
        public static let loneSurrogate = Code(rawValue: "json.lone_surrogate")
        /// U+0000, which the database cannot hold.
        public static let nul = Code(rawValue: "json.nul")
        /// An object has two members of one name.
        public static let duplicateMember = Code(rawValue: "json.duplicate_member")
        /// A number with a leading zero, a fraction or an exponent, or negative zero.
        public static let notAnInteger = Code(rawValue: "json.not_an_integer")
        /// An integer of 2^53 or more in magnitude.
        public static let integerOutOfRange = Code(rawValue: "json.integer_out_of_range")
        /// Something follows the value.
        public static let trailingBytes = Code(rawValue: "json.trailing_bytes")
        /// Valid JSON that is not in canonical form.
        public static let notCanonical = Code(rawValue: "json.not_canonical")
        /// A null where the member must be omitted.
        public static let nullValue = Code(rawValue: "json.null")
        /// A required member is absent.
        public static let missingMember = Code(rawValue: "json.missing_member")
        /// A member that is not expected.
        public static let unknownMember = Code(rawValue: "json.unknown_member")
        /// A value of another type than the one expected.
        public static let wrongType = Code(rawValue: "json.wrong_type")
        /// A value of the right type that is not one of those allowed.
        public static let invalidValue = Code(rawValue: "json.invalid_value")
    }
}
