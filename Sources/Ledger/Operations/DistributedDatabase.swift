public import Postgres

/// A database whose ledgers are spread over several nodes by Citus, an extension of PostgreSQL.
///
/// Each ledger lies on one node, with all its rows. The generations of projections are copied to every node. The other
/// tables without ledgers, those of keys and leases, stay on the coordinator. The service knows the coordinator only,
/// which sends each statement to the node of its ledger.
///
/// ```swift
/// // The extension is installed and the nodes are added; see docs/scaling.md.
/// try await DistributedDatabase.check(on: &connection)
/// let tables = try await DistributedDatabase.distribute(on: &connection)
/// ```
///
/// All functions but ``isDistributed(on:)`` need a superuser's connection to the coordinator.
public enum DistributedDatabase {
    /// Tables without ledgers that are joined with every ledger.
    static let copied = ["projection_generation"]
    /// Tables of the coordinator that transactions write together with ledgers. The nodes know of them, so that such a
    /// transaction is committed in two phases.
    static let known = ["bucket_key", "id_token_key", "pages_app", "token_key"]

    /// Whether ledgers are spread over nodes. Any role may ask.
    ///
    /// - Throws: `PostgresError`.
    public static func isDistributed(on connection: inout PostgresConnection) async throws(PostgresError) -> Bool {
        guard try await hasCatalogue(on: &connection) else { return false }
        let rows = try await connection.query(
            """
            SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_dist_partition
                WHERE logicalrelid = to_regclass('tenure.ledger') AND partmethod = 'h')
            """)
        return try rows.first?.decode(Bool.self) ?? false
    }

    /// Whether the extension is installed in the database.
    static func hasCatalogue(on connection: inout PostgresConnection) async throws(PostgresError) -> Bool {
        let rows = try await connection.query("SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL")
        return try rows.first?.decode(Bool.self) ?? false
    }

    /// Checks that tables can be distributed.
    ///
    /// - Throws: ``DistributionError`` with what is missing, and `PostgresError`.
    public static func check(on connection: inout PostgresConnection) async throws {
        guard try await hasCatalogue(on: &connection) else { throw DistributionError.extensionMissing }
        let role = try await connection.query("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
        guard try role.first?.decode(Bool.self) ?? false else { throw DistributionError.notSuperuser }
        let nodes = try await connection.query(
            """
            SELECT (SELECT groupid FROM pg_catalog.pg_dist_local_group LIMIT 1) = 0,
                (SELECT count(*) FROM pg_catalog.pg_dist_node WHERE groupid > 0 AND isactive)
            """)
        guard let (isCoordinator, workers) = try nodes.first?.decode(Bool.self, Int64.self) else { return }
        guard isCoordinator else { throw DistributionError.notCoordinator }
        guard workers > 0 else { throw DistributionError.noWorkers }
    }

    /// Distributes the tables that are not distributed yet, with the rows that they have, and returns their names.
    ///
    /// A table with ledgers is spread by `ledger_id`, in one colocation group. The rows that stayed in the coordinator's
    /// own tables are then removed, because they would escape an erasure. Nothing else may use the database meanwhile.
    ///
    /// - Throws: `PostgresError`. A later call goes on with the tables that are left.
    public static func distribute(on connection: inout PostgresConnection) async throws(PostgresError) -> [String] {
        let waiting = try await connection.query(
            """
            SELECT c.relname::text, a.attname IS NOT NULL AS has_ledger FROM pg_class AS c
            LEFT JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'ledger_id'
            WHERE c.relnamespace = 'tenure'::regnamespace AND c.relkind = 'r'
                AND (a.attname IS NOT NULL OR c.relname = ANY (\(copied + known)))
                AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_dist_partition AS d WHERE d.logicalrelid = c.oid)
            ORDER BY has_ledger, c.relname <> 'ledger', c.relname
            """)
        var done: [String] = []
        for row in waiting {
            let (name, hasLedger) = try row.decode(String.self, Bool.self)
            let table = "tenure.\(name)"
            if known.contains(name) {
                try await connection.execute("SELECT citus_add_local_table_to_metadata(\(table)::text::regclass)")
                done.append(name)
                continue
            } else if !hasLedger {
                try await connection.execute("SELECT create_reference_table(\(table)::text::regclass)")
            } else if name == "ledger" {
                try await connection.execute(
                    "SELECT create_distributed_table(\(table)::text::regclass, 'ledger_id', colocate_with => 'none')")
            } else {
                try await connection.execute(
                    """
                    SELECT create_distributed_table(\(table)::text::regclass, 'ledger_id',
                        colocate_with => 'tenure.ledger')
                    """)
            }
            try await connection.execute(
                "SELECT truncate_local_data_after_distributing_table(\(table)::text::regclass)")
            done.append(name)
        }
        return done
    }
}

/// Why the ledgers of a database cannot be spread over nodes, or a ledger cannot be moved.
public struct DistributionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. More may be added.
    public struct Code: Sendable, Hashable {
        /// The stable name of the kind.
        public let rawValue: String

        /// The code of ``DistributionError/unknownNode(known:)``.
        public static let unknownNode = Code(rawValue: "distribution.unknown_node")
    }

    /// The kind of failure.
    public let code: Code
    /// What is missing, in one clause without data.
    public let reason: String
    /// What to do next.
    public let remedy: String

    init(_ code: String, _ reason: String, remedy: String) {
        self.code = Code(rawValue: code)
        self.reason = reason
        self.remedy = remedy
    }

    /// The reason and the remedy.
    public var description: String { "\(reason). \(remedy)" }

    /// The extension is not installed in the database.
    public static let extensionMissing = DistributionError(
        "distribution.extension_missing", "the database does not have the extension citus",
        remedy:
            "Preload it on every node, and run CREATE EXTENSION citus in this database of each; see docs/scaling.md."
    )
    /// The role is not a superuser.
    public static let notSuperuser = DistributionError(
        "distribution.not_superuser", "only a superuser can distribute tables and move ledgers",
        remedy: "Name a superuser in TENURE_OWNER_DATABASE_URL.")
    /// The server is a worker.
    public static let notCoordinator = DistributionError(
        "distribution.not_coordinator", "the server is a worker, not the coordinator",
        remedy: "Name the coordinator in the URL.")
    /// No worker was added.
    public static let noWorkers = DistributionError(
        "distribution.no_workers", "the coordinator has no workers",
        remedy: "Add each with SELECT citus_add_node('host', 5432); see docs/scaling.md.")
    /// Ledgers are not spread over nodes.
    public static let notDistributed = DistributionError(
        "distribution.not_distributed", "the database lies on one server",
        remedy: "To spread it over several, run tenure migrate --distributed; see docs/scaling.md.")
    /// The coordinator knows no such worker.
    public static func unknownNode(known: [String]) -> DistributionError {
        DistributionError(
            Code.unknownNode.rawValue, "the coordinator has no active worker of that name",
            remedy: "Name one of these: \(known.joined(separator: ", ")).")
    }
    /// The name stands for several workers.
    public static let ambiguousNode = DistributionError(
        "distribution.ambiguous_node", "several workers have that host name", remedy: "Name one as host:port.")
    /// The ledger has no events.
    public static let unknownLedger = DistributionError(
        "distribution.unknown_ledger", "there is no such ledger",
        remedy: "tenure company list shows the names and ids of companies.")
    /// Another move is under way.
    public static let moving = DistributionError(
        "distribution.moving", "another ledger is being moved", remedy: "Wait for it, and try again.")
}
