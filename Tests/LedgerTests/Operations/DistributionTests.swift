import Foundation
import Postgres
import TestSupport
import Testing

@testable import Ledger

@Suite struct DistributionHealthTests {
    private func node(_ name: String = "worker1:5432") -> DistributionHealth.Node {
        DistributionHealth.Node(
            name: name, version: 150_020, extensionVersion: "13.2-1", preparedTransactions: 300, connections: 300,
            walLevel: "logical")
    }

    @Test func `nodes as they should be have no weakness`() {
        #expect(DistributionHealth.judge([node(), node("worker2:5432")]) == [])
    }

    @Test func `a node that is away is named, and nothing else is said of it`() {
        let away = DistributionHealth.Node(name: "worker2:5432")
        #expect(DistributionHealth.judge([node(), away]).map(\.detail) == ["worker2:5432 does not answer"])
    }

    @Test func `a worker needs a prepared transaction for each connection, the coordinator does not`() {
        var worker = node()
        worker.preparedTransactions = 0
        #expect(DistributionHealth.judge([worker]).map(\.remedy).first?.contains("max_prepared_transactions") == true)
        worker.isCoordinator = true
        #expect(DistributionHealth.judge([worker]) == [])
    }

    @Test func `a node without logical decoding cannot move ledgers`() {
        var worker = node()
        worker.walLevel = "replica"
        #expect(DistributionHealth.judge([worker]).count == 1)
    }

    @Test func `nodes of different versions are told together`() {
        var other = node("worker2:5432")
        other.extensionVersion = "14.0-1"
        #expect(
            DistributionHealth.judge([node(), other]).map(\.detail) == [
                "the nodes have different versions: PostgreSQL 15, Citus 13.2-1; PostgreSQL 15, Citus 14.0-1"
            ])
    }
}

@Suite(.enabled(if: TestServer.isAvailable && !TestServer.isDistributed, "it needs a single server"))
struct SingleServerTests {
    @Test func `a database on one server is not distributed, and says what is missing`() async throws {
        try await TestDatabase.with { database in
            var connection = try await database.connect(as: .superuser)
            #expect(try await !DistributedDatabase.isDistributed(on: &connection))
            #expect(try await DistributionHealth.read(on: &connection) == nil)
            await #expect(throws: DistributionError.extensionMissing) {
                var connection = try await database.connect(as: .superuser)
                try await DistributedDatabase.check(on: &connection)
            }
            await #expect(throws: DistributionError.extensionMissing) {
                var connection = try await database.connect(as: .superuser)
                _ = try await LedgerMove.plan(.system, to: "worker1", on: &connection)
            }
        }
    }
}

@Suite(.enabled(if: TestServer.isDistributed, "TENURE_TEST_WORKER_URLS names no workers"))
struct LedgerMoveTests {
    @Test func `a ledger moves while events are appended, and none is lost`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let ledger = LedgerID(UUID()), stream = StreamID.test(ledger)
                _ = try await appender.append(.test(stream))
                let stop = Stop()
                let writing = Task {
                    var count = 1
                    while await !stop.isSet {
                        _ = try await appender.append(.test(stream, expecting: count))
                        count += 1
                    }
                    return count
                }
                // Beside other tests a step of a move takes longer than statements may take.
                var configuration = database.configuration(as: .superuser)
                configuration.statementTimeout = nil
                var owner = try await PostgresConnection.connect(configuration, logger: TestServer.logger())
                for _ in 0..<2 {
                    let target = try await Self.otherNode(than: ledger, on: &owner)
                    let move = try await LedgerMove.plan(ledger, to: target, on: &owner)
                    #expect(!move.isThere)
                    try await move.run(on: &owner)
                    #expect(try await LedgerMove.plan(ledger, to: target, on: &owner).isThere)
                }
                await stop.set()
                let count = try await writing.value

                let reader = LedgerReader(pool: pool)
                var positions: [Int64] = [], cursor: Int64 = 0
                while case let page = try await reader.ledger(ledger, after: cursor), !page.events.isEmpty {
                    positions += page.events.map(\.position)
                    cursor = page.cursor
                }
                #expect(positions == Array(1...Int64(count)))
                #expect(try await Self.unforced(on: &owner) == 0)
            }
        }
    }

    @Test func `a node and a ledger that do not exist are named`() async throws {
        try await TestDatabase.with { database in
            var owner = try await database.connect(as: .superuser)
            let unknown = await #expect(throws: DistributionError.self) {
                var owner = try await database.connect(as: .superuser)
                _ = try await LedgerMove.plan(LedgerID(UUID()), to: "worker1", on: &owner)
            }
            #expect(unknown == .unknownLedger)
            try await database.withAppender { appender, _ in
                let append = Append.test(.test())
                _ = try await appender.append(append)
                let refused = await #expect(throws: DistributionError.self) {
                    var owner = try await database.connect(as: .superuser)
                    _ = try await LedgerMove.plan(append.events[0].stream.ledger, to: "nowhere", on: &owner)
                }
                #expect(refused?.code.rawValue == "distribution.unknown_node")
            }
            #expect(try await DistributionHealth.read(on: &owner)?.weaknesses == [])
        }
    }

    private actor Stop {
        private(set) var isSet = false
        func set() { isSet = true }
    }

    private static func otherNode(
        than ledger: LedgerID, on connection: inout PostgresConnection
    ) async throws -> String {
        let rows = try await connection.query(
            """
            SELECT n.nodename || ':' || n.nodeport FROM pg_dist_node AS n
            WHERE n.groupid > 0 AND n.nodename <> (
                SELECT nodename FROM citus_shards
                WHERE shardid = get_shard_id_for_distribution_column('tenure.ledger', \(ledger.uuid)))
            """)
        return try #require(rows.first).decode(String.self)
    }

    private static func unforced(on connection: inout PostgresConnection) async throws -> Int64 {
        let rows = try await connection.query(
            """
            SELECT count(*) FROM pg_class WHERE relnamespace = 'tenure'::regnamespace AND relrowsecurity
                AND NOT relforcerowsecurity
            """)
        return try #require(rows.first).decode(Int64.self)
    }
}
