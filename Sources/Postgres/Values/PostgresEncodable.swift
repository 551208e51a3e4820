/// A value that can be bound to a parameter, in the server's binary format.
///
/// The list is closed to what is tested: Bool, Int16, Int32, Int64, Int (as int8), String (text), [UInt8] (bytea), UUID,
/// ``PostgresTimestamp``, ``PostgresJSON``, ``PostgresJSONB``, their optionals and one-dimensional arrays. A type of your
/// own joins by being `RawRepresentable` over one of them and declaring the conformance.
public protocol PostgresEncodable: Sendable {
    /// The type the server is told; it is never left to guess.
    static var postgresType: PostgresType { get }
    /// Whether the value is sent as NULL; then ``encode(into:)`` is not called.
    var isPostgresNull: Bool { get }
    /// Appends the binary form. Throws `.encoding` for a value the server cannot hold.
    func encode(into bytes: inout [UInt8]) throws(PostgresError)
}

extension PostgresEncodable {
    /// False: only optionals can be NULL.
    public var isPostgresNull: Bool { false }
}

extension PostgresEncodable where Self: RawRepresentable, RawValue: PostgresEncodable {
    /// The type of the raw value.
    public static var postgresType: PostgresType { RawValue.postgresType }
    /// Appends the raw value.
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) { try rawValue.encode(into: &bytes) }
}

extension Optional: PostgresEncodable where Wrapped: PostgresEncodable {
    /// The type of the wrapped value; a NULL has a type too.
    public static var postgresType: PostgresType { Wrapped.postgresType }
    /// Whether there is no value.
    public var isPostgresNull: Bool { self?.isPostgresNull ?? true }
    /// Appends the wrapped value.
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
