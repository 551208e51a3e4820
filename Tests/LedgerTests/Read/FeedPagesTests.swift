import Foundation
import Ledger
import Postgres
import TestSupport
import Testing

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct FeedPagesTests {
    @Test func `pages of several ledgers are those of each`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let streams = (0..<5).map { _ in StreamID.test() }
                for (number, stream) in streams.dropLast().enumerated() {
                    _ = try await appender.append(.test(stream, events: 3 + number))
                }
                try await database.withPool(as: .reader) { readers in
                    for reader in [LedgerReader(pool: readers, storesTiles: false), LedgerReader(pool: pool)] {
                        // The second ledger has been read to its end, and the last one has no events.
                        let cursors: [LedgerID: Int64] = [
                            streams[0].ledger: 1, streams[1].ledger: 4, streams[2].ledger: 0, streams[3].ledger: 2,
                            streams[4].ledger: 0,
                        ]
                        let pages = try await reader.pages(after: cursors, limit: 15)
                        #expect(Set(pages.keys) == [streams[0].ledger, streams[2].ledger, streams[3].ledger])
                        for (ledger, page) in pages {
                            let alone = try await reader.ledger(ledger, after: cursors[ledger] ?? 0, limit: 3)
                            #expect(page.events == alone.events && page.cursor == alone.cursor)
                            #expect(page.size == alone.size)
                        }
                        #expect(pages[streams[0].ledger]?.hasMore == false && pages[streams[2].ledger]?.hasMore == true)
                        let raw = try await reader.entries(after: cursors, limit: 15)
                        #expect(raw.mapValues { $0.entries } == pages.mapValues { $0.events.map(\.entry) })
                        let none = try await reader.pages(after: [:])
                        #expect(none.isEmpty)
                    }
                }
            }
        }
    }
}
