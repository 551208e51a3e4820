/// Reads JSON (RFC 8259) that has one meaning only (I-JSON, RFC 7493) and numbers that are integers.
///
/// Refused: duplicate member names, also when written with different escapes; U+0000; lone surrogates; bytes that are
/// not UTF-8; a byte order mark; anything after the value; numbers with a fraction, an exponent or a leading zero,
/// negative zero, and integers of 2^53 or more in magnitude; nesting and size above the limits. Names that are
/// canonically equivalent count as duplicates, because a dictionary of strings would keep only one of them.
public enum StrictJSON {
    /// What a text may cost to read.
    public struct Limits: Sendable, Equatable {
        /// The greatest depth any limit can allow, so that no document exhausts a thread's stack.
        public static let greatestDepth = 128

        /// The greatest number of bytes.
        public let bytes: Int
        /// The greatest number of arrays and objects around a value, itself included; at most ``greatestDepth``.
        public let depth: Int

        /// Makes limits; a depth above ``greatestDepth`` is lowered to it.
        public init(bytes: Int = 65_536, depth: Int = 32) {
            self.bytes = bytes
            self.depth = min(depth, Self.greatestDepth)
        }
    }

    /// Reads one value from UTF-8.
    ///
    /// - Throws: ``JSONError`` with the offset and the pointer of the first byte refused.
    public static func parse(
        _ bytes: some Collection<UInt8>, limits: Limits = Limits()
    ) throws(JSONError) -> JSONValue {
        try JSONParser.parse(bytes, limits: limits, canonical: false)
    }
}
