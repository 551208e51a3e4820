public import Postgres

/// What a distributed database lacks to keep its promises.
public struct DistributionHealth: Sendable, Equatable {
    /// A shortcoming and its remedy, for the operator.
    public struct Weakness: Sendable, Equatable {
        /// The shortcoming: one clause with names of nodes and tables.
        public let detail: String
        /// What to do.
        public let remedy: String
    }

    /// What one node reports about itself.
    struct Node: Sendable, Equatable {
        let name: String
        /// The server's version as a number, such as 150020; `nil` if the node did not answer.
        var version: Int?
        var extensionVersion = ""
        var preparedTransactions = 0
        var connections = 0
        var walLevel = ""
        var isCoordinator = false
    }

    /// How many active workers there are.
    public let workers: Int
    /// The shortcomings. Without one, the database is as it should be.
    public let weaknesses: [Weakness]

    /// Reads the settings of all nodes and the placement of the tables. Returns `nil` for a database on one server.
    ///
    /// - Parameter connection: A connection of any role to the coordinator.
    /// - Throws: `PostgresError`.
    public static func read(on connection: inout PostgresConnection) async throws(PostgresError) -> DistributionHealth?
    {
        guard try await DistributedDatabase.isDistributed(on: &connection) else { return nil }
        let nodes = try await nodes(on: &connection)
        var weaknesses = judge(nodes)
        let recovery = try await connection.query(
            "SELECT setting FROM pg_settings WHERE name = 'citus.recover_2pc_interval'")
        let milliseconds = Int(try recovery.first?.decode(String.self) ?? "") ?? 0
        if milliseconds <= 0 || milliseconds > 60_000 {
            weaknesses.append(
                Weakness(
                    detail: "citus.recover_2pc_interval leaves transactions in doubt for more than a minute",
                    remedy: "set it to 5s on the coordinator"))
        }
        weaknesses += try await placement(on: &connection)
        return DistributionHealth(workers: nodes.count { !$0.isCoordinator }, weaknesses: weaknesses)
    }

    private static func nodes(on connection: inout PostgresConnection) async throws(PostgresError) -> [Node] {
        let rows = try await connection.query(
            """
            SELECT n.nodename || ':' || n.nodeport, n.groupid = 0, r.success AND n.isactive, r.result
            FROM pg_catalog.pg_dist_node AS n JOIN run_command_on_all_nodes($$
                SELECT concat_ws(' ', current_setting('server_version_num'),
                    (SELECT extversion FROM pg_extension WHERE extname = 'citus'),
                    current_setting('max_prepared_transactions'), current_setting('max_connections'),
                    current_setting('wal_level'))
                $$) AS r USING (nodeid)
            WHERE n.noderole = 'primary' ORDER BY n.groupid
            """)
        var nodes: [Node] = []
        for row in rows {
            let (name, isCoordinator, answers, result) = try row.decode(
                String.self, Bool.self, Bool.self, String?.self)
            var node = Node(name: name, isCoordinator: isCoordinator)
            let parts = (result ?? "").split(separator: " ").map(String.init)
            if answers, parts.count == 5 {
                node.version = Int(parts[0])
                node.extensionVersion = parts[1]
                node.preparedTransactions = Int(parts[2]) ?? 0
                node.connections = Int(parts[3]) ?? 0
                node.walLevel = parts[4]
            }
            nodes.append(node)
        }
        return nodes
    }

    /// Judges what the nodes report.
    static func judge(_ nodes: [Node]) -> [Weakness] {
        var weaknesses: [Weakness] = []
        for node in nodes where node.version == nil {
            weaknesses.append(Weakness(detail: "\(node.name) does not answer", remedy: "start it, and see its log"))
        }
        let answering = nodes.filter { $0.version != nil }
        for node in answering where !node.isCoordinator && node.preparedTransactions < node.connections {
            weaknesses.append(
                Weakness(
                    detail: "\(node.name) permits \(node.preparedTransactions) prepared transactions and "
                        + "\(node.connections) connections",
                    remedy: "set max_prepared_transactions to max_connections, and restart the node"))
        }
        for node in answering where node.walLevel != "logical" {
            weaknesses.append(
                Weakness(
                    detail: "\(node.name) has the wal_level \(node.walLevel), so no ledger can be moved",
                    remedy: "set wal_level to logical, and restart the node"))
        }
        let versions = Set(answering.map { "PostgreSQL \(($0.version ?? 0) / 10_000), Citus \($0.extensionVersion)" })
        if versions.count > 1 {
            weaknesses.append(
                Weakness(
                    detail: "the nodes have different versions: \(versions.sorted().joined(separator: "; "))",
                    remedy: "bring all nodes to one version"))
        }
        return weaknesses
    }

    private static func placement(on connection: inout PostgresConnection) async throws(PostgresError) -> [Weakness] {
        var weaknesses: [Weakness] = []
        let misplaced = try await connection.query(
            """
            SELECT c.relname::text FROM pg_class AS c
            LEFT JOIN pg_catalog.pg_dist_partition AS d ON d.logicalrelid = c.oid
            LEFT JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'ledger_id'
            WHERE c.relnamespace = 'tenure'::regnamespace AND c.relkind = 'r' AND NOT relation_is_a_known_shard(c.oid)
                AND CASE WHEN a.attname IS NULL
                    THEN concat(d.partmethod, d.repmodel) <> CASE
                        WHEN c.relname = ANY (\(DistributedDatabase.copied)) THEN 'nt'
                        WHEN c.relname = ANY (\(DistributedDatabase.known)) THEN 'ns' ELSE '' END
                    ELSE coalesce(d.partmethod, '') <> 'h' OR d.colocationid <> (
                        SELECT colocationid FROM pg_catalog.pg_dist_partition
                        WHERE logicalrelid = 'tenure.ledger'::regclass) END
            ORDER BY c.relname
            """)
        for row in misplaced {
            weaknesses.append(
                Weakness(
                    detail: "the table \(try row.decode(String.self)) is not placed with its ledgers",
                    remedy: "run: tenure migrate --distributed"))
        }
        let unforced = try await connection.query(
            """
            SELECT relname::text FROM pg_class WHERE relnamespace = 'tenure'::regnamespace AND relrowsecurity
                AND NOT relforcerowsecurity ORDER BY relname
            """)
        if !unforced.isEmpty {
            let names = try unforced.map { row throws(PostgresError) in try row.decode(String.self) }
            weaknesses.append(
                Weakness(
                    detail:
                        "row security is not forced on the owner of \(names.joined(separator: ", ")): a ledger is being "
                        + "moved, or a move was killed",
                    remedy: "if none is being moved, run: tenure migrate"))
        }
        let left = try await connection.query("SELECT count(*) FROM pg_catalog.pg_dist_cleanup")
        if let count = try left.first?.decode(Int64.self), count > 0 {
            weaknesses.append(
                Weakness(
                    detail: "\(count) copies of moved shards wait for their deletion, which no erasure reaches",
                    remedy:
                        "if no ledger is being moved, run on the coordinator: CALL citus_cleanup_orphaned_resources()"
                ))
        }
        return weaknesses
    }
}
