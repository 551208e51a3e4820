extension Int16: PostgresEncodable, PostgresDecodable {
    /// `smallint`
    public static var postgresType: PostgresType { .int2 }
    /// Two bytes in network order.
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) { bytes.appendBigEndian(self) }
    /// Only `smallint`.
    public static func canDecode(_ type: PostgresType) -> Bool { type == .int2 }
    /// Two bytes in network order.
    public static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Int16 { try Int16(bigEndian: bytes) }
}

extension Int32: PostgresEncodable, PostgresDecodable {
    /// `integer`
    public static var postgresType: PostgresType { .int4 }
    /// Four bytes in network order.
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) { bytes.appendBigEndian(self) }
    /// Only `integer`.
    public static func canDecode(_ type: PostgresType) -> Bool { type == .int4 }
    /// Four bytes in network order.
    public static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Int32 { try Int32(bigEndian: bytes) }
}

extension Int64: PostgresEncodable, PostgresDecodable {
    /// `bigint`
    public static var postgresType: PostgresType { .int8 }
    /// Eight bytes in network order.
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) { bytes.appendBigEndian(self) }
    /// Only `bigint`.
    public static func canDecode(_ type: PostgresType) -> Bool { type == .int8 }
    /// Eight bytes in network order.
    public static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Int64 { try Int64(bigEndian: bytes) }
}

extension Int: PostgresEncodable, PostgresDecodable {
    /// `bigint`
    public static var postgresType: PostgresType { .int8 }
    /// Eight bytes in network order.
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) { bytes.appendBigEndian(Int64(self)) }
    /// Only `bigint`.
    public static func canDecode(_ type: PostgresType) -> Bool { type == .int8 }
    /// Eight bytes in network order.
    public static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Int { Int(try Int64(bigEndian: bytes)) }
}
