public import FoundationEssentials

extension Bool: PostgresEncodable, PostgresDecodable {
    /// `boolean`
    public static var postgresType: PostgresType { .bool }
    /// Appends one byte, 1 or 0. Never throws.
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) { bytes.append(self ? 1 : 0) }
    /// Only `boolean`.
    public static func canDecode(_ type: PostgresType) -> Bool { type == .bool }
    /// Decodes one byte, 1 or 0.
    ///
    /// - Throws: ``PostgresError/Code/decoding``.
    public static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Bool {
        guard bytes.count == 1, bytes[0] <= 1 else { throw PostgresError(.decoding, "not a boolean") }
        return bytes[0] == 1
    }
}

extension Int16: PostgresEncodable, PostgresDecodable {
    /// `smallint`
    public static var postgresType: PostgresType { .int2 }
    /// Appends two bytes in network order. Never throws.
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) { bytes.appendBigEndian(self) }
    /// Only `smallint`.
    public static func canDecode(_ type: PostgresType) -> Bool { type == .int2 }
    /// Decodes two bytes in network order.
    ///
    /// - Throws: ``PostgresError/Code/decoding``.
    public static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Int16 { try Int16(bigEndian: bytes) }
}

extension Int32: PostgresEncodable, PostgresDecodable {
    /// `integer`
    public static var postgresType: PostgresType { .int4 }
    /// Appends four bytes in network order. Never throws.
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) { bytes.appendBigEndian(self) }
    /// Only `integer`.
    public static func canDecode(_ type: PostgresType) -> Bool { type == .int4 }
    /// Decodes four bytes in network order.
    ///
    /// - Throws: ``PostgresError/Code/decoding``.
    public static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Int32 { try Int32(bigEndian: bytes) }
}

extension Int64: PostgresEncodable, PostgresDecodable {
    /// `bigint`
    public static var postgresType: PostgresType { .int8 }
    /// Appends eight bytes in network order. Never throws.
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) { bytes.appendBigEndian(self) }
    /// Only `bigint`.
    public static func canDecode(_ type: PostgresType) -> Bool { type == .int8 }
    /// Decodes eight bytes in network order.
    ///
    /// - Throws: ``PostgresError/Code/decoding``.
    public static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Int64 { try Int64(bigEndian: bytes) }
}

extension Int: PostgresEncodable, PostgresDecodable {
    /// `bigint`
    public static var postgresType: PostgresType { .int8 }
    /// Appends eight bytes in network order. Never throws.
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) { bytes.appendBigEndian(Int64(self)) }
    /// Only `bigint`.
    public static func canDecode(_ type: PostgresType) -> Bool { type == .int8 }
    /// Decodes eight bytes in network order.
    ///
    /// - Throws: ``PostgresError/Code/decoding``.
    public static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Int { Int(try Int64(bigEndian: bytes)) }
}

extension String: PostgresEncodable, PostgresDecodable {
    /// `text`
    public static var postgresType: PostgresType { .text }

    /// Appends UTF-8.
    ///
    /// - Throws: ``PostgresError/Code/encoding`` for text with NUL (U+0000), which the server cannot store.
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) {
        guard !utf8.contains(0) else {
            throw PostgresError(.encoding, "the text contains NUL, which the server refuses")
        }
        bytes.append(contentsOf: utf8)
    }

    /// Accepts `text`, `varchar` and `name`, whose bytes have the same form.
    public static func canDecode(_ type: PostgresType) -> Bool {
        type == .text || type == .varchar || type == .name
    }

    /// Decodes UTF-8. Other bytes are refused, never replaced.
    ///
    /// - Throws: ``PostgresError/Code/decoding``.
    public static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> String {
        do { return String(copying: try UTF8Span(validating: bytes)) } catch {
            throw PostgresError(.decoding, "the text is not UTF-8")
        }
    }
}

extension UUID: PostgresEncodable, PostgresDecodable {
    /// `uuid`
    public static var postgresType: PostgresType { .uuid }

    /// Appends sixteen bytes (RFC 9562 §4). Never throws.
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) {
        let u = uuid
        bytes.append(contentsOf: [
            u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7, u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15,
        ])
    }

    /// Only `uuid`.
    public static func canDecode(_ type: PostgresType) -> Bool { type == .uuid }

    /// Decodes sixteen bytes.
    ///
    /// - Throws: ``PostgresError/Code/decoding``.
    public static func decode(_ b: Span<UInt8>) throws(PostgresError) -> UUID {
        guard b.count == 16 else { throw PostgresError(.decoding, "the uuid has the wrong length") }
        return UUID(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            ))
    }
}
