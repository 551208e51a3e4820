extension Bool: PostgresEncodable, PostgresDecodable {
    /// `boolean`
    public static var postgresType: PostgresType { .bool }
    /// One byte, 1 or 0.
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) { bytes.append(self ? 1 : 0) }
    /// Only `boolean`.
    public static func canDecode(_ type: PostgresType) -> Bool { type == .bool }
    /// One byte, 1 or 0.
    public static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Bool {
        guard bytes.count == 1, bytes[0] <= 1 else { throw PostgresError(.decoding, "not a boolean") }
        return bytes[0] == 1
    }
}
