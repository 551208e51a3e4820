extension JSONError {
    /// The stable identifier of a refusal; more may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The identifier, such as `json.duplicate_member`.
        public let rawValue: String

        /// Makes a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The identifier.
        public var description: String { rawValue }

        /// More bytes than the limit.
        public static let tooLarge = Code(rawValue: "json.too_large")
        /// Arrays and objects nested deeper than the limit.
        public static let tooDeep = Code(rawValue: "json.too_deep")
        /// The text ends within a value.
        public static let unexpectedEnd = Code(rawValue: "json.unexpected_end")
        /// A byte that the grammar does not allow here.
        public static let unexpectedByte = Code(rawValue: "json.unexpected_byte")
        /// The text starts with a byte order mark.
        public static let byteOrderMark = Code(rawValue: "json.byte_order_mark")
        /// The bytes are not UTF-8.
        public static let invalidUTF8 = Code(rawValue: "json.invalid_utf8")
        /// A control character stands in a string without an escape.
        public static let controlCharacter = Code(rawValue: "json.control_character")
        /// An escape that JSON does not have.
        public static let invalidEscape = Code(rawValue: "json.invalid_escape")
        /// Half of a surrogate pair.
        public static let loneSurrogate = Code(rawValue: "json.lone_surrogate")
        /// U+0000, which the database cannot hold.
        public static let nul = Code(rawValue: "json.nul")
        /// One object has two members of one name.
        public static let duplicateMember = Code(rawValue: "json.duplicate_member")
        /// A number with a leading zero, a fraction or an exponent, or negative zero.
        public static let notAnInteger = Code(rawValue: "json.not_an_integer")
        /// An integer of 2^53 or more in magnitude.
        public static let integerOutOfRange = Code(rawValue: "json.integer_out_of_range")
        /// Something follows the value.
        public static let trailingBytes = Code(rawValue: "json.trailing_bytes")
        /// Right JSON, and not in the canonical form.
        public static let notCanonical = Code(rawValue: "json.not_canonical")
        /// A null where an absent member has to be omitted.
        public static let nullValue = Code(rawValue: "json.null")
        /// A required member is absent.
        public static let missingMember = Code(rawValue: "json.missing_member")
        /// A member that nobody asked for.
        public static let unknownMember = Code(rawValue: "json.unknown_member")
        /// A value of another type than the one expected.
        public static let wrongType = Code(rawValue: "json.wrong_type")
        /// A value of the right type that is not one of those allowed.
        public static let invalidValue = Code(rawValue: "json.invalid_value")
    }
}
