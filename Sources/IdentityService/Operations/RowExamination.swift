import Canonical
import EventCoding
import FoundationEssentials
import Keys
import Ledger
package import Postgres

/// Looks for rows that the service did not write as they are, and compares claims with the log. It changes nothing.
package struct RowExamination: Sendable {
    /// What is wrong with a table.
    package struct Finding: Sendable, Equatable {
        /// The kind of thing that is wrong.
        package enum Problem: Sendable, Equatable {
            /// Rows have another code than they must have.
            case wrongCode
            case noCode
            /// The log has claims that have no row.
            case missing
            /// Claims have a row, and the log does not have them.
            case foreign
            /// Streams of the log are not as a service wrote them, or have a name that does not open; what they say of
            /// claims is not compared.
            case damaged
        }

        /// The table, without its schema.
        package let table: String
        /// What is wrong.
        package let problem: Problem
        /// The number of rows.
        package let count: Int
    }

    /// The number of rows read at once.
    private static let page: Int64 = 1_000

    private let reader: PostgresPool
    private let application: PostgresPool
    private let log: RowsOfLog

    /// - Parameters:
    ///   - reader: Connections of the reader role, which sees all ledgers.
    ///   - application: Connections of the application role, which alone reads sealed secrets.
    ///   - log: What the log yields.
    package init(reader: PostgresPool, application: PostgresPool, log: RowsOfLog) {
        self.reader = reader
        self.application = application
        self.log = log
    }

    /// Examines all tables.
    package func findings() async throws -> [Finding] {
        var findings: [Finding] = []
        for table in CodedTables.all {
            let (wrong, without) = try await codes(of: table)
            findings += [
                Finding(table: table.name, problem: .wrongCode, count: wrong),
                Finding(table: table.name, problem: .noCode, count: without),
            ]
        }
        findings += try await claims()
        return findings.filter { $0.count > 0 }
    }

    /// Counts the rows with a wrong code, and those without one.
    private func codes(of table: CodedTable) async throws -> (wrong: Int, without: Int) {
        let pool = CodedTables.secret.contains(table.name) ? application : reader
        let types = try await types(of: table, pool)
        let columns = (table.key + table.covered + ["mac"]).map { "\(identifier: $0)" as SQL }.listed
        let key = table.key.map { "\(identifier: $0)" as SQL }.listed
        var wrong = 0, without = 0, offset: Int64 = 0
        while true {
            let start = offset
            // Rows that come and go between two pages are the service's own, and are seen or not.
            let rows = try await pool.withConnection { connection in
                try await connection.query(
                    """
                    SELECT \(columns) FROM tenure.\(identifier: table.name)
                    ORDER BY \(key) OFFSET \(start) LIMIT \(Self.page)
                    """)
            }
            for row in rows {
                let values = try types.enumerated().map { column, type in try row.value(column, type) }
                guard let code = try row.decode(column: values.count, as: [UInt8]?.self) else {
                    without += 1
                    continue
                }
                if !log.ring.isRowCode(code, table, values) { wrong += 1 }
            }
            offset += Int64(rows.count)
            if rows.count < Int(Self.page) { return (wrong, without) }
        }
    }

    /// The types of the columns that a code covers.
    private func types(of table: CodedTable, _ pool: PostgresPool) async throws -> [String] {
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT a.attname::text, format_type(a.atttypid, NULL) FROM pg_attribute AS a
                WHERE a.attrelid = to_regclass(\("tenure." + table.name)) AND a.attnum > 0
                """)
        }
        let types = Dictionary(
            try rows.map { try $0.decode(String.self, String.self) }, uniquingKeysWith: { first, _ in first })
        return (table.key + table.covered).map { types[$0] ?? "" }
    }

    /// Compares claims with the log.
    private func claims() async throws -> [Finding] {
        let ledgers = LedgerReader(pool: reader, codes: EventCodes(log.ring), storesTiles: false)
        var missing = 0, confirmed: Int64 = 0, damaged = 0
        try await log.each(damaged: { _ in damaged += 1 }) { found in
            let certain = found.flatMap(\.claims)
            damaged += found.count(where: \.isSealed)
            let possible = found.flatMap(\.candidates)
            let rows = try await ledgers.claims((certain + possible).map(\.key))
            for claim in certain {
                if rows[claim.key].map({ $0.says(claim) }) == true { confirmed += 1 } else { missing += 1 }
            }
            confirmed += Int64(possible.count { claim in rows[claim.key].map { $0.says(claim) } == true })
            for erased in found.compactMap(\.erased) { confirmed += try await ids(of: erased) }
        }
        let rows = try await reader.withConnection { connection in
            try await connection.query(
                """
                SELECT count(*) FROM tenure.claim WHERE kind NOT IN ('rekeying', \(KeyRing.claimantKind))
                """)
        }
        let all = try rows.first?.decode(Int64.self) ?? 0
        return [
            Finding(table: "event", problem: .damaged, count: damaged),
            Finding(table: "claim", problem: .missing, count: missing),
            Finding(table: "claim", problem: .foreign, count: damaged > 0 ? 0 : Int(max(0, all - confirmed))),
        ]
    }

    /// The number of claims on the employee id of an erased person.
    private func ids(of employee: StreamID) async throws -> Int64 {
        let rows = try await reader.withConnection { connection in
            try await connection.query(
                """
                SELECT count(*) FROM tenure.claim
                WHERE ledger_id = \(employee.ledger.uuid) AND kind = 'employee' AND owner = \(employee.id)
                """)
        }
        return min(try rows.first?.decode(Int64.self) ?? 0, 1)
    }
}

extension Claim {
    /// Whether the row of a claim says what another says, whatever its code is.
    fileprivate func says(_ other: Claim) -> Bool {
        key == other.key && owner == other.owner && value == other.value && expiresAt == other.expiresAt
    }
}

extension PostgresRow {
    /// A column as a code covers it.
    fileprivate func value(_ column: Int, _ type: String) throws(PostgresError) -> RowValue {
        switch type {
        case "uuid": .uuid(try decode(column: column, as: UUID?.self))
        case "bytea": .bytes(try decode(column: column, as: [UInt8]?.self))
        case "text": .text(try decode(column: column, as: String?.self))
        case "smallint": .integer(try decode(column: column, as: Int16?.self).map(Int64.init))
        case "bigint": .integer(try decode(column: column, as: Int64?.self))
        case "boolean": .flag(try decode(column: column, as: Bool.self))
        default: .time(try decode(column: column, as: PostgresTimestamp?.self)?.microsecondsSinceUnixEpoch)
        }
    }
}

extension [SQL] {
    /// The parts with commas between them.
    fileprivate var listed: SQL { dropFirst().reduce(first ?? "") { "\($0), \($1)" } }
}
