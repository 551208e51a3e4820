import Canonical
import Foundation
import Ledger
import Postgres
import Testing
import TestSupport

/// The connection is cut at COMMIT: before it reaches the server, or after, so that only the answer is lost.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct LostAnswerTests {
    private func withCutAppender(
        _ cut: CuttingProxy.Cut, count: Int, patience: Duration = .seconds(60),
        _ body: (Appender, CuttingProxy, LedgerReader) async throws -> Void
    ) async throws {
        try await TestDatabase.with { database in
            let proxy = try CuttingProxy(url: database.url, cut, count: count)
            defer { proxy.stop() }
            var configuration = Appender.Configuration()
            configuration.outcomePatience = patience
            let remote = try PostgresConfiguration(url: proxy.url).with(database: database.name).with(
                user: "tenure_app")
            try await withPostgresPool(
                configuration: remote, acquireTimeout: .seconds(300), logger: TestServer.logger()
            ) { pool in
                let appender = Appender(pool: pool, configuration: configuration, logger: TestServer.logger())
                async let running: Void = appender.run()
                try await database.withPool { pool in
                    try await body(appender, proxy, LedgerReader(pool: pool))
                }
                appender.stop()
                try await running
            }
        }
    }

    @Test(arguments: [CuttingProxy.Cut.before, .after], [1, 3])
    func `the outcome of a lost answer is resolved, and everything is recorded once`(
        cut: CuttingProxy.Cut, count: Int
    ) async throws {
        try await withCutAppender(cut, count: count) { appender, proxy, reader in
            let stream = StreamID.test()
            let late = Timestamp.now().adding(.seconds(50))
            let appends = (0..<5).map { number in
                var append = Append.test(
                    .test(stream.ledger), events: 2, time: number == 0 ? late : late.adding(.seconds(-number)))
                append.claims = [
                    Claim(
                        key: ClaimKey(
                            ledger: stream.ledger, kind: "x", digest: Array(repeating: UInt8(number), count: 32)),
                        owner: UUID())
                ]
                return append
            }
            let results = try await withThrowingTaskGroup(of: AppendReceipt.self) { group in
                for append in appends { group.addTask { try await appender.append(append) } }
                return try await group.reduce(into: [AppendReceipt]()) { $0.append($1) }
            }
            #expect(proxy.cutsLeft == 0)
            #expect(results.allSatisfy { !$0.wasDuplicate })
            let positions = results.reduce(into: [UUID: Int64]()) { $0.merge($1.positions) { $1 } }
            let events = try await reader.ledger(stream.ledger).events
            #expect(events.map(\.position) == Array(1...10))
            #expect(Dictionary(uniqueKeysWithValues: events.map { ($0.id, $0.position) }) == positions)
        }
    }

    @Test(arguments: [CuttingProxy.Cut.before, .after], [1, 3])
    func `effects in the committing transaction are applied once, like the append`(
        cut: CuttingProxy.Cut, count: Int
    ) async throws {
        try await withCutAppender(cut, count: count) { appender, proxy, reader in
            let stream = StreamID.test()
            for number in 0..<4 {
                var append = Append.test(stream, expecting: number)
                append.effects = { appended in
                    let place = appended.last[stream.ledger] ?? 0, bytes = [UInt8](repeating: 1, count: 16)
                    // A second time would break the key, and refuse the append.
                    return ["INSERT INTO tenure.purpose_key SELECT 'p' || \(place), 1, \(bytes)"]
                }
                let appended = try await appender.append(append)
                #expect(!appended.wasDuplicate && appended.last == [stream.ledger: Int64(number) + 1])
            }
            #expect(proxy.cutsLeft == 0)
            let events = try await reader.ledger(stream.ledger).events
            #expect(events.map(\.position) == [1, 2, 3, 4])
        }
    }

    @Test func `a refusal stays a refusal when the answer is lost`() async throws {
        try await withCutAppender(.after, count: 1) { appender, proxy, _ in
            let stream = StreamID.test()
            let error = await #expect(throws: LedgerError.self) {
                try await appender.append(.test(stream, expecting: 4))
            }
            #expect(error?.code == .versionConflict && proxy.cutsLeft == 0)
            let appended = try await appender.append(.test(stream))
            #expect(appended.last == [stream.ledger: 1])
        }
    }

    @Test func `an unknown outcome is reported, and the same append resolves it later`() async throws {
        try await withCutAppender(.after, count: 1, patience: .zero) { appender, proxy, _ in
            let append = Append.test(.test())
            let error = await #expect(throws: LedgerError.self) { try await appender.append(append) }
            #expect(error?.code == .outcomeUnknown)
            #expect(proxy.cutsLeft == 0)
            let appended = try await appender.append(append)
            #expect(appended.wasDuplicate && appended.last == [append.events[0].stream.ledger: 1])
        }
    }
}

/// The server crashes while two processes append.
@Suite(.enabled(if: ThrowawayCluster.isAvailable, "\(ThrowawayCluster.hint)"))
struct CrashTests {
    @Test func `after crashes of the server every append is recorded exactly once`() async throws {
        try await ThrowawayCluster.with { cluster in
            try await TestDatabase.with(on: cluster.url) { database in
                let workers = try (0..<2).map { _ in
                    try ChildProcess(
                        "LedgerWorkerProcess",
                        [
                            "load", database.url, database.name, "start=\(Timestamp.now().microseconds)", "tasks=8",
                            "appends=60", "ledgers=6", "persist=1",
                        ])
                }
                var crashes = 0
                for _ in 0..<3 {
                    try await Task.sleep(for: .milliseconds(500))
                    // A connection of our own is sacrificed; the server is not told which session broke it.
                    guard let victim = try? await database.connect(as: .superuser) else { continue }
                    cluster.crash(backend: victim.processID)
                    crashes += 1
                }
                #expect(crashes > 0)
                var acknowledged: [String] = []
                for worker in workers {
                    let (status, lines) = await worker.finish()
                    #expect(status == 0)
                    acknowledged += lines
                }
                #expect(Set(acknowledged).count == acknowledged.count)
                try await database.expectGapless(acknowledged: acknowledged)
                var connection = try await database.connect(as: .superuser)
                let count = try await connection.query("SELECT count(*) FROM tenure.event")
                // Nothing is there that nobody was told of: each worker persisted until it had its answer.
                #expect(try count.first?.decode(Int64.self) == Int64(acknowledged.count))
            }
        }
    }
}
