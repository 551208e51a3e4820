import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Ledger
import Postgres

/// The rows of one ledger and one generation of a projection.
struct ViewScope: Sendable, Hashable {
    let ledger: LedgerID
    let generation: Int32

    /// The condition that selects the rows of the scope, for the table called `alias`.
    func condition(_ alias: String) -> SQL {
        """
        \(unsafeSQL: alias).ledger_id = \(ledger.uuid) AND \(unsafeSQL: alias).generation = \(generation)
        """
    }
}

/// A row of a projection: how it is read, written and identified within its ledger and generation.
protocol ViewRow: Sendable, Equatable {
    /// The key that identifies the row.
    associatedtype Key: Hashable, Sendable

    /// The table, in the schema `tenure`.
    static var table: String { get }
    /// The columns of the key after ledger and generation. They are the first of ``columns``.
    static var keyColumns: [String] { get }
    /// All columns after ledger and generation, except generated ones.
    static var columns: [String] { get }

    var viewKey: Key { get }

    /// Reads the columns in order.
    init(_ columns: inout ColumnReader) throws

    /// Returns the values of all columns of several rows, one array per column.
    static func arrays(_ rows: [Self]) -> [SQL]
    /// Returns the values of the key columns of several keys, one array per column.
    static func arrays(keys: [Key]) -> [SQL]
}

extension ViewRow {
    /// The columns as a select list, for the table called `alias`.
    static func list(_ alias: String) -> String { columns.map { "\(alias).\($0)" }.joined(separator: ", ") }

    /// The query for the rows that meet a condition; the table is called `v`.
    static func select(_ scope: ViewScope, _ condition: SQL = "true") -> SQL {
        """
        SELECT \(unsafeSQL: list("v")) FROM tenure.\(unsafeSQL: table) AS v
        WHERE \(scope.condition("v")) AND \(condition)
        """
    }

    /// The query for the rows of some employees, each found by the primary key.
    static func select(_ scope: ViewScope, employees: [UUID]) -> SQL { select(scope, "employee_id", employees) }

    /// The query for the rows with some ids in a column, the first of the primary key after ledger and generation.
    ///
    /// It forces one look-up each, in the order of the primary key. The planner has no statistics about a generation
    /// being built. It could choose any index, and compare every row of the ledger with every id.
    static func select(_ scope: ViewScope, _ column: String, _ ids: [UUID]) -> SQL {
        """
        SELECT \(unsafeSQL: list("r")) FROM unnest(\(ids)) AS x(id) CROSS JOIN LATERAL (
            SELECT v.* FROM tenure.\(unsafeSQL: table) AS v
            WHERE \(scope.condition("v")) AND v.\(unsafeSQL: column) >= x.id AND v.\(unsafeSQL: column) <= x.id
            ORDER BY v.\(unsafeSQL: column) OFFSET 0) AS r
        """
    }

    /// The statement that inserts rows or replaces those with the same keys.
    static func upsert(_ rows: [Self], _ scope: ViewScope) -> SQL {
        let key = (["ledger_id", "generation"] + keyColumns).joined(separator: ", ")
        let rest = columns.dropFirst(keyColumns.count)
        let update =
            rest.isEmpty
            ? "NOTHING" : "UPDATE SET " + rest.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        return """
            INSERT INTO tenure.\(unsafeSQL: table) (ledger_id, generation, \(unsafeSQL: columns.joined(separator: ", ")))
            SELECT \(scope.ledger.uuid), \(scope.generation), x.* FROM unnest(\(SQL.list(arrays(rows)))) AS x
            ON CONFLICT (\(unsafeSQL: key)) DO \(unsafeSQL: update)
            """
    }

    /// The statement that deletes rows by their keys.
    static func delete(_ keys: [Key], _ scope: ViewScope) -> SQL {
        guard !keyColumns.isEmpty else {
            return "DELETE FROM tenure.\(unsafeSQL: table) AS v WHERE \(scope.condition("v"))"
        }
        let match = keyColumns.map { "v.\($0) = x.\($0)" }.joined(separator: " AND ")
        return """
            DELETE FROM tenure.\(unsafeSQL: table) AS v
            USING unnest(\(SQL.list(arrays(keys: keys)))) AS x(\(unsafeSQL: keyColumns.joined(separator: ", ")))
            WHERE \(scope.condition("v")) AND \(unsafeSQL: match)
            """
    }
}

extension SQL {
    /// Joins parts of a statement with commas.
    static func list(_ parts: [SQL]) -> SQL {
        guard let first = parts.first else { return "" }
        return parts.dropFirst().reduce(first) { "\($0), \($1)" }
    }
}

/// The rows of one table in memory, with the changes since they were loaded.
struct RowTable<Row: ViewRow>: Sendable {
    private(set) var rows: [Row.Key: Row] = [:]
    private var stored: [Row.Key: Row] = [:]
    private var touched: Set<Row.Key> = []

    /// Loads rows from the database.
    mutating func load(_ results: [PostgresRow]) throws {
        for result in results {
            var columns = ColumnReader(result)
            let row = try Row(&columns)
            rows[row.viewKey] = row
            stored[row.viewKey] = row
        }
    }

    /// The row with a key, or `nil` if there is none.
    subscript(key: Row.Key) -> Row? {
        get { rows[key] }
        set {
            touched.insert(key)
            rows[key] = newValue
        }
    }

    /// The statements that bring the database to the present rows. There are none if nothing changed.
    func changes(_ scope: ViewScope) -> [SQL] {
        let removed = touched.filter { rows[$0] == nil && stored[$0] != nil }
        let written = touched.compactMap { key in rows[key].flatMap { $0 == stored[key] ? nil : $0 } }
        return (removed.isEmpty ? [] : [Row.delete(Array(removed), scope)])
            + (written.isEmpty ? [] : [Row.upsert(written, scope)])
    }
}

/// The key of a projection that has one row per ledger.
struct OnlyRow: Hashable, Sendable {}

/// Reads the columns of a row one after another.
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
    /// Reads a row of an outer join, which is absent if its first column is NULL.
    mutating func optional<Row: ViewRow>(_ type: Row.Type) throws -> Row? {
        guard try row.isNull(column) else { return try Row(&self) }
        column += Row.columns.count
        return nil
    }
}

extension PostgresRow {
    /// Whether a column is NULL. The first column of every row is a UUID.
    fileprivate func isNull(_ column: Int) throws(PostgresError) -> Bool {
        try decode(column: column, as: UUID?.self) == nil
    }
}
