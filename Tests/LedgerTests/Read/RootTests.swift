import Canonical
import Foundation
import Ledger
import Postgres
import TestSupport
import Testing

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct RootTests {
    /// A code that anybody could make: what it is worth is the ring's matter.
    private static let codes = TileCodes(code: { Array("\($0)".utf8) }) { code, tile in
        code == Array("\(tile)".utf8)
    }

    @Test func `the root over stored tiles equals the root over all leaves up to size 1100`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let stream = StreamID.test(), reader = LedgerReader(pool: pool).using(Self.codes)
                let empty = try await reader.root(stream.ledger)
                #expect(empty.size == 0 && empty.root == MerkleTree.emptyRoot)
                _ = try await appender.append(.test(stream, events: 1_100))
                let leaves = try await reader.stream(stream, limit: 1_100).map(\.leaf)
                var frontier = MerkleFrontier()
                for size in 0...1_100 {
                    let root = try await reader.root(stream.ledger, size: Int64(size))
                    #expect(root.root == frontier.root && root.size == Int64(size))
                    if size < 1_100 { frontier.append(leaves[size]) }
                }
                let now = try await reader.root(stream.ledger)
                #expect(now.size == 1_100 && now.root == frontier.root)
                let error = await #expect(throws: LedgerError.self) {
                    try await reader.root(stream.ledger, size: 1_101)
                }
                #expect(error?.code == .beyondHead)
                let tiles = try await pool.query("SELECT index FROM tenure.tile ORDER BY index", in: [stream.ledger])
                #expect(try tiles.map { try $0.decode(Int64.self) } == [0, 1, 2, 3])
            }
        }
    }

    /// Sizes before, at and after the end of a tile, near to each other and far apart.
    @Test func `the roots at two sizes match each root alone`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let stream = StreamID.test(), reader = LedgerReader(pool: pool).using(Self.codes)
                _ = try await appender.append(.test(stream, events: 1_100))
                let leaves = try await reader.stream(stream, limit: 1_100).map(\.leaf)
                let sizes: [Int64] = [0, 1, 2, 255, 256, 257, 300, 511, 512, 513, 768, 1_024, 1_100]
                for earlier in sizes {
                    for later in sizes where later >= earlier {
                        let roots = try await reader.roots(stream.ledger, at: earlier, and: later)
                        #expect(roots.earlier == MerkleTree.root(leaves: leaves.prefix(Int(earlier))))
                        #expect(roots.later == MerkleTree.root(leaves: leaves.prefix(Int(later))))
                    }
                }
                for (earlier, later) in [(1_099, 1_101), (1_100, 1_101), (300, 1_101)] as [(Int64, Int64)] {
                    await #expect(throws: LedgerError.self, "\(earlier) \(later)") {
                        try await reader.roots(stream.ledger, at: earlier, and: later)
                    }
                }
            }
        }
    }

    /// 66,000 leaves need a tile of the second level.
    @Test func `roots over several levels of tiles are right, stored or not`() async throws {
        try await TestDatabase.with { database in
            let ledger = LedgerID(UUID())
            var admin = try await database.connect(as: .superuser)
            _ = try await admin.query(
                """
                INSERT INTO tenure.event (ledger_id, position, event_id, stream_id, kind, version, type, time, entry, code)
                SELECT \(ledger.uuid), g, gen_random_uuid(), \(ledger.uuid), 'thing', g::int, 'T', now(),
                    convert_to('e' || g, 'UTF8'), repeat('x', 18)::bytea
                FROM generate_series(1, 66000) AS g
                """)
            _ = try await admin.query("INSERT INTO tenure.ledger (ledger_id, size) VALUES (\(ledger.uuid), 66000)")
            var frontier = MerkleFrontier()
            var roots: [Int64: [UInt8]] = [:]
            let sizes: [Int64] = [66_000, 65_536, 65_535, 65_537, 256, 1]
            for number in 1...66_000 {
                frontier.append(MerkleTree.leafHash(Array("e\(number)".utf8)))
                if sizes.contains(frontier.size) { roots[frontier.size] = frontier.root }
                // Arithmetic without a pause would let the timeouts of other tests pass.
                if number % 1_000 == 0 { await Task.yield() }
            }
            for role in [TestDatabase.Role.reader, .application, .application] {
                try await database.withPool(as: role) { pool in
                    let reader = LedgerReader(pool: pool, storesTiles: role == .application).using(Self.codes)
                    for size in sizes {
                        let root = try await reader.root(ledger, size: size)
                        #expect(root.root == roots[size], "\(size) as \(role)")
                    }
                }
            }
            let levels = try await admin.query("SELECT level, count(*) FROM tenure.tile GROUP BY level ORDER BY level")
            let counts = try levels.map { try $0.decode(Int16.self, Int64.self) }
            #expect(counts.map(\.0) == [0, 1] && counts.map(\.1) == [257, 1])
        }
    }

    @Test func `a tile without the code of its root is ignored and replaced`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let stream = StreamID.test(), ledger = stream.ledger
                _ = try await appender.append(.test(stream, events: 600))
                let reader = LedgerReader(pool: pool).using(Self.codes)
                let right = try await LedgerReader(pool: pool).root(ledger).root
                #expect(try await reader.root(ledger).root == right)
                for change in ["root = sha256('')", "mac = ''", "mac = sha256('')"] as [SQL] {
                    _ = try await pool.query("UPDATE tenure.tile SET \(change) WHERE index = 1", in: [ledger])
                    #expect(try await reader.root(ledger).root == right)
                    // The next read finds what was put in its place.
                    let rows = try await pool.query(
                        "SELECT root, mac FROM tenure.tile WHERE index = 1 AND level = 0", in: [ledger])
                    let (root, code) = try #require(rows.first).decode([UInt8].self, [UInt8].self)
                    let leaves = try await reader.stream(stream, limit: 600).map(\.leaf)
                    #expect(root == MerkleTree.root(leaves: leaves[256..<512]) && !code.isEmpty)
                }
            }
        }
    }
}
