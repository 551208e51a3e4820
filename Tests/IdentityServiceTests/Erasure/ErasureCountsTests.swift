import Foundation
import IdentityService
import Postgres
import TestSupport
import Testing

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct ErasureCountsTests {
    @Test func `an erasure waits for its version and for all before it`() async throws {
        try await TestDatabase.with { database in
            var superuser = try await database.connect(as: .superuser)
            for (version, isDone) in [(1, true), (2, true), (2, true), (3, false)] {
                let done = isDone ? "now()" : "NULL"
                try await superuser.executeScript(
                    """
                    INSERT INTO tenure.erasure (ledger_id, person_id, kind, recorded_at, master_version, destroyed_at)
                    VALUES (gen_random_uuid(), gen_random_uuid(), 'user', now(), \(version), \(done))
                    """)
            }
            let counts = try await database.withPool(as: .reader) { try await ErasureCounts.count(on: $0) }
            #expect(counts.open == 1)
            #expect([1, 2, 3, 4].map(counts.waiting(forTheEndOf:)) == [4, 3, 1, 0])
            #expect(counts.complete(holding: [1, 3]) == 0)
            #expect(counts.complete(holding: [2, 3]) == 1)
            #expect(counts.complete(holding: [4]) == 3, "one has keys left")
        }
    }
}
