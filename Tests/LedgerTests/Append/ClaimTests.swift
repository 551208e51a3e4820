import Canonical
import Foundation
import Ledger
import Postgres
import TestSupport
import Testing

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct ClaimTests {
    private let key = ClaimKey(ledger: .directory(9), kind: "email", digest: Array(repeating: 9, count: 32))

    private func append(
        take owner: UUID? = nil, until expiry: Timestamp? = nil, give former: UUID?? = nil, time: Timestamp = .now()
    ) -> Append {
        var append = Append.test(.test(), time: time)
        if let owner { append.claims = [Claim(key: key, owner: owner, value: [1, 2], expiresAt: expiry)] }
        if let former { append.releases = [ClaimRelease(key: key, owner: former)] }
        return append
    }

    @Test func `a claim is found after it is taken and absent after its release`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let reader = LedgerReader(pool: pool), owner = UUID()
                let until = Timestamp.now().adding(.seconds(60))
                _ = try await appender.append(append(take: owner, until: until))
                let found = try await reader.claim(key)
                #expect(found == Claim(key: key, owner: owner, value: [1, 2], expiresAt: until))
                var other = key
                other = ClaimKey(ledger: key.ledger, kind: "companyName", digest: key.digest)
                let claims = try await reader.claims([key, other])
                #expect(claims.count == 1)
                _ = try await appender.append(append(give: owner))
                let gone = try await reader.claim(key)
                #expect(gone == nil)
            }
        }
    }

    @Test func `an append that takes an owned claim is refused`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let owner = UUID()
                _ = try await appender.append(append(take: owner))
                for claimant in [UUID(), owner] {
                    let refused = append(take: claimant)
                    let error = await #expect(throws: LedgerError.self) { try await appender.append(refused) }
                    #expect(error?.code == .claimTaken && error?.claimKind == "email")
                    #expect(error?.claimLedger == key.ledger)
                    let head = try await LedgerReader(pool: pool).head(refused.events[0].stream.ledger)
                    #expect(head == nil)
                }
            }
        }
    }

    @Test func `only the named owner can release a claim`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let owner = UUID()
                for refused in [append(give: .some(nil)), append(give: owner)] {
                    let error = await #expect(throws: LedgerError.self) { try await appender.append(refused) }
                    #expect(error?.code == .claimMissing)
                }
                _ = try await appender.append(append(take: owner))
                let error = await #expect(throws: LedgerError.self) { try await appender.append(append(give: UUID())) }
                #expect(error?.code == .claimMissing && error?.claimKind == "email")
                let next = UUID()
                _ = try await appender.append(append(take: next, give: owner))
                let found = try await LedgerReader(pool: pool).claim(key)
                #expect(found?.owner == next)
                _ = try await appender.append(append(give: .some(nil)))
            }
        }
    }

    @Test func `an expired claim can be taken, judged by the time of the append`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let expiry = Timestamp.now().adding(.seconds(60)), next = UUID()
                _ = try await appender.append(append(take: UUID(), until: expiry))
                let before = append(take: next, time: expiry.adding(.microseconds(-1)))
                let error = await #expect(throws: LedgerError.self) { try await appender.append(before) }
                #expect(error?.code == .claimTaken)
                _ = try await appender.append(append(take: next, time: expiry))
                let found = try await LedgerReader(pool: pool).claim(key)
                #expect(found == Claim(key: key, owner: next, value: [1, 2]))
            }
        }
    }

    @Test func `several claims are taken together or not at all`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                _ = try await appender.append(append(take: UUID()))
                let free = ClaimKey(ledger: .directory(1), kind: "email", digest: key.digest)
                var both = append(take: UUID())
                both.claims.append(Claim(key: free, owner: UUID()))
                let error = await #expect(throws: LedgerError.self) { try await appender.append(both) }
                #expect(error?.claimLedger == key.ledger)
                let found = try await LedgerReader(pool: pool).claim(free)
                #expect(found == nil)
            }
        }
    }
}
