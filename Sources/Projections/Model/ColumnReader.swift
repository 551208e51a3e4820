import Canonical
import FoundationEssentials
import Identity
import Postgres

/// Reads the columns of a row one after the other.
struct ColumnReader {
    private let row: PostgresRow
    private var column: Int

    init(_ row: PostgresRow, from column: Int = 0) {
        self.row = row
        self.column = column
    }

    mutating func next<Value: PostgresDecodable>(_ type: Value.Type = Value.self) throws(PostgresError) -> Value {
        defer { column += 1 }
        return try row.decode(column: column, as: type)
    }

    mutating func time() throws(PostgresError) -> Timestamp { Timestamp(postgres: try next()) }

    mutating func optionalTime() throws(PostgresError) -> Timestamp? {
        try next(PostgresTimestamp?.self).map(Timestamp.init(postgres:))
    }

    mutating func id<Subject>() throws(PostgresError) -> Identifier<Subject> { Identifier(try next(UUID.self)) }

    mutating func json() throws -> JSONValue { try StrictJSON.parse(try next(PostgresJSON.self).bytes) }

    mutating func text() throws -> SealedText { try SealedText(try json()) }

    mutating func optionalText() throws -> SealedText? {
        guard let json = try next(PostgresJSON?.self) else { return nil }
        return try SealedText(try StrictJSON.parse(json.bytes))
    }

    mutating func key() throws -> PublicKeyBytes {
        guard let key = PublicKeyBytes(try next([UInt8].self)) else { throw ProjectionError.unreadable(column - 1) }
        return key
    }

    mutating func one<Word: RawRepresentable<String>>(_ type: Word.Type = Word.self) throws -> Word {
        guard let word = Word(rawValue: try next(String.self)) else { throw ProjectionError.unreadable(column - 1) }
        return word
    }
}

extension Timestamp {
    init(postgres time: PostgresTimestamp) { self.init(microseconds: time.microsecondsSinceUnixEpoch) }
}

extension PostgresTimestamp {
    init(_ time: Timestamp) { self.init(microsecondsSinceUnixEpoch: time.microseconds) }
}

extension PostgresJSON {
    init(_ json: JSONValue) { self.init(bytes: json.canonicalBytes()) }
}

extension ColumnReader {
    /// A row of an outer join, which is absent when its first column is NULL.
    mutating func optional<Row: ViewRow>(_ type: Row.Type) throws -> Row? {
        guard try row.isNull(column) else { return try Row(&self) }
        column += Row.columns.count
        return nil
    }
}

extension PostgresRow {
    /// Every first column of a row is a UUID.
    fileprivate func isNull(_ column: Int) throws(PostgresError) -> Bool {
        try decode(column: column, as: UUID?.self) == nil
    }
}
