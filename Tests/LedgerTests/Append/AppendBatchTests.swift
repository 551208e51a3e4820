import Canonical
import Foundation
import Ledger
import Postgres
import TestSupport
import Testing

/// Several callers in one transaction.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct AppendBatchTests {
    /// Records a batch in a transaction of its own.
    private func record(_ batch: [Append], _ pool: PostgresPool) async throws -> [Result<AppendReceipt, LedgerError>] {
        let ledgers = batch.reduce(into: Set()) { $0.formUnion($1.ledgers) }
        return try await pool.withTransaction(in: ledgers) { connection in
            try await Appender.append(batch, on: &connection)
        }
    }

    private func codes(_ results: [Result<AppendReceipt, LedgerError>]) -> [LedgerError.Code?] {
        results.map { if case .failure(let error) = $0 { error.code } else { nil } }
    }

    @Test func `callers in a batch are decided in order, against the successful ones before them`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                let stream = StreamID.test(), other = StreamID.test(stream.ledger)
                let key = ClaimKey(ledger: .directory(3), kind: "email", digest: Array(repeating: 1, count: 32))
                var loser = Append.test(other, expecting: 5)
                loser.claims = [Claim(key: key, owner: UUID())]
                var taker = Append.test(other)
                taker.claims = [Claim(key: key, owner: UUID())]
                var second = Append.test(.test(stream.ledger))
                second.claims = [Claim(key: key, owner: UUID())]
                let results = try await record(
                    [
                        .test(stream), .test(stream), .test(stream, expecting: 1, events: 2), loser, taker, second,
                        .test(stream, expecting: 3),
                    ], pool)
                #expect(codes(results) == [nil, .versionConflict, nil, .versionConflict, nil, .claimTaken, nil])
                let error = #expect(throws: LedgerError.self) { try results[1].get() }
                #expect(error?.conflict?.actual == 1)
                let reader = LedgerReader(pool: pool)
                #expect(try await reader.head(stream.ledger)?.size == 5)
                #expect(try await reader.stream(stream).map(\.streamVersion) == [1, 2, 3, 4])
                #expect(try await reader.claim(key)?.owner == taker.claims[0].owner)
            }
        }
    }

    @Test func `a claim released in a batch can be taken in the same batch`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                let key = ClaimKey(ledger: .directory(3), kind: "email", digest: Array(repeating: 1, count: 32))
                let batch = (0..<3).flatMap { number -> [Append] in
                    let owner = UUID()
                    var take = Append.test(.test()), give = Append.test(.test())
                    take.claims = [Claim(key: key, owner: owner, value: [UInt8(number)])]
                    if number < 2 { give.releases = [ClaimRelease(key: key, owner: owner)] }
                    return [take, give]
                }
                let results = try await record(batch, pool)
                #expect(codes(results) == Array(repeating: nil, count: 6))
                let claim = try await LedgerReader(pool: pool).claim(key)
                #expect(claim?.value == [2])
            }
        }
    }

    @Test func `a repeated append in a batch is recorded once`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                let append = Append.test(.test(), events: 2)
                let results = try await record([append, append], pool).map { try $0.get() }
                #expect(results.map(\.wasDuplicate) == [false, true])
                #expect(results[0].positions == results[1].positions)
            }
        }
    }

    @Test func `the times in a batch never decrease`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                let ledger = LedgerID(UUID()), now = Timestamp.now()
                let times = [3, 1, 5, 2].map { now.adding(.seconds($0)) }
                let results = try await record(times.map { .test(.test(ledger), time: $0) }, pool)
                #expect(try results.map { try $0.get().time } == [times[0], times[0], times[2], times[2]])
                let page = try await LedgerReader(pool: pool).ledger(ledger)
                #expect(page.events.map(\.time) == page.events.map(\.time).sorted())
            }
        }
    }

    @Test func `one caller's refused append does not affect the others`() async throws {
        try await TestDatabase.with { database in
            var configuration = Appender.Configuration()
            configuration.maximumBatch = 100
            try await database.withAppender(configuration: configuration) { appender, pool in
                var oversize = Append.test(.test()), malformed = Append.test(.test()), poison = Append.test(.test())
                oversize.events[0].data = ["a": .string(String(repeating: "x", count: 65_536))]
                malformed.events[0].type = "no type"
                poison.effects = { _ in ["INSERT INTO tenure.purpose_key VALUES ('', 0, '')"] }
                var effective = Append.test(.test())
                effective.effects = { appended in
                    [
                        "INSERT INTO tenure.purpose_key SELECT 'p' || \(Int64(appended.positions.count)), 1, \(Array(repeating: UInt8(1), count: 16))"
                    ]
                }
                let good = (0..<20).map { _ in Append.test(.test()) }
                let all = good.prefix(10) + [oversize, malformed, poison, effective] + good.dropFirst(10)
                let results = await withTaskGroup(of: (Int, LedgerError.Code?).self) { group in
                    for (index, append) in all.enumerated() {
                        group.addTask {
                            do {
                                _ = try await appender.append(append)
                                return (index, nil)
                            } catch let error as LedgerError { return (index, error.code) } catch {
                                return (index, .busy)
                            }
                        }
                    }
                    return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
                }
                #expect(results == [10: .entryTooLarge, 11: .invalidEvent, 12: .effectRefused])
                let reader = LedgerReader(pool: pool)
                for append in good + [effective] {
                    #expect(try await reader.head(append.events[0].stream.ledger)?.size == 1)
                }
                #expect(try await reader.head(poison.events[0].stream.ledger) == nil)
                let keys = try await pool.query("SELECT purpose FROM tenure.purpose_key", in: [])
                #expect(try keys.map { try $0.decode(String.self) } == ["p1"])
            }
        }
    }

    @Test func `a thousand events of one append keep their order`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let append = Append.test(.test(), events: 1_000)
                let appended = try await appender.append(append)
                #expect(append.events.map { appended.positions[$0.id] } == (1...1_000).map { Int64($0) })
                let stream = try await LedgerReader(pool: pool).stream(append.events[0].stream)
                #expect(stream.map(\.id) == append.events.map(\.id))
            }
        }
    }
}
