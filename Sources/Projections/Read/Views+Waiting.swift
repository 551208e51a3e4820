public import Identity
import Ledger
import Postgres

extension Views {
    /// The position of the company's ledger that all views have reached; 0 before they have read anything.
    public func position(of tenant: TenantID) async throws -> Int64 {
        // A view without a row has read nothing, so one that is missing counts as 0.
        let sql: SQL = """
            SELECT coalesce(min(coalesce(p.position, 0)), 0)
            FROM tenure.projection_generation AS g LEFT JOIN tenure.projection_progress AS p
                ON p.ledger_id = \(tenant.uuid) AND p.projection = g.projection AND p.generation = g.live
            """
        return try await rows(sql, tenant) { columns in try columns.next(Int64.self) }.first ?? 0
    }

    /// Waits until all views have reached a position, so that a reader sees what it has just written.
    ///
    /// - Returns: False when they have not within `patience`: they are behind, or one of them has stopped.
    public func wait(
        for position: Int64, of tenant: TenantID, patience: Duration = .seconds(2)
    ) async throws -> Bool {
        let deadline = ContinuousClock.now + patience
        var pause: Duration = .milliseconds(2), nextNudge = ContinuousClock.now
        while true {
            if try await self.position(of: tenant) >= position { return true }
            let left = deadline - .now
            guard left > .zero else { return false }
            // Not every event makes the projector look. Seldom again, because a view that has stopped is waited for in vain.
            if nextNudge <= .now {
                nudge()
                nextNudge = .now + PollPace.longest
            }
            try await Task.sleep(for: min(pause, left))
            pause = min(pause * 2, .milliseconds(50))
        }
    }
}
