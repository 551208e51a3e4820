public import FoundationEssentials

extension UUID: PostgresEncodable, PostgresDecodable {
    /// `uuid`
    public static var postgresType: PostgresType { .uuid }

    /// Sixteen bytes (RFC 9562 §4).
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) {
        let u = uuid
        bytes.append(contentsOf: [
            u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7, u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15,
        ])
    }

    /// Only `uuid`.
    public static func canDecode(_ type: PostgresType) -> Bool { type == .uuid }

    /// Sixteen bytes.
    public static func decode(_ b: Span<UInt8>) throws(PostgresError) -> UUID {
        guard b.count == 16 else { throw PostgresError(.decoding, "a uuid of a wrong length") }
        return UUID(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            ))
    }
}
