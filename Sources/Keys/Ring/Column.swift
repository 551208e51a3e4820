package import Postgres

/// A property of a row with its column, or with several.
package struct Column<Row, Value>: Sendable {
    let parts: [ColumnPart<Row>]
    let read: @Sendable (inout ColumnReader) throws -> Value

    /// A column that is read into something else than what it is written from.
    ///
    /// - Parameters:
    ///   - get: What the column holds.
    ///   - value: The property from what was read; `nil` for something that this program does not write.
    package init<Held: ColumnValue>(
        _ name: String, _ get: @escaping @Sendable (Row) -> Held, _ value: @escaping @Sendable (Held) -> Value?
    ) {
        self.init(name, .covered, get, value)
    }

    private init<Held: ColumnValue>(
        _ name: String, _ role: ColumnRole, _ get: @escaping @Sendable (Row) -> Held,
        _ value: @escaping @Sendable (Held) -> Value?
    ) {
        parts = [ColumnPart(name, role, get)]
        read = { columns in
            guard let held = Held.value(of: try columns.next()), let value = value(held) else {
                throw UnreadableColumn(column: columns.place - 1)
            }
            return value
        }
    }

    /// A property that is several columns.
    ///
    /// - Parameter make: The initialiser, whose parameters are the columns in order.
    package init<each Part>(
        parts get: @escaping @Sendable (Row) -> Value, _ make: @escaping @Sendable (repeat each Part) -> Value,
        _ columns: repeat Column<Value, each Part>
    ) {
        let columns = (repeat each columns)
        var parts: [ColumnPart<Row>] = []
        for column in repeat each columns { parts += column.parts.map { $0.inside(get) } }
        self.parts = parts
        read = { row in make(repeat try (each columns).read(&row)) }
    }

    /// A property that is several columns, all of which are NULL if there is no value. The first one tells.
    package init<Wrapped, each Part>(
        optional get: @escaping @Sendable (Row) -> Wrapped?,
        _ make: @escaping @Sendable (repeat each Part) -> Wrapped, _ columns: repeat Column<Wrapped, each Part>
    ) where Value == Wrapped? {
        let columns = (repeat each columns)
        var parts: [ColumnPart<Row>] = []
        for column in repeat each columns { parts += column.parts.map { $0.inside(get) } }
        self.parts = parts
        let first = parts[0].isNull, count = parts.count
        read = { row in
            if try first(row) {
                row.place += count
                return nil
            }
            do { return make(repeat try (each columns).read(&row)) } catch is PostgresError {
                throw UnreadableColumn(column: row.place - 1)
            }
        }
    }
}

extension Column where Value: ColumnValue {
    /// A column that the code covers, if the table has codes.
    package init(_ name: String, _ get: @escaping @Sendable (Row) -> Value) { self.init(name, .covered, get) { $0 } }
    /// A column of the primary key.
    package init(key name: String, _ get: @escaping @Sendable (Row) -> Value) { self.init(name, .key, get) { $0 } }
    /// A column that the code does not cover: anybody who writes the database can change it unnoticed.
    package init(outside name: String, _ get: @escaping @Sendable (Row) -> Value) {
        self.init(name, .outside, get) { $0 }
    }
}

extension Column where Value == [UInt8]? {
    /// The code of the row as it was read, in the column `mac`.
    package static func code(_ get: @escaping @Sendable (Row) -> [UInt8]?) -> Column {
        Column("mac", .code, get) { $0 }
    }
}

/// What a column is to the code of its row.
enum ColumnRole: Sendable { case key, covered, outside, code }

/// One column: how its value is bound, and how the code covers it. A row that is `nil` has NULL in all columns.
struct ColumnPart<Row>: Sendable {
    let name: String
    let role: ColumnRole
    let rowValue: @Sendable (Row?) -> RowValue
    let bind: @Sendable (Row?, inout SQL.StringInterpolation) -> Void
    let bindAll: @Sendable ([Row?], inout SQL.StringInterpolation) -> Void
    let isNull: @Sendable (ColumnReader) throws(PostgresError) -> Bool

    init<Held: ColumnValue>(_ name: String, _ role: ColumnRole, _ get: @escaping @Sendable (Row) -> Held) {
        self.name = name
        self.role = role
        rowValue = { $0.map(get)?.stored.rowValue ?? .null }
        bind = { row, sql in sql.appendInterpolation(row.map(get)?.stored) }
        bindAll = { rows, sql in sql.appendInterpolation(rows.map { $0.map(get)?.stored }) }
        isNull = { columns throws(PostgresError) in try columns.peek(Held.Stored?.self) == nil }
    }

    private init(
        _ name: String, _ role: ColumnRole, rowValue: @escaping @Sendable (Row?) -> RowValue,
        bind: @escaping @Sendable (Row?, inout SQL.StringInterpolation) -> Void,
        bindAll: @escaping @Sendable ([Row?], inout SQL.StringInterpolation) -> Void,
        isNull: @escaping @Sendable (ColumnReader) throws(PostgresError) -> Bool
    ) {
        self.name = name
        self.role = role
        self.rowValue = rowValue
        self.bind = bind
        self.bindAll = bindAll
        self.isNull = isNull
    }

    /// The column of a row that has this one's row as a property.
    func inside<Outer>(_ get: @escaping @Sendable (Outer) -> Row?) -> ColumnPart<Outer> {
        let (rowValue, bind, bindAll) = (rowValue, bind, bindAll)
        return ColumnPart<Outer>(
            name, role, rowValue: { rowValue($0.flatMap(get)) }, bind: { bind($0.flatMap(get), &$1) },
            bindAll: { rows, sql in bindAll(rows.map { $0.flatMap(get) }, &sql) }, isNull: isNull)
    }
}

/// Reads the columns of a result one after another.
package struct ColumnReader {
    private let row: PostgresRow
    /// The number of the next column, from 0.
    package internal(set) var place: Int

    /// - Parameter place: The first column to read.
    package init(_ row: PostgresRow, from place: Int = 0) {
        self.row = row
        self.place = place
    }

    /// Reads the next column.
    package mutating func next<Value: PostgresDecodable>(
        _ type: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        defer { place += 1 }
        return try row.decode(column: place, as: type)
    }

    func peek<Value: PostgresDecodable>(_ type: Value.Type) throws(PostgresError) -> Value {
        try row.decode(column: place, as: type)
    }

    /// Reads the columns of a table's row.
    ///
    /// - Throws: `PostgresError`, and ``UnreadableColumn``.
    package mutating func next<Row: StoredRow>(_ type: Row.Type = Row.self) throws -> Row {
        try Row.table.make(&self)
    }

    /// Reads a row of an outer join, which is absent if its first column is NULL.
    package mutating func optional<Row: StoredRow>(_ type: Row.Type) throws -> Row? {
        guard try Row.table.parts[0].isNull(self) else { return try next(type) }
        place += Row.table.parts.count
        return nil
    }
}

/// A column of a row holds what this program does not write.
package struct UnreadableColumn: Error, Sendable {
    /// The number of the column in the result, from 0.
    package let column: Int
}
