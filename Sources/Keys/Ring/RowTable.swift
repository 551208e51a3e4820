package import Postgres

/// A row that its table declares.
package protocol StoredRow: Sendable {
    /// The declaration of its columns, from which statements, reading and the code come.
    static var table: RowTable<Self> { get }
}

/// A row with a code that authenticates it.
package protocol CodedRow: StoredRow {
    /// The code as it was read; `nil` for a row that was not read, and for one without a code.
    var code: [UInt8]? { get }
}

/// The columns of a table in the schema `tenure`, declared once.
///
/// ```swift
/// struct BerthRow: CodedRow {
///     var harbour: UUID
///     var name: String
///     var freeFrom: Timestamp?
///     var code: [UInt8]?
///
///     static let table = RowTable<BerthRow>(
///         "berth", BerthRow.init,
///         Column(key: "harbour_id", \.harbour), Column(key: "name", \.name), Column("free_from", \.freeFrom),
///         .code(\.code))
/// }
/// ```
///
/// The columns stand in the order of the initialiser's parameters, those of the key first. Name and order of key and
/// covered columns are permanent if the rows have codes.
package struct RowTable<Row>: Sendable {
    /// What a code covers.
    package let coded: CodedTable
    /// All columns, in order.
    package let columns: [String]
    let parts: [ColumnPart<Row>]
    let make: @Sendable (inout ColumnReader) throws -> Row
    private let covered: [ColumnPart<Row>]

    /// The table's name, without its schema.
    package var name: String { coded.name }

    /// Declares the columns of a table.
    ///
    /// - Parameter make: The initialiser, whose parameters are the columns in order.
    package init<each Value>(
        _ name: String, _ make: @escaping @Sendable (repeat each Value) -> Row,
        _ columns: repeat Column<Row, each Value>
    ) {
        let columns = (repeat each columns)
        var parts: [ColumnPart<Row>] = []
        for column in repeat each columns { parts += column.parts }
        self.init(name, parts) { row in make(repeat try (each columns).read(&row)) }
    }

    /// Declares the columns of a table whose rows are read elsewhere.
    package init<each Value>(_ name: String, written columns: repeat Column<Row, each Value>) {
        var parts: [ColumnPart<Row>] = []
        for column in repeat each columns { parts += column.parts }
        self.init(name, parts) { _ in preconditionFailure("rows of \(name) are read elsewhere") }
    }

    private init(
        _ name: String, _ parts: [ColumnPart<Row>], _ make: @escaping @Sendable (inout ColumnReader) throws -> Row
    ) {
        let key = parts.filter { $0.role == .key }.map(\.name)
        precondition(key == parts.prefix(key.count).map(\.name), "the key of \(name) comes first")
        coded = CodedTable(name, key: key, covered: parts.filter { $0.role == .covered }.map(\.name))
        columns = parts.map(\.name)
        self.parts = parts
        self.make = make
        covered = parts.filter { $0.role == .key || $0.role == .covered }
    }

    /// The columns as a select list, for the table called `alias`.
    package func list(_ alias: String) -> SQL {
        "\(unsafeSQL: columns.map { "\(alias).\($0)" }.joined(separator: ", "))"
    }

    /// Reads a row whose columns begin at a place of a result.
    ///
    /// - Throws: `PostgresError`, and ``UnreadableColumn``.
    package func read(_ row: PostgresRow, from place: Int = 0) throws -> Row {
        var columns = ColumnReader(row, from: place)
        return try make(&columns)
    }

    package func values(_ row: Row) -> [RowValue] { covered.map { $0.rowValue(row) } }

    /// The values of all columns of several rows, one array per column, separated by commas.
    package func arrays(_ rows: [Row], keysOnly: Bool = false) -> SQL {
        var sql = SQL.StringInterpolation(literalCapacity: 0, interpolationCount: parts.count)
        for (index, part) in parts.prefix(keysOnly ? coded.key.count : parts.count).enumerated() {
            if index > 0 { sql.appendLiteral(", ") }
            part.bindAll(rows, &sql)
        }
        return SQL(stringInterpolation: sql)
    }

    /// The statement that inserts a row into the table, called `t`.
    package func insertion(_ row: Row, _ ring: KeyRing) -> SQL {
        var sql = SQL.StringInterpolation(literalCapacity: 0, interpolationCount: parts.count)
        sql.appendLiteral("INSERT INTO tenure.\(name) AS t (\(columns.joined(separator: ", "))) VALUES (")
        for (index, part) in parts.enumerated() {
            if index > 0 { sql.appendLiteral(", ") }
            if part.role == .code { sql.appendInterpolation(rightCode(row, ring)) } else { part.bind(row, &sql) }
        }
        sql.appendLiteral(")")
        return SQL(stringInterpolation: sql)
    }

    /// The end of an insertion that replaces a row with the same key. A condition may follow; it calls the stored row `t`.
    ///
    /// - Parameter keepsOutside: Whether columns outside the code stay as they are stored.
    package func replacing(keepsOutside: Bool = false) -> SQL {
        let key = coded.key.joined(separator: ", ")
        return "ON CONFLICT (\(unsafeSQL: key)) DO UPDATE SET \(unsafeSQL: assignments(keepsOutside: keepsOutside))"
    }

    /// The assignments of all proposed columns outside the key, after a conflict.
    package func assignments(keepsOutside: Bool = false) -> String {
        parts.dropFirst(coded.key.count).filter { !keepsOutside || $0.role != .outside }
            .map { "\($0.name) = excluded.\($0.name)" }.joined(separator: ", ")
    }

    /// The statement that writes all covered columns and the code of a stored row, which is called `t` or `alias`.
    ///
    /// - Parameter condition: What must hold of the stored row.
    package func update(_ row: Row, as alias: String = "t", where condition: SQL, _ ring: KeyRing) -> SQL {
        var sql = SQL.StringInterpolation(literalCapacity: 0, interpolationCount: parts.count)
        sql.appendLiteral("UPDATE tenure.\(name) AS \(alias) SET ")
        for part in covered.dropFirst(coded.key.count) {
            sql.appendLiteral("\(part.name) = ")
            part.bind(row, &sql)
            sql.appendLiteral(", ")
        }
        sql.appendLiteral("mac = ")
        sql.appendInterpolation(rightCode(row, ring))
        sql.appendLiteral(" WHERE ")
        sql.appendInterpolation(isRow(row, alias))
        sql.appendLiteral(" AND (")
        sql.appendInterpolation(condition)
        sql.appendLiteral(")")
        return SQL(stringInterpolation: sql)
    }

    /// The condition that a stored row, called `alias`, has the key of a row.
    package func isRow(_ row: Row, _ alias: String = "t") -> SQL {
        var sql = SQL.StringInterpolation(literalCapacity: 0, interpolationCount: coded.key.count)
        for (index, part) in covered.prefix(coded.key.count).enumerated() {
            sql.appendLiteral("\(index > 0 ? " AND " : "")\(alias).\(part.name) = ")
            part.bind(row, &sql)
        }
        return SQL(stringInterpolation: sql)
    }

    /// The code that a row must have.
    package func rightCode(_ row: Row, _ ring: KeyRing) -> [UInt8] { ring.rowCode(coded, values(row)) }
}

extension CodedRow {
    /// The code that the row must have.
    package func rightCode(_ ring: KeyRing) -> [UInt8] { Self.table.rightCode(self, ring) }

    /// The statement that inserts the row into its table, called `t`.
    package func insertion(_ ring: KeyRing) -> SQL { Self.table.insertion(self, ring) }

    /// The statement that inserts the row in place of one with the same key.
    package func replacement(_ ring: KeyRing) -> SQL { "\(insertion(ring)) \(Self.table.replacing())" }

    /// The statement that changes the stored row, called `t`, to this one.
    ///
    /// - Parameter condition: What must hold of the stored row besides its key.
    package func update(where condition: SQL, _ ring: KeyRing) -> SQL {
        Self.table.update(self, where: condition, ring)
    }
}
