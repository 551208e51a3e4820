public import FoundationEssentials

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
    /// The bytes as they are.
    public static func encode(array: [UInt8], into bytes: inout [UInt8]) throws(PostgresError) {
        bytes.append(contentsOf: array)
    }
    /// Only `bytea`.
    public static func canDecodeArray(_ type: PostgresType) -> Bool { type == .bytea }
    /// The bytes as they are.
    public static func decodeArray(_ bytes: Span<UInt8>) throws(PostgresError) -> [UInt8] { Array(copying: bytes) }
}
