public import FoundationEssentials

/// A type of the server, identified by its object id (`pg_type.oid` of the built-in types, which never change).
public struct PostgresType: RawRepresentable, Sendable, Hashable {
    /// The object id.
    public let rawValue: UInt32
    /// A type with an object id.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// `boolean`
    public static let bool = PostgresType(rawValue: 16)
    /// `bytea`
    public static let bytea = PostgresType(rawValue: 17)
    /// `name`: text of at most 63 bytes, used by the system catalogues.
    public static let name = PostgresType(rawValue: 19)
    /// `bigint`
    public static let int8 = PostgresType(rawValue: 20)
    /// `smallint`
    public static let int2 = PostgresType(rawValue: 21)
    /// `integer`
    public static let int4 = PostgresType(rawValue: 23)
    /// `text`
    public static let text = PostgresType(rawValue: 25)
    /// `json`
    public static let json = PostgresType(rawValue: 114)
    /// `varchar`
    public static let varchar = PostgresType(rawValue: 1043)
    /// `timestamptz`
    public static let timestamptz = PostgresType(rawValue: 1184)
    /// `uuid`
    public static let uuid = PostgresType(rawValue: 2950)
    /// `jsonb`
    public static let jsonb = PostgresType(rawValue: 3802)

    /// `json[]`
    static let jsonArray = PostgresType(rawValue: 199)
    /// `boolean[]`
    static let boolArray = PostgresType(rawValue: 1000)
    /// `bytea[]`
    static let byteaArray = PostgresType(rawValue: 1001)
    /// `name[]`
    static let nameArray = PostgresType(rawValue: 1003)
    /// `smallint[]`
    static let int2Array = PostgresType(rawValue: 1005)
    /// `integer[]`
    static let int4Array = PostgresType(rawValue: 1007)
    /// `text[]`
    static let textArray = PostgresType(rawValue: 1009)
    /// `varchar[]`
    static let varcharArray = PostgresType(rawValue: 1015)
    /// `bigint[]`
    static let int8Array = PostgresType(rawValue: 1016)
    /// `timestamptz[]`
    static let timestamptzArray = PostgresType(rawValue: 1185)
    /// `uuid[]`
    static let uuidArray = PostgresType(rawValue: 2951)
    /// `jsonb[]`
    static let jsonbArray = PostgresType(rawValue: 3807)

    /// The type of the elements, or `nil` if this is not an array of a supported type.
    var element: PostgresType? { Self.elements[self] }
    /// The array of this type, or `nil` if the type is not supported.
    var array: PostgresType? { Self.arrays[self] }

    private static let arrays: [PostgresType: PostgresType] = [
        .bool: .boolArray, .bytea: .byteaArray, .name: .nameArray, .int8: .int8Array, .int2: .int2Array,
        .int4: .int4Array, .text: .textArray, .json: .jsonArray, .varchar: .varcharArray,
        .timestamptz: .timestamptzArray, .uuid: .uuidArray, .jsonb: .jsonbArray,
    ]
    private static let elements = Dictionary(uniqueKeysWithValues: arrays.map { ($1, $0) })
}

/// A value that can be bound to a parameter, in the server's binary format.
///
/// ```swift
/// enum Status: String, PostgresEncodable, PostgresDecodable { case pending, authorized }
/// let sql: SQL = "SELECT id FROM device_key WHERE status = \(Status.pending)"
/// ```
///
/// The supported types are Bool, Int16, Int32, Int64, Int (as int8), String (text), [UInt8] (bytea), UUID,
/// ``PostgresTimestamp``, ``PostgresJSON``, ``PostgresJSONB``, their optionals and one-dimensional arrays. Your own
/// type joins them if it is `RawRepresentable` over one of them and declares the conformance.
public protocol PostgresEncodable: Sendable {
    /// The type that the server is told. The server never infers it.
    static var postgresType: PostgresType { get }
    /// Whether the value is sent as NULL. ``encode(into:)`` is then not called.
    var isPostgresNull: Bool { get }
    /// Appends the binary form.
    ///
    /// - Throws: ``PostgresError/Code/encoding`` for a value that the server cannot hold.
    func encode(into bytes: inout [UInt8]) throws(PostgresError)
}

extension PostgresEncodable {
    /// Returns `false`: only optionals can be NULL.
    public var isPostgresNull: Bool { false }
}

extension PostgresEncodable where Self: RawRepresentable, RawValue: PostgresEncodable {
    /// The type of the raw value.
    public static var postgresType: PostgresType { RawValue.postgresType }
    /// Appends the raw value.
    ///
    /// - Throws: ``PostgresError/Code/encoding``.
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) { try rawValue.encode(into: &bytes) }
}

extension Optional: PostgresEncodable where Wrapped: PostgresEncodable {
    /// The type of the wrapped value; a NULL has a type too.
    public static var postgresType: PostgresType { Wrapped.postgresType }
    /// Whether there is no value.
    public var isPostgresNull: Bool { self?.isPostgresNull ?? true }
    /// Appends the wrapped value.
    ///
    /// - Throws: ``PostgresError/Code/encoding``.
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) { try self?.encode(into: &bytes) }
}

extension [UInt8] {
    /// Appends an integer in network order.
    mutating func appendBigEndian(_ value: some FixedWidthInteger) {
        var shift = value.bitWidth
        while shift > 0 {
            shift -= 8
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}

/// A value that can be decoded from a column in the server's binary format.
///
/// ``canDecode(_:)`` must accept the column's type. Nothing is converted implicitly.
public protocol PostgresDecodable: Sendable {
    /// Whether a column of `type` holds values of this type.
    static func canDecode(_ type: PostgresType) -> Bool
    /// Decodes one value.
    ///
    /// - Throws: ``PostgresError/Code/decoding`` for bytes that are not of the type.
    static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Self
    /// Returns the value of NULL.
    ///
    /// - Throws: ``PostgresError/Code/decoding`` unless the type is optional.
    static func decodeNull() throws(PostgresError) -> Self
}

extension PostgresDecodable {
    /// Refuses NULL, because only optionals can be NULL.
    ///
    /// - Throws: ``PostgresError/Code/decoding``, always.
    public static func decodeNull() throws(PostgresError) -> Self {
        throw PostgresError(.decoding, "NULL where a value is required")
    }
}

extension PostgresDecodable where Self: RawRepresentable, RawValue: PostgresDecodable {
    /// Whether the raw value accepts `type`.
    public static func canDecode(_ type: PostgresType) -> Bool { RawValue.canDecode(type) }
    /// Decodes the raw value.
    ///
    /// - Throws: ``PostgresError/Code/decoding`` if it is not a value of this type.
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
    /// Decodes the wrapped value.
    ///
    /// - Throws: ``PostgresError/Code/decoding``.
    public static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Wrapped? { try Wrapped.decode(bytes) }
    /// Returns `nil`. Never throws.
    public static func decodeNull() throws(PostgresError) -> Wrapped? { nil }
}

extension FixedWidthInteger {
    /// Decodes an integer in network order. The span must have the length of the integer.
    init(bigEndian bytes: Span<UInt8>) throws(PostgresError) {
        guard bytes.count * 8 == Self.bitWidth else {
            throw PostgresError(.decoding, "the integer has the wrong length")
        }
        var value: Self = 0
        for index in bytes.indices { value = value << 8 | Self(truncatingIfNeeded: bytes[index]) }
        self = value
    }
}

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
