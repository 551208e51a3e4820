/// The bytes of a `json` value, kept by the server exactly as they are written.
public struct PostgresJSON: Sendable, Hashable {
    /// UTF-8 JSON text.
    public var bytes: [UInt8]
    /// JSON text, which the server checks.
    public init(bytes: [UInt8]) { self.bytes = bytes }
}

/// The bytes of a `jsonb` value. The server parses it and returns it in its own form.
public struct PostgresJSONB: Sendable, Hashable {
    /// UTF-8 JSON text.
    public var bytes: [UInt8]
    /// JSON text, which the server checks.
    public init(bytes: [UInt8]) { self.bytes = bytes }
}

extension PostgresJSON: PostgresEncodable, PostgresDecodable {
    /// `json`
    public static var postgresType: PostgresType { .json }
    /// Appends the text unchanged.
    ///
    /// - Throws: ``PostgresError/Code/encoding`` for text with NUL.
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) { try bytes.append(jsonText: self.bytes) }
    /// Only `json`.
    public static func canDecode(_ type: PostgresType) -> Bool { type == .json }
    /// Returns the text unchanged. Never throws.
    public static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> PostgresJSON {
        PostgresJSON(bytes: Array(copying: bytes))
    }
}

extension PostgresJSONB: PostgresEncodable, PostgresDecodable {
    /// The version of the binary form that the server knows.
    private static let version: UInt8 = 1
    /// `jsonb`
    public static var postgresType: PostgresType { .jsonb }
    /// Appends a version byte and the text.
    ///
    /// - Throws: ``PostgresError/Code/encoding`` for text with NUL.
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) {
        bytes.append(Self.version)
        try bytes.append(jsonText: self.bytes)
    }
    /// Only `jsonb`.
    public static func canDecode(_ type: PostgresType) -> Bool { type == .jsonb }
    /// Decodes a version byte and the text.
    ///
    /// - Throws: ``PostgresError/Code/decoding`` for another version.
    public static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> PostgresJSONB {
        guard bytes.count > 1, bytes[0] == version else {
            throw PostgresError(.decoding, "the jsonb version is unknown")
        }
        return PostgresJSONB(bytes: Array(copying: bytes.extracting(droppingFirst: 1)))
    }
}

extension [UInt8] {
    fileprivate mutating func append(jsonText: [UInt8]) throws(PostgresError) {
        guard !jsonText.contains(0) else {
            throw PostgresError(.encoding, "the JSON contains NUL, which the server refuses")
        }
        append(contentsOf: jsonText)
    }

    init(copying span: Span<UInt8>) {
        self = unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
    }
}
