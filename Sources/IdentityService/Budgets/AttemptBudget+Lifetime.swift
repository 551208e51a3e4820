import Ledger
import Postgres

extension AttemptBudget {
    /// The statement that asks whether the budget, or a share of it, has given all that it gives in a credential's
    /// lifetime: only new credentials, which have budgets of their own, end that.
    func readingLifetime(_ rules: BudgetRules) -> SQL {
        let keys = parts.map(\.key)
        let caps = parts.map { Int32($0.lifetimeCap(device, rules)) }
        return """
            SELECT EXISTS (
                SELECT FROM unnest(\(keys), \(caps)) AS part (key, cap)
                JOIN tenure.budget AS b ON b.ledger_id = \(ledger.uuid) AND b.key = part.key
                WHERE part.cap > 0 AND b.lifetime >= part.cap)
            """
    }

    /// Reads what ``readingLifetime(_:)`` answered.
    static func hasReachedLifetimeCap(_ rows: [PostgresRow]) throws -> Bool {
        try rows.first?.decode(Bool.self) ?? false
    }
}
