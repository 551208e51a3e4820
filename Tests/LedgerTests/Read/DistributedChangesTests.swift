import Foundation
import Ledger
import Postgres
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// The feed of a distributed database, where a transaction commits on its nodes at different moments.
@Suite(.enabled(if: TestServer.isDistributed, "TENURE_TEST_WORKER_URLS names no workers"))
struct DistributedChangesTests {
    @Test func `an append that one node commits later than the coordinator is found`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool(as: .reader) { pool in
                let reader = LedgerReader(pool: pool, storesTiles: false)
                var ledgers: [LedgerID] = []
                for worker in 0..<2 { ledgers.append(try await Self.ledger(on: worker, database)) }
                var looks = [try await reader.changes(since: nil)]

                let halves = try await HalfCommitted.make(in: ledgers, database)
                looks.append(try await reader.changes(since: looks[0].mark))
                // The first node has committed, and the second one has not: its change is not visible.
                #expect(looks[1].ledgers == [ledgers[0]: 1])
                try await halves.finish()

                looks.append(try await reader.changes(since: looks[1].mark))
                #expect(looks[2].ledgers?[ledgers[1]] == 1)
            }
        }
    }

    @Test func `a change over two nodes is told until every node is known to have committed`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, _ in
                try await database.withPool(as: .reader) { pool in
                    let reader = LedgerReader(pool: pool, storesTiles: false)
                    let first = try await reader.changes(since: nil)
                    var ledgers: [LedgerID] = []
                    for worker in 0..<2 { ledgers.append(try await Self.ledger(on: worker, database)) }
                    let halves = ledgers.map { Append.test(.test($0)) }
                    var append = halves[0]
                    append.events += halves[1].events
                    append.expectations.merge(halves[1].expectations) { first, _ in first }
                    _ = try await appender.append(append)
                    var look = try await reader.changes(since: first.mark)
                    #expect(look.ledgers == [ledgers[0]: 1, ledgers[1]: 1])
                    var owner = try await database.connect(as: .superuser)
                    _ = try await owner.query("SELECT recover_prepared_transactions()")
                    look = try await reader.changes(since: look.mark)
                    look = try await reader.changes(since: look.mark)
                    #expect(look.ledgers == [:])
                }
            }
        }
    }

    /// A ledger without events whose shard lies on a worker.
    private static func ledger(on worker: Int, _ database: TestDatabase) async throws -> LedgerID {
        var connection = try await database.connect(as: .superuser)
        while true {
            let id = UUID()
            let rows = try await connection.query(
                """
                SELECT n.groupid FROM citus_shards AS s JOIN pg_dist_node AS n USING (nodename, nodeport)
                WHERE s.shardid = get_shard_id_for_distribution_column('tenure.ledger', \(id))
                """)
            if try rows.first?.decode(Int32.self) == Int32(worker + 1) { return LedgerID(id) }
        }
    }
}

/// A transaction over two nodes that is committed on the coordinator and on the first node, and prepared on the second.
private struct HalfCommitted {
    private let stopped: Int32
    private let commit: Task<Void, any Error>

    /// Appends to a ledger of each node, and stops the processes that commit, in this order: the first node before it
    /// prepares, the second one after it has prepared. Then the first one goes on, so the coordinator commits.
    static func make(in ledgers: [LedgerID], _ database: TestDatabase) async throws -> HalfCommitted {
        let (isWritten, written) = AsyncStream.makeStream(of: Void.self)
        let (mayCommit, commitNow) = AsyncStream.makeStream(of: Void.self)
        let commit = Task {
            defer { written.finish() }
            var connection = try await database.connect(as: .application)
            _ = try await connection.query("BEGIN")
            _ = try await connection.query(LedgerScope.statement(ledgers))
            for ledger in ledgers { _ = try await Appender.append([.test(.test(ledger))], on: &connection)[0].get() }
            written.yield()
            for await _ in mayCommit { break }
            _ = try await connection.query("COMMIT")
        }
        for await _ in isWritten { break }
        var processes: [Int32] = []
        for worker in database.workers { processes.append(try await writer(on: worker)) }

        kill(processes[0], SIGSTOP)
        commitNow.yield()
        try await until { try await prepared(on: database.workers[1]) == 1 }
        kill(processes[1], SIGSTOP)
        kill(processes[0], SIGCONT)
        // The row is visible once the coordinator has committed.
        var owner = try await database.connect(as: .superuser)
        try await until { try await !owner.query("SELECT 1 FROM pg_dist_transaction").isEmpty }
        try await until { try await prepared(on: database.workers[0]) == 0 }
        return HalfCommitted(stopped: processes[1], commit: commit)
    }

    /// Lets the second node commit.
    func finish() async throws {
        kill(stopped, SIGCONT)
        try await commit.value
    }

    /// The process of a node in which the transaction has written.
    private static func writer(on worker: PostgresConfiguration) async throws -> Int32 {
        var connection = try await PostgresConnection.connect(worker, logger: TestServer.logger())
        let rows = try await connection.query(
            """
            SELECT pid FROM pg_stat_activity
            WHERE datname = current_database() AND state = 'idle in transaction' AND backend_xid IS NOT NULL
            """)
        return try #require(rows.first).decode(Int32.self)
    }

    private static func prepared(on worker: PostgresConfiguration) async throws -> Int64 {
        var connection = try await PostgresConnection.connect(worker, logger: TestServer.logger())
        let rows = try await connection.query(
            "SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database()")
        return try #require(rows.first).decode(Int64.self)
    }

    private static func until(_ isReached: () async throws -> Bool) async throws {
        for _ in 0..<1_000 {
            if try await isReached() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("the state was not reached")
    }
}
