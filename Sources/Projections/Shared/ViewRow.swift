import Canonical
package import EventCoding
import FoundationEssentials
package import Identity
import Keys
import Ledger
package import Postgres

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

/// A row of a projection: its table declares the columns after ledger and generation, except generated ones.
protocol ViewRow: StoredRow, Equatable {
    /// What identifies the row in its ledger and generation, as the columns of the key do.
    associatedtype Key: Hashable, Sendable

    var viewKey: Key { get }
}

extension ViewRow {
    /// The name of the table, in the schema `tenure`.
    static var tableName: String { table.name }
    /// The columns of the key after ledger and generation.
    static var keyColumns: [String] { table.coded.key }

    /// The query for the rows that meet a condition; the table is called `v`.
    static func select(_ scope: ViewScope, _ condition: SQL = "true") -> SQL {
        """
        SELECT \(table.list("v")) FROM tenure.\(unsafeSQL: tableName) AS v
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
        SELECT \(table.list("r")) FROM unnest(\(ids)) AS x(id) CROSS JOIN LATERAL (
            SELECT v.* FROM tenure.\(unsafeSQL: tableName) AS v
            WHERE \(scope.condition("v")) AND v.\(unsafeSQL: column) >= x.id AND v.\(unsafeSQL: column) <= x.id
            ORDER BY v.\(unsafeSQL: column) OFFSET 0) AS r
        """
    }

    /// The statement that inserts rows or replaces those with the same keys.
    static func upsert(_ rows: [Self], _ scope: ViewScope) -> SQL {
        let key = ["ledger_id", "generation"] + keyColumns
        let assignments = table.assignments()
        let update = assignments.isEmpty ? "NOTHING" : "UPDATE SET \(assignments)"
        return """
            INSERT INTO tenure.\(unsafeSQL: tableName)
                (ledger_id, generation, \(unsafeSQL: table.columns.joined(separator: ", ")))
            SELECT \(scope.ledger.uuid), \(scope.generation), x.* FROM unnest(\(table.arrays(rows))) AS x
            ON CONFLICT (\(unsafeSQL: key.joined(separator: ", "))) DO \(unsafeSQL: update)
            """
    }

    /// The statement that deletes rows by their keys.
    static func delete(_ rows: [Self], _ scope: ViewScope) -> SQL {
        let key = keyColumns
        guard !key.isEmpty else {
            return "DELETE FROM tenure.\(unsafeSQL: tableName) AS v WHERE \(scope.condition("v"))"
        }
        let match = key.map { "v.\($0) = x.\($0)" }.joined(separator: " AND ")
        return """
            DELETE FROM tenure.\(unsafeSQL: tableName) AS v
            USING unnest(\(table.arrays(rows, keysOnly: true))) AS x(\(unsafeSQL: key.joined(separator: ", ")))
            WHERE \(scope.condition("v")) AND \(unsafeSQL: match)
            """
    }
}

/// The rows of one table in memory, with the changes since they were loaded.
struct ViewRows<Row: ViewRow>: Sendable {
    private(set) var rows: [Row.Key: Row] = [:]
    private var stored: [Row.Key: Row] = [:]
    private var touched: Set<Row.Key> = []

    /// Loads rows from the database.
    mutating func load(_ results: [PostgresRow]) throws {
        for result in results {
            let row = try ProjectionError.reading(result) { try $0.next(Row.self) }
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
        let removed = touched.compactMap { rows[$0] == nil ? stored[$0] : nil }
        let written = touched.compactMap { key in rows[key].flatMap { $0 == stored[key] ? nil : $0 } }
        return (removed.isEmpty ? [] : [Row.delete(removed, scope)])
            + (written.isEmpty ? [] : [Row.upsert(written, scope)])
    }
}

/// The key of a projection that has one row per ledger.
struct OnlyRow: Hashable, Sendable {}

extension ProjectionError {
    /// Reads a row of a projection.
    ///
    /// - Throws: ``Code/unreadable`` if it does not hold what this program writes.
    static func reading<Value>(_ row: PostgresRow, _ read: (inout ColumnReader) throws -> Value) throws -> Value {
        var columns = ColumnReader(row)
        do { return try read(&columns) } catch let error as UnreadableColumn { throw unreadable(error.column) }
    }
}

extension SealedText: ColumnValue {
    package var stored: PostgresJSON { json.stored }

    package static func value(of stored: PostgresJSON) -> SealedText? {
        JSONValue.value(of: stored).flatMap { try? SealedText($0) }
    }
}

extension EmployeeStatus: ColumnValue {}
extension EmployeeRole: ColumnValue {}
extension KeyAuthorization: ColumnValue {}
extension Approval: ColumnValue {}
extension RegistrationMode: ColumnValue {}
extension LogInRule: ColumnValue {}
extension ClonedKeyRule: ColumnValue {}
extension MPinVerificationMode: ColumnValue {}

extension Timestamp {
    init(postgres time: PostgresTimestamp) { self.init(microseconds: time.microsecondsSinceUnixEpoch) }
}

extension PostgresTimestamp {
    init(_ time: Timestamp) { self.init(microsecondsSinceUnixEpoch: time.microseconds) }
}
