public import Postgres

/// Moves one ledger of a distributed database to another node, while the service goes on.
///
/// ```swift
/// let move = try await LedgerMove.plan(ledger, to: "worker2.example", on: &connection)
/// try await move.run(on: &connection) { step in print(step) }
/// ```
///
/// Logical replication copies the rows, and writers wait only while the last changes are copied. A ledger that shares its
/// shard with others gets one of its own on the way: the whole shard is split while it is copied, and the neighbours are
/// copied back. Splitting it where it is would fail under load, because Citus 13.2 makes the keys of the parts too late
/// for updates there. Nothing is lost if the command is ended: the ledger is then where it was, or has arrived. Its
/// neighbours may have arrived too.
///
/// The owner of a table may not replicate into it while row security is forced on the owner too. So the move takes FORCE
/// away from the distributed tables and gives it back, also after a failure. The service's roles own no table, so their
/// row security stays meanwhile. If the process is killed in between, ``restoreForce(on:)`` or the next move gives it
/// back.
public struct LedgerMove: Sendable {
    /// The ledger.
    public let ledger: LedgerID
    /// The node that has the ledger, as `host:port`.
    public let source: String
    /// The node that gets it, as `host:port`.
    public let target: String
    private let sourceID: Int32
    private let targetID: Int32

    /// Whether the ledger is on the node already, so that there is nothing to do.
    public var isThere: Bool { source == target }

    /// A step of a move, in the order in which they happen.
    public enum Step: String, Sendable {
        /// The ledger's shard is copied, split if it has other ledgers, and handed over.
        case moving
        /// The neighbours are copied back.
        case returning
        /// What was left behind is deleted.
        case cleaning
    }

    /// How long a change of row security may wait for a table, and so make others wait. It is tried again.
    private static let lockTimeout = "300ms"
    private static let attempts = 200
    /// The key of the advisory lock of moves: the bytes of "tenure_n".
    private static let lockKey: Int64 = 0x7465_6E75_7265_5F6E

    /// Finds out where a ledger is, and which worker a name stands for.
    ///
    /// - Parameters:
    ///   - node: The host name of a worker, or `host:port`.
    ///   - connection: A superuser's connection to the coordinator.
    /// - Throws: ``DistributionError``, `PostgresError`.
    public static func plan(
        _ ledger: LedgerID, to node: String, on connection: inout PostgresConnection
    ) async throws -> LedgerMove {
        try await DistributedDatabase.check(on: &connection)
        guard try await DistributedDatabase.isDistributed(on: &connection) else {
            throw DistributionError.notDistributed
        }
        let exists = try await connection.query(
            "SELECT 1 FROM tenure.ledger WHERE ledger_id = \(ledger.uuid) AND size > 0")
        guard !exists.isEmpty else { throw DistributionError.unknownLedger }
        let nodes = try await DistributedDatabase.nodes(on: &connection)
        let found = nodes.filter { $0.name == node || $0.host == node }
        guard let target = found.first else { throw DistributionError.unknownNode(known: nodes.map(\.name)) }
        guard found.count == 1 else { throw DistributionError.ambiguousNode }
        let rows = try await connection.query(
            """
            SELECT n.nodeid, n.nodename || ':' || n.nodeport
            FROM citus_shards AS s JOIN pg_catalog.pg_dist_node AS n USING (nodename, nodeport)
            WHERE s.shardid = \(shard(of: ledger))
            """)
        guard let (sourceID, source) = try rows.first?.decode(Int32.self, String.self) else {
            throw DistributionError.notDistributed
        }
        return LedgerMove(
            ledger: ledger, source: source, target: target.name, sourceID: sourceID, targetID: target.id)
    }

    /// Moves the ledger.
    ///
    /// - Parameters:
    ///   - connection: A superuser's connection to the coordinator, without a statement timeout.
    ///   - report: Called at the beginning of each step.
    /// - Throws: ``DistributionError/moving``, `PostgresError`. Row security is as it was then, unless the connection
    ///   was lost.
    public func run(on connection: inout PostgresConnection, _ report: (Step) -> Void = { _ in }) async throws {
        guard try await Self.lock(on: &connection) else { throw DistributionError.moving }
        do {
            try await Self.setForce(false, on: &connection)
            try await transfer(on: &connection, report)
        } catch {
            _ = try? await Self.setForce(true, on: &connection)
            try? await Self.unlock(on: &connection)
            throw error
        }
        try await Self.setForce(true, on: &connection)
        report(.cleaning)
        try await connection.executeScript("CALL citus_cleanup_orphaned_resources()")
        try await Self.unlock(on: &connection)
    }

