package import Canonical
package import FoundationEssentials
package import Postgres

/// A property's type that a column can hold.
package protocol ColumnValue: Sendable {
    /// The type of the column.
    associatedtype Stored: StoredValue
    /// The value as the column holds it.
    var stored: Stored { get }
    /// Reads a column; `nil` for a value that this program does not write.
    static func value(of stored: Stored) -> Self?
}

/// A type of a column.
package protocol StoredValue: PostgresEncodable, PostgresArrayEncodable, PostgresDecodable {
    /// The value as the code of a row covers it.
    var rowValue: RowValue { get }
}

extension ColumnValue where Stored == Self {
    package var stored: Self { self }
    package static func value(of stored: Self) -> Self? { stored }
}

extension ColumnValue where Self: RawRepresentable<String> {
    package var stored: String { rawValue }
    package static func value(of stored: String) -> Self? { Self(rawValue: stored) }
}

extension Optional: StoredValue where Wrapped: StoredValue {
    package var rowValue: RowValue { self?.rowValue ?? .null }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    package var stored: Wrapped.Stored? { self?.stored }

    package static func value(of stored: Wrapped.Stored?) -> Wrapped?? {
        guard let stored else { return .some(nil) }
        return Wrapped.value(of: stored).map { .some($0) }
    }
}

extension UUID: StoredValue, ColumnValue { package var rowValue: RowValue { .uuid(self) } }
extension [UInt8]: StoredValue, ColumnValue { package var rowValue: RowValue { .bytes(self) } }
extension String: StoredValue, ColumnValue { package var rowValue: RowValue { .text(self) } }
extension Int16: StoredValue, ColumnValue { package var rowValue: RowValue { .integer(Int64(self)) } }
extension Int32: StoredValue, ColumnValue { package var rowValue: RowValue { .integer(Int64(self)) } }
extension Int64: StoredValue, ColumnValue { package var rowValue: RowValue { .integer(self) } }
extension Bool: StoredValue, ColumnValue { package var rowValue: RowValue { .flag(self) } }
extension PostgresJSON: StoredValue { package var rowValue: RowValue { .bytes(bytes) } }
extension PostgresTimestamp: StoredValue, ColumnValue {
    package var rowValue: RowValue { .time(microsecondsSinceUnixEpoch) }
}

extension Timestamp: ColumnValue {
    package var stored: PostgresTimestamp { PostgresTimestamp(microsecondsSinceUnixEpoch: microseconds) }
    package static func value(of stored: PostgresTimestamp) -> Timestamp? {
        Timestamp(microseconds: stored.microsecondsSinceUnixEpoch)
    }
}

extension JSONValue: ColumnValue {
    package var stored: PostgresJSON { PostgresJSON(bytes: canonicalBytes()) }
    package static func value(of stored: PostgresJSON) -> JSONValue? { try? StrictJSON.parse(stored.bytes) }
}
