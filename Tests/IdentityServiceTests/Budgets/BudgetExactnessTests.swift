import Canonical
import Foundation
import Keys
import Ledger
import Postgres
import TestSupport
import Testing

@testable import IdentityService

@Suite(.enabled(if: TestServer.isAvailable, Comment(rawValue: TestServer.hint)))
struct BudgetExactnessTests {
    @Test func `two hundred parallel charges over two pools use exactly the limit`() async throws {
        try await TestDatabase.with { database in
            let budget = AttemptBudget(Self.state, isKnownDevice: false, ring: .random())
            let charged = try await database.withPool(maximumConnections: 8) { first in
                try await database.withPool(maximumConnections: 8) { second in
                    try await withThrowingTaskGroup(of: Bool.self) { group in
                        for index in 0..<200 {
                            group.addTask {
                                try await Self.charge(budget, index.isMultiple(of: 2) ? first : second, at: Self.start)
                            }
                        }
                        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                    }
                }
            }
            #expect(charged == 20)
        }
    }

    @Test func `time gives attempts back slowly, and the lifetime cap ends them`() async throws {
        try await TestDatabase.with { database in
            let budget = AttemptBudget(Self.state, isKnownDevice: false, ring: .random())
            try await database.withPool { pool in
                var now = Self.start
                for _ in 0..<20 { try await Self.expect(true, budget, pool, at: now) }
                try await Self.expect(false, budget, pool, at: now.adding(.seconds(3_599)))
                for _ in 0..<80 {
                    now = now.adding(.seconds(3_600))
                    try await Self.expect(true, budget, pool, at: now)
                    try await Self.expect(false, budget, pool, at: now)
                }
                // A hundred were charged: no time helps any more.
                try await Self.expect(false, budget, pool, at: now.adding(.seconds(10_000_000)))
            }
        }
    }

    @Test func `a known device has growing delays and a budget of its own`() async throws {
        try await TestDatabase.with { database in
            let ring = KeyRing.random()
            let unknown = AttemptBudget(Self.state, isKnownDevice: false, ring: ring)
            let known = AttemptBudget(Self.state, isKnownDevice: true, ring: ring)
            try await database.withPool { pool in
                for _ in 0..<20 { try await Self.expect(true, unknown, pool, at: Self.start) }
                try await Self.expect(false, unknown, pool, at: Self.start)
                for _ in 0..<5 { try await Self.expect(true, known, pool, at: Self.start) }
                try await Self.expect(true, known, pool, at: Self.start)
                try await Self.expect(false, known, pool, at: Self.start)
                try await Self.expect(true, known, pool, at: Self.start.adding(.seconds(1)))
                try await Self.expect(false, known, pool, at: Self.start.adding(.seconds(2)))
                try await Self.expect(true, known, pool, at: Self.start.adding(.seconds(3)))
            }
        }
    }

    @Test func `a refund gives back what it names and ends a delay`() async throws {
        try await TestDatabase.with { database in
            let budget = AttemptBudget(Self.state, isKnownDevice: false, ring: .random())
            try await database.withPool { pool in
                for _ in 0..<20 { try await Self.expect(true, budget, pool, at: Self.start) }
                _ = try await pool.query(budget.refund(2), in: [budget.ledger])
                try await Self.expect(true, budget, pool, at: Self.start)
                try await Self.expect(true, budget, pool, at: Self.start)
                try await Self.expect(false, budget, pool, at: Self.start)
            }
        }
    }

    private static func charge(_ budget: AttemptBudget, _ pool: PostgresPool, at time: Timestamp) async throws -> Bool {
        try await pool.withTransaction(in: [budget.ledger]) { connection in
            try await Appender.lockHeads([budget.ledger], on: &connection)
            return try await budget.charge(BudgetRules(), at: time, on: &connection).isCharged
        }
    }

    private static func expect(
        _ expected: Bool, _ budget: AttemptBudget, _ pool: PostgresPool, at time: Timestamp,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let charged = try await charge(budget, pool, at: time)
        #expect(charged == expected, sourceLocation: sourceLocation)
    }

    private static let start = Timestamp(microseconds: 1_795_000_000_000_000)
    private static let state = FlowState(
        id: UUID(), purpose: .login, step: .answers, appId: UUID(), tenantId: UUID(), companyName: "c",
        companyEmployeeId: "e", email: nil, isCompanyOwnedEmail: false,
        employeePublicKey: [4] + [UInt8](repeating: 7, count: 64), employeeId: UUID(), userId: UUID(),
        credentialId: UUID(), namedCredentialId: UUID(), isDecoy: false, userExists: true,
        questionsAllowed: true, challenge: [], subjectSalt: [], proved: nil, charges: [],
        expiresAt: start)
}