    private func transfer(on connection: inout PostgresConnection, _ report: (Step) -> Void) async throws {
        guard !isThere else { return }
        let rows = try await connection.query(
            """
            SELECT shardid, shardminvalue::integer, shardmaxvalue::integer, worker_hash(\(ledger.uuid))
            FROM pg_catalog.pg_dist_shard WHERE shardid = \(Self.shard(of: ledger))
            """)
        guard let (shard, first, last, hash) = try rows.first?.decode(Int64.self, Int32.self, Int32.self, Int32.self)
        else { throw DistributionError.notDistributed }
        report(.moving)
        guard first < last else {
            try await move(shard, from: sourceID, to: targetID, on: &connection)
            return
        }
        // A part ends with its point, and the last one with the shard.
        let points = (hash > first ? [hash - 1] : []) + (hash < last ? [hash] : [])
        let nodes = [Int32](repeating: targetID, count: points.count + 1)
        try await connection.execute(
            """
            SELECT citus_split_shard_by_split_points(\(shard), \(points.map { "\($0)" }), \(nodes), 'force_logical')
            """)
        report(.returning)
        let neighbours = try await connection.query(
            """
            SELECT shardid FROM pg_catalog.pg_dist_shard
            WHERE logicalrelid = 'tenure.ledger'::regclass AND shardid <> \(Self.shard(of: ledger))
                AND shardminvalue::integer >= \(first) AND shardmaxvalue::integer <= \(last)
            """)
        for row in neighbours {
            try await move(try row.decode(Int64.self), from: targetID, to: sourceID, on: &connection)
        }
    }

    private func move(
        _ shard: Int64, from source: Int32, to target: Int32, on connection: inout PostgresConnection
    ) async throws {
        try await connection.execute(
            "SELECT citus_move_shard_placement(\(shard), \(source), \(target), 'force_logical')")
    }

    private static func lock(on connection: inout PostgresConnection) async throws -> Bool {
        try await connection.query("SELECT pg_try_advisory_lock(\(lockKey))").first?.decode(Bool.self) ?? false
    }

    private static func unlock(on connection: inout PostgresConnection) async throws {
        _ = try await connection.query("SELECT pg_advisory_unlock(\(lockKey))")
    }

    private static func shard(of ledger: LedgerID) -> SQL {
        "get_shard_id_for_distribution_column('tenure.ledger', \(ledger.uuid))"
    }
}

extension LedgerMove {
    /// Forces row security again on every distributed table that lost it in a move that was killed.
    ///
    /// - Returns: The names of these tables, or `nil` if a ledger is being moved and nothing was done. The server notices a
    ///   moment after a kill that it is not.
    /// - Throws: `PostgresError`.
    public static func restoreForce(on connection: inout PostgresConnection) async throws -> [String]? {
        guard try await lock(on: &connection) else { return nil }
        let restored: [String]
        do { restored = try await setForce(true, on: &connection) } catch {
            try? await unlock(on: &connection)
            throw error
        }
        try await unlock(on: &connection)
        return restored
    }

    /// Forces row security on the owner of all distributed tables, or no longer, and returns the tables that changed.
    ///
    /// Each table is a transaction of its own that waits a moment only, so that it cannot hold up the service.
    @discardableResult
    private static func setForce(
        _ isForced: Bool, on connection: inout PostgresConnection
    ) async throws -> [String] {
        let rows = try await connection.query(
            """
            SELECT c.relname::text FROM pg_catalog.pg_dist_partition AS d JOIN pg_class AS c ON c.oid = d.logicalrelid
            WHERE d.partmethod = 'h' AND c.relnamespace = 'tenure'::regnamespace AND c.relrowsecurity
                AND c.relforcerowsecurity <> \(isForced) ORDER BY c.relname
            """)
        var changed: [String] = []
        for row in rows {
            let table = try row.decode(String.self)
            try await alter(table, isForced, on: &connection)
            changed.append(table)
        }
        return changed
    }

    private static func alter(
        _ table: String, _ isForced: Bool, on connection: inout PostgresConnection
    ) async throws {
        let change: SQL = isForced ? "FORCE" : "NO FORCE"
        var attempt = 0
        while true {
            do throws(PostgresError) {
                _ = try await connection.transaction([
                    "SET LOCAL citus.propagate_set_commands = 'local'",
                    "SET LOCAL lock_timeout = \(unsafeSQL: "'\(lockTimeout)'")",
                    "ALTER TABLE tenure.\(identifier: table) \(change) ROW LEVEL SECURITY",
                ])
                return
            } catch {
                attempt += 1
                guard error.isRetryable || error.sqlState?.rawValue == "55P03", attempt < attempts else { throw error }
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}

extension DistributedDatabase {
    /// A worker.
    struct Node: Sendable, Hashable {
        /// The coordinator's number of the node.
        let id: Int32
        /// The host name or address.
        let host: String
        /// Host and port.
        let name: String
    }

    /// Returns the active workers that hold ledgers, by their names.
    static func nodes(on connection: inout PostgresConnection) async throws(PostgresError) -> [Node] {
        let rows = try await connection.query(
            """
            SELECT nodeid, nodename::text, nodename || ':' || nodeport FROM pg_catalog.pg_dist_node
            WHERE isactive AND shouldhaveshards AND noderole = 'primary' ORDER BY 3
            """)
        var nodes: [Node] = []
        for row in rows {
            let (id, host, name) = try row.decode(Int32.self, String.self, String.self)
            nodes.append(Node(id: id, host: host, name: name))
        }
        return nodes
    }
}
