import Canonical
import Foundation
import Keys
import Postgres
import TestSupport
import Testing

@testable import IdentityService

@Suite(.enabled(if: TestServer.isAvailable, Comment(rawValue: TestServer.hint)))
struct BudgetWaitTests {
    /// Rules under which a lifetime does not end.
    private var endless: BudgetRules {
        var rules = BudgetRules()
        rules.unknownLifetimeCap = 0
        rules.unknownAppLifetimeCap = 0
        rules.unknownTenantLifetimeCap = 0
        return rules
    }

    @Test(arguments: [true, false])
    func `an attempt is available exactly at the end of the announced wait`(isKnown: Bool) async throws {
        try await TestDatabase.with { database in
            let budget = AttemptBudget(BudgetFixture.flow(), isKnownDevice: isKnown, ring: .random())
            try await database.withPool { pool in
                var now = BudgetFixture.start, refusals = 0
                for step in 0..<60 {
                    let charged = try await BudgetFixture.charged(budget, pool, at: now, endless)
                    if charged.isCharged {
                        now = now.adding(.seconds(step % 7))
                        continue
                    }
                    refusals += 1
                    let wait = Int(charged.retryAfterSeconds)
                    if wait > 1 {
                        let early = now.adding(.seconds(wait - 1))
                        try await BudgetFixture.expect(false, budget, pool, at: early, endless)
                    }
                    now = now.adding(.seconds(wait))
                    try await BudgetFixture.expect(true, budget, pool, at: now, endless)
                }
                #expect(refusals > 10)
            }
        }
    }

    @Test func `the longest of several waits is announced`() async throws {
        try await TestDatabase.with { database in
            var rules = BudgetRules()
            rules.knownLimit = 6
            let budget = AttemptBudget(BudgetFixture.flow(), isKnownDevice: true, ring: .random())
            try await database.withPool { pool in
                for _ in 0..<6 { try await BudgetFixture.expect(true, budget, pool, at: BudgetFixture.start, rules) }
                // A second of delay, and ten minutes until there is an attempt again.
                let refused = try await BudgetFixture.charged(budget, pool, at: BudgetFixture.start, rules)
                #expect(refused.retryAfterSeconds == 600)
            }
        }
    }

    @Test func `an exhausted lifetime looks like a budget that others keep empty`() async throws {
        try await TestDatabase.with { database in
            var rules = BudgetFixture.undivided
            rules.unknownLifetimeCap = 30
            var endless = rules
            endless.unknownLifetimeCap = 0
            let capped = AttemptBudget(BudgetFixture.flow(), isKnownDevice: false, ring: .random())
            let locked = AttemptBudget(BudgetFixture.flow(), isKnownDevice: false, ring: .random())
            try await database.withPool { pool in
                var now = BudgetFixture.start
                for step in 0..<30 {
                    if step >= 20 { now = now.adding(.seconds(3_600)) }
                    try await BudgetFixture.expect(true, capped, pool, at: now, rules)
                    try await BudgetFixture.expect(true, locked, pool, at: now, endless)
                }
                for seconds in stride(from: 0, to: 10_800, by: 599) {
                    let time = now.adding(.seconds(seconds))
                    // Others take what the refills give.
                    while try await BudgetFixture.charge(locked, pool, at: time, endless) {}
                    let first = try await BudgetFixture.charged(capped, pool, at: time, rules)
                    let second = try await BudgetFixture.charged(locked, pool, at: time, endless)
                    #expect(!first.isCharged && first.retryAfterSeconds == second.retryAfterSeconds)
                }
            }
        }
    }

    @Test func `a decoy credential answers and waits like a real one`() async throws {
        try await TestDatabase.with { database in
            let budgets = [false, true].map { isDecoy in
                AttemptBudget(BudgetFixture.flow(isDecoy: isDecoy), isKnownDevice: false, ring: .random())
            }
            try await database.withPool { pool in
                var now = BudgetFixture.start
                for step in 0..<150 {
                    var seen: [[Int32]] = []
                    for budget in budgets {
                        let charged = try await BudgetFixture.charged(budget, pool, at: now, BudgetRules())
                        seen.append([
                            charged.isCharged ? 1 : 0, charged.counts.first ?? 0, charged.isExhausted ? 1 : 0,
                            charged.retryAfterSeconds,
                        ])
                    }
                    #expect(seen[0] == seen[1])
                    now = now.adding(.seconds(step * 53))
                }
            }
        }
    }

    @Test func `the last attempt announces the next one, and the last of a lifetime none`() async throws {
        try await TestDatabase.with { database in
            var rules = BudgetRules()
            rules.unknownAppLifetimeCap = 12
            let budget = AttemptBudget(BudgetFixture.flow(), isKnownDevice: false, ring: .random())
            try await database.withPool { pool in
                var charged: [AttemptBudget.Charged] = []
                for attempt in 0..<12 {
                    // The tenth empties the share of the app; the others came back by the time.
                    let time = BudgetFixture.start.adding(.seconds(attempt < 10 ? attempt : attempt * 3_600))
                    charged.append(try await BudgetFixture.charged(budget, pool, at: time, rules))
                }
                #expect(charged.allSatisfy { $0.isCharged })
                #expect(charged.prefix(9).allSatisfy { !$0.isExhausted && $0.retryAfterSeconds == 0 })
                #expect(charged[9].isExhausted && charged[9].retryAfterSeconds == 3_600 - 9)
                #expect(!charged[10].isExhausted)
                #expect(charged[11].isExhausted && charged[11].retryAfterSeconds == 0)
            }
        }
    }
}
