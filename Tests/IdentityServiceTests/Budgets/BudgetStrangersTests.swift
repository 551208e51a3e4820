import Canonical
import Foundation
import Keys
import Ledger
import Postgres
import TestSupport
import Testing

@testable import IdentityService

@Suite(.enabled(if: TestServer.isAvailable, Comment(rawValue: TestServer.hint)))
struct BudgetStrangersTests {
    /// Charges alone, over many apps and companies: what an attempt costs beside is shown elsewhere, with fewer.
    @Test func `ten thousand attempts of strangers leave a known device its whole budget`() async throws {
        try await TestDatabase.with { database in
            let ring = KeyRing.random()
            let user = UUID(), credential = UUID()
            let strangers = (0..<50).map { _ in
                AttemptBudget(
                    BudgetFixture.flow(user: user, credential: credential), isKnownDevice: false, ring: ring)
            }
            let owner = AttemptBudget(
                BudgetFixture.flow(user: user, credential: credential), isKnownDevice: true, ring: ring)
            try await database.withPool(maximumConnections: 8) { pool in
                let served = try await withThrowingTaskGroup(of: Int.self) { group in
                    for worker in 0..<8 {
                        group.addTask {
                            var served = 0
                            for attempt in 0..<1_250 {
                                let stranger = strangers[(worker + attempt) % strangers.count]
                                let time = BudgetFixture.start.adding(.seconds(attempt))
                                if try await BudgetFixture.charge(stranger, pool, at: time, BudgetRules()) {
                                    served += 1
                                }
                            }
                            return served
                        }
                    }
                    return try await group.reduce(0, +)
                }
                #expect(served == 20)
                for _ in 0..<5 {
                    try await BudgetFixture.expect(true, owner, pool, at: BudgetFixture.start, BudgetRules())
                }
            }
        }
    }
}
