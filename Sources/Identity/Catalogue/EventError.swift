/// Why an event could not be written or read.
public struct EventError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The stable identifier of a refusal; more may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The identifier, such as `event.unknown_type`.
        public let rawValue: String
        /// Makes a code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The identifier.
        public var description: String { rawValue }

        /// The catalogue has no such type: reading stops, because nothing may be skipped silently.
        public static let unknownType = Code(rawValue: "event.unknown_type")
        /// The catalogue has the type, not this version of it.
        public static let unknownSchema = Code(rawValue: "event.unknown_schema")
        /// A value does not fit its member.
        public static let invalidValue = Code(rawValue: "event.invalid_value")
    }

    /// What is wrong.
    public let code: Code
    /// The type of the event, or the pointer of the member.
    public let place: String

    /// Makes an error.
    public init(_ code: Code, _ place: String) {
        self.code = code
        self.place = place
    }

    /// The code and the place, in printable ASCII of bounded length.
    public var description: String {
        let shown = place.unicodeScalars.prefix(80).map { (0x20...0x7E).contains($0.value) ? String($0) : "?" }
        return "\(code): \(shown.joined())"
    }
}
