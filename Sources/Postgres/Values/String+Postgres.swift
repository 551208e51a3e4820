extension String: PostgresEncodable, PostgresDecodable {
    /// `text`
    public static var postgresType: PostgresType { .text }

    /// UTF-8. Throws `.encoding` for text with NUL (U+0000), which the server cannot store.
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) {
        guard !utf8.contains(0) else { throw PostgresError(.encoding, "text holds NUL, which the server refuses") }
        bytes.append(contentsOf: utf8)
    }

    /// `text`, `varchar` and `name`, whose bytes are the same.
    public static func canDecode(_ type: PostgresType) -> Bool {
        type == .text || type == .varchar || type == .name
    }

    /// UTF-8; bytes that are not UTF-8 are refused, never replaced.
    public static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> String {
        do { return String(copying: try UTF8Span(validating: bytes)) } catch {
            throw PostgresError(.decoding, "text that is not UTF-8")
        }
    }
}
