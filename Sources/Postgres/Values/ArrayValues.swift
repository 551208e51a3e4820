public import FoundationEssentials

/// A type whose arrays can be bound: every ``PostgresEncodable`` of the closed list, and `UInt8`, whose array is `bytea`.
public protocol PostgresArrayEncodable: Sendable {
    static var postgresArrayType: PostgresType { get }
    /// Appends the binary form of the whole array.
    ///
    /// - Throws: ``PostgresError/Code/encoding``.
    static func encode(array: [Self], into bytes: inout [UInt8]) throws(PostgresError)
}

/// A type whose arrays can be read; see ``PostgresArrayEncodable``.
public protocol PostgresArrayDecodable: Sendable {
    /// Whether a column of `type` holds an array of this type.
    static func canDecodeArray(_ type: PostgresType) -> Bool
    /// Decodes a whole array.
    ///
    /// - Throws: ``PostgresError/Code/decoding``.
    static func decodeArray(_ bytes: Span<UInt8>) throws(PostgresError) -> [Self]
}

extension Array: PostgresEncodable where Element: PostgresArrayEncodable {
    /// The array type of the element; `bytea` for bytes.
    public static var postgresType: PostgresType { Element.postgresArrayType }
    /// Appends the binary form.
    ///
    /// - Throws: ``PostgresError/Code/encoding``.
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) {
        try Element.encode(array: self, into: &bytes)
    }
}

extension Array: PostgresDecodable where Element: PostgresArrayDecodable {
    /// The array type of the element; `bytea` for bytes.
    public static func canDecode(_ type: PostgresType) -> Bool { Element.canDecodeArray(type) }
    /// Decodes a one-dimensional array with any lower bound.
    ///
    /// - Throws: ``PostgresError/Code/decoding``.
    public static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> [Element] {
        try Element.decodeArray(bytes)
    }
}

extension PostgresArrayEncodable where Self: PostgresEncodable {
    /// The array of this type.
    public static var postgresArrayType: PostgresType { postgresType.array ?? postgresType }

    /// Appends the header (dimensions, NULL flag, element type, length, lower bound 1), then length and bytes of each
    /// element.
    ///
    /// - Throws: ``PostgresError/Code/encoding`` if the array or an element cannot be sent.
    public static func encode(array: [Self], into bytes: inout [UInt8]) throws(PostgresError) {
        bytes.appendBigEndian(Int32(array.isEmpty ? 0 : 1))
        bytes.appendBigEndian(Int32(array.contains(where: \.isPostgresNull) ? 1 : 0))
        bytes.appendBigEndian(postgresType.rawValue)
        if array.isEmpty { return }
        guard let count = Int32(exactly: array.count) else { throw PostgresError(.encoding, "an array is too long") }
        bytes.appendBigEndian(count)
        bytes.appendBigEndian(Int32(1))
        for element in array {
            guard !element.isPostgresNull else {
                bytes.appendBigEndian(Int32(-1))
                continue
            }
            let start = bytes.count
            bytes.appendBigEndian(Int32(0))
            try element.encode(into: &bytes)
            guard let length = Int32(exactly: bytes.count - start - 4) else {
                throw PostgresError(.encoding, "an array element is too long")
            }
            for place in 0..<4 { bytes[start + place] = UInt8(truncatingIfNeeded: length >> (24 - 8 * place)) }
        }
    }
}

extension PostgresArrayDecodable where Self: PostgresDecodable {
    /// Whether the elements of `type` are readable as this type.
    public static func canDecodeArray(_ type: PostgresType) -> Bool { type.element.map(canDecode) ?? false }

    /// Decodes header and elements.
    ///
    /// - Throws: ``PostgresError/Code/decoding``, also for arrays of more than one dimension.
    public static func decodeArray(_ bytes: Span<UInt8>) throws(PostgresError) -> [Self] {
        let malformed = PostgresError(.decoding, "the array is malformed")
        guard bytes.count >= 12 else { throw malformed }
        let dimensions = try Int32(bigEndian: bytes.extracting(0..<4))
        let element = PostgresType(rawValue: try UInt32(bigEndian: bytes.extracting(8..<12)))
        guard canDecode(element) else { throw PostgresError(.decoding, "the array has another element type") }
        guard dimensions != 0 else { return [] }
        guard dimensions == 1 else { throw PostgresError(.decoding, "the array has more than one dimension") }
        guard bytes.count >= 20 else { throw malformed }
        let count = Int(try Int32(bigEndian: bytes.extracting(12..<16)))
        // Every element takes at least its length, so a false count cannot reserve much memory.
        guard count >= 0, count <= (bytes.count - 20) / 4 else { throw malformed }
        var values: [Self] = []
        values.reserveCapacity(count)
        var offset = 20
        for _ in 0..<count {
            guard bytes.count - offset >= 4 else { throw malformed }
            let length = Int(try Int32(bigEndian: bytes.extracting(offset..<offset + 4)))
            offset += 4
            guard length >= 0 else {
                values.append(try decodeNull())
                continue
            }
            guard bytes.count - offset >= length else { throw malformed }
            values.append(try decode(bytes.extracting(offset..<offset + length)))
            offset += length
        }
        guard offset == bytes.count else { throw malformed }
        return values
    }
}

extension Bool: PostgresArrayEncodable, PostgresArrayDecodable {}
extension Int16: PostgresArrayEncodable, PostgresArrayDecodable {}
extension Int32: PostgresArrayEncodable, PostgresArrayDecodable {}
extension Int64: PostgresArrayEncodable, PostgresArrayDecodable {}
extension Int: PostgresArrayEncodable, PostgresArrayDecodable {}
extension String: PostgresArrayEncodable, PostgresArrayDecodable {}
extension UUID: PostgresArrayEncodable, PostgresArrayDecodable {}
extension PostgresTimestamp: PostgresArrayEncodable, PostgresArrayDecodable {}
extension PostgresJSON: PostgresArrayEncodable, PostgresArrayDecodable {}
extension PostgresJSONB: PostgresArrayEncodable, PostgresArrayDecodable {}

extension Optional: PostgresArrayEncodable where Wrapped: PostgresArrayEncodable & PostgresEncodable {}
extension Optional: PostgresArrayDecodable where Wrapped: PostgresArrayDecodable & PostgresDecodable {}

/// `[[UInt8]]` is `bytea[]`; deeper nesting does not compile.
extension Array: PostgresArrayEncodable where Element == UInt8 {}
extension Array: PostgresArrayDecodable where Element == UInt8 {}

/// `[UInt8]` is `bytea`, not an array of numbers.
extension UInt8: PostgresArrayEncodable, PostgresArrayDecodable {
    /// `bytea`
    public static var postgresArrayType: PostgresType { .bytea }
    /// Appends the bytes unchanged. Never throws.
    public static func encode(array: [UInt8], into bytes: inout [UInt8]) throws(PostgresError) {
        bytes.append(contentsOf: array)
    }
    /// Only `bytea`.
    public static func canDecodeArray(_ type: PostgresType) -> Bool { type == .bytea }
    /// Returns the bytes unchanged. Never throws.
    public static func decodeArray(_ bytes: Span<UInt8>) throws(PostgresError) -> [UInt8] { Array(copying: bytes) }
}
