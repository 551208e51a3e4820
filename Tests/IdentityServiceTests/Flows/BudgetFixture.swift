import Canonical
import Foundation
import Keys
import Ledger
import Postgres
import Testing

@testable import IdentityService

/// What the tests of budgets charge, and how.
enum BudgetFixture {
    static let start = Timestamp(microseconds: 1_795_000_000_000_000)

    /// Rules whose shares are as large as the budget, for tests that are not about shares.
    static var undivided: BudgetRules {
        var rules = BudgetRules()
        rules.unknownAppLimit = rules.unknownLimit
        rules.unknownTenantLimit = rules.unknownLimit
        rules.unknownAppLifetimeCap = rules.unknownLifetimeCap
        rules.unknownTenantLifetimeCap = rules.unknownLifetimeCap
        return rules
    }

    /// A flow at the step where it is charged.
    static func flow(
        app: UUID = UUID(), tenant: UUID = UUID(), user: UUID = UUID(), credential: UUID = UUID(),
        isDecoy: Bool = false
    ) -> FlowState {
        FlowState(
            id: UUID(), purpose: .login(FlowState.Account(isDecoy: isDecoy)), step: .answers, appId: app,
            tenantId: tenant, companyName: "c", companyEmployeeId: "e",
            employeePublicKey: [4] + [UInt8](repeating: 7, count: 64), employeeId: UUID(), userId: user,
            credentialId: credential, questionsAllowed: true, subjectSalt: [], expiresAt: start)
    }

    /// Charges as `ChargeAttempt` does: under the lock of the ledger's head, and nothing stays of a refusal.
    static func charged(
        _ budget: AttemptBudget, _ pool: PostgresPool, at time: Timestamp, _ rules: BudgetRules = undivided
    ) async throws -> AttemptBudget.Charged {
        do {
            let opening = [Appender.lockingHeads([budget.ledger]), budget.charging(rules, at: time)]
            return try await pool.withTransaction(in: [budget.ledger], opening: opening) { _, opened in
                let charged = try AttemptBudget.Charged(opened.last ?? [])
                if !charged.isCharged { throw Refused(charged: charged) }
                return charged
            }
        } catch let refused as Refused {
            return refused.charged
        }
    }

    static func charge(
        _ budget: AttemptBudget, _ pool: PostgresPool, at time: Timestamp, _ rules: BudgetRules = undivided
    ) async throws -> Bool {
        try await charged(budget, pool, at: time, rules).isCharged
    }

    static func expect(
        _ expected: Bool, _ budget: AttemptBudget, _ pool: PostgresPool, at time: Timestamp,
        _ rules: BudgetRules = undivided, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let charged = try await charge(budget, pool, at: time, rules)
        #expect(charged == expected, sourceLocation: sourceLocation)
    }

    private struct Refused: Error {
        let charged: AttemptBudget.Charged
    }
}
