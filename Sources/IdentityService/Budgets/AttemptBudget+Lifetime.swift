import Ledger
import Postgres

extension AttemptBudget {
    /// Whether the budget, or a share of it, has given all that it gives in a credential's lifetime: only new credentials,
    /// which have budgets of their own, end that.
    func hasReachedLifetimeCap(_ rules: BudgetRules, in pool: PostgresPool) async throws -> Bool {
        let keys = parts.map(\.key)
        let caps = parts.map { Int32($0.lifetimeCap(device, rules)) }
        let rows = try await pool.query(
            """
            SELECT EXISTS (
                SELECT FROM unnest(\(keys), \(caps)) AS part (key, cap)
                JOIN tenure.budget AS b ON b.ledger_id = \(ledger.uuid) AND b.key = part.key
                WHERE part.cap > 0 AND b.lifetime >= part.cap)
            """, in: [ledger])
        return try rows.first?.decode(Bool.self) ?? false
    }
}
