public import Canonical

/// The body of `POST /v1/…/{flow}/evaluations`.
///
/// At set-up the elements of all copies: ten subsets, the passphrase, or both. Otherwise one element, which is charged
/// as an attempt, or the other nine of the attempt that was charged last.
public struct EvaluationsRequest: Sendable, Equatable, JSONConvertible {
    /// The blinded elements.
    public var elements: [Element]

    /// Describes elements.
    public init(elements: [Element]) { self.elements = elements }

    /// Reads a request; unknown members are refused.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        elements = try reader.wire("elements")
        try reader.finish()
    }

    /// The body.
    public var json: JSONValue { ["elements": elements.json] }

    /// One blinded element.
    public struct Element: Sendable, Equatable, JSONConvertible {
        /// The copy that it is for: 0 (questions 1, 2, 3) to 9 (3, 4, 5), or 255 for the passphrase.
        public var slot: Int64
        /// The compressed P-384 point, 49 bytes; padded base64 on the wire.
        public var element: [UInt8]

        /// Pairs an element with its copy.
        public init(slot: Int64, element: [UInt8]) {
            self.slot = slot
            self.element = element
        }

        /// Reads an element; unknown members are refused.
        public init(json: JSONValue, at pointer: String) throws(JSONError) {
            var reader = try ObjectReader(json, at: pointer)
            slot = try reader.integer("slot")
            element = try reader.base64("element")
            try reader.finish()
        }

        /// The element.
        public var json: JSONValue { ["slot": .integer(slot), "element": .base64(element)] }
    }
}
