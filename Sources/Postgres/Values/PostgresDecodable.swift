/// A value that can be read from a column in the server's binary format.
///
/// The type of the column must be one that ``canDecode(_:)`` accepts: nothing is converted silently.
public protocol PostgresDecodable: Sendable {
    /// Whether a column of `type` holds values of this type.
    static func canDecode(_ type: PostgresType) -> Bool
    /// Reads one value. Throws `.decoding` for bytes that are not of the type.
    static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Self
    /// The value of NULL. Throws `.decoding` unless the type is optional.
    static func decodeNull() throws(PostgresError) -> Self
}

extension PostgresDecodable {
    /// Refuses NULL: only optionals can be NULL.
    public static func decodeNull() throws(PostgresError) -> Self {
        throw PostgresError(.decoding, "NULL where a value is required")
    }
}

extension PostgresDecodable where Self: RawRepresentable, RawValue: PostgresDecodable {
    /// Whether the raw value accepts `type`.
    public static func canDecode(_ type: PostgresType) -> Bool { RawValue.canDecode(type) }
    /// Reads the raw value. Throws `.decoding` when it is no value of this type.
    public static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Self {
        guard let value = Self(rawValue: try RawValue.decode(bytes)) else {
            throw PostgresError(.decoding, "the raw value is outside its type")
        }
        return value
    }
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    /// Whether the wrapped type accepts `type`.
    public static func canDecode(_ type: PostgresType) -> Bool { Wrapped.canDecode(type) }
    /// Reads the wrapped value.
    public static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Wrapped? { try Wrapped.decode(bytes) }
    /// Nil.
    public static func decodeNull() throws(PostgresError) -> Wrapped? { nil }
}

extension FixedWidthInteger {
    /// Reads an integer in network order; the span must be exactly as long as the integer.
    init(bigEndian bytes: Span<UInt8>) throws(PostgresError) {
        guard bytes.count * 8 == Self.bitWidth else { throw PostgresError(.decoding, "an integer of a wrong length") }
        var value: Self = 0
        for index in bytes.indices { value = value << 8 | Self(truncatingIfNeeded: bytes[index]) }
        self = value
    }
}
