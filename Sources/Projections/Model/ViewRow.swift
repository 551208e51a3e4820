import FoundationEssentials
import Ledger
import Postgres

/// The part of a view that one ledger's rows of one generation make up.
struct ViewScope: Sendable, Hashable {
    let ledger: LedgerID
    let generation: Int32

    /// The condition on rows, with the columns of `alias`.
    func condition(_ alias: String) -> SQL {
        """
        \(unsafeSQL: alias).ledger_id = \(ledger.uuid) AND \(unsafeSQL: alias).generation = \(generation)
        """
    }
}

/// A row of a view: how it is read, written and told apart from others of its ledger and generation.
protocol ViewRow: Sendable, Equatable {
    /// What tells it apart.
    associatedtype Key: Hashable, Sendable

    /// The table, in the schema `tenure`.
    static var table: String { get }
    /// The columns of the key after ledger and generation; the first of ``columns``.
    static var keyColumns: [String] { get }
    /// All columns after ledger and generation, without those that the table generates.
    static var columns: [String] { get }

    var viewKey: Key { get }

    /// Reads the columns in their order.
    init(_ columns: inout ColumnReader) throws

    /// The values of all columns of several rows, one array per column.
    static func arrays(_ rows: [Self]) -> [SQL]
    /// The values of the key columns of several keys, one array per column.
    static func arrays(keys: [Key]) -> [SQL]
}

extension ViewRow {
    /// The columns as a select list, with the columns of `alias`.
    static func list(_ alias: String) -> String { columns.map { "\(alias).\($0)" }.joined(separator: ", ") }

    /// Reads the rows that meet a condition on the alias `v`.
    static func select(_ scope: ViewScope, _ condition: SQL = "true") -> SQL {
        """
        SELECT \(unsafeSQL: list("v")) FROM tenure.\(unsafeSQL: table) AS v
        WHERE \(scope.condition("v")) AND \(condition)
        """
    }

    /// Reads the rows of some employees, each found by the primary key.
    ///
    /// One look-up for each, in the order of the primary key, on purpose: of a generation that is being built the planner
    /// knows nothing, takes every index for as good, and could hold every row of the ledger against every employee.
    static func select(_ scope: ViewScope, employees: [UUID]) -> SQL {
        """
        SELECT \(unsafeSQL: list("r")) FROM unnest(\(employees)) AS x(id) CROSS JOIN LATERAL (
            SELECT v.* FROM tenure.\(unsafeSQL: table) AS v
            WHERE \(scope.condition("v")) AND v.employee_id >= x.id AND v.employee_id <= x.id
            ORDER BY v.employee_id OFFSET 0) AS r
        """
    }

    /// Writes rows, in place of those with the same keys.
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

    /// Removes rows by their keys.
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
    /// Statements' parts with commas between them.
    static func list(_ parts: [SQL]) -> SQL {
        guard let first = parts.first else { return "" }
        return parts.dropFirst().reduce(first) { "\($0), \($1)" }
    }
}
