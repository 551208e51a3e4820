/// An instant of `timestamptz`: microseconds since 1970-01-01T00:00:00Z, as the server counts (without leap seconds).
public struct PostgresTimestamp: Sendable, Hashable, Comparable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    public var microsecondsSinceUnixEpoch: Int64

    /// An instant by its microseconds since 1970-01-01T00:00:00Z.
    public init(microsecondsSinceUnixEpoch: Int64) { self.microsecondsSinceUnixEpoch = microsecondsSinceUnixEpoch }

    /// Whether `lhs` is the earlier instant.
    public static func < (lhs: PostgresTimestamp, rhs: PostgresTimestamp) -> Bool {
        lhs.microsecondsSinceUnixEpoch < rhs.microsecondsSinceUnixEpoch
    }

    /// Microseconds from 1970-01-01 to 2000-01-01, where the server starts to count.
    private static let serverEpoch: Int64 = 946_684_800_000_000
    /// The server's `-infinity` and `infinity`.
    private static let infinities: [Int64] = [.min, .max]
}

extension PostgresTimestamp: PostgresEncodable, PostgresDecodable {
    /// `timestamptz`
    public static var postgresType: PostgresType { .timestamptz }

    /// Appends the microseconds since 2000-01-01T00:00:00Z in network order.
    ///
    /// The server itself refuses (22008) times before 4714 BC or after AD 294276.
    ///
    /// - Throws: ``PostgresError/Code/encoding`` if the number does not fit 64 bits.
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) {
        let (value, overflow) = microsecondsSinceUnixEpoch.subtractingReportingOverflow(Self.serverEpoch)
        guard !overflow, !Self.infinities.contains(value) else {
            throw PostgresError(.encoding, "the timestamp is out of range")
        }
        bytes.appendBigEndian(value)
    }

    /// Only `timestamptz`.
    public static func canDecode(_ type: PostgresType) -> Bool { type == .timestamptz }

    /// Decodes the microseconds since 2000-01-01T00:00:00Z. The infinities become the first and the last instant of this
    /// type, so that one row with such a value does not end a query for all others.
    ///
    /// - Throws: ``PostgresError/Code/decoding`` for another number of bytes than 8.
    public static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> PostgresTimestamp {
        let value = try Int64(bigEndian: bytes)
        let (microseconds, overflow) = value.addingReportingOverflow(serverEpoch)
        return PostgresTimestamp(
            microsecondsSinceUnixEpoch: overflow || infinities.contains(value) ? value : microseconds)
    }
}
