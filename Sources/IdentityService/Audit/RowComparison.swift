import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Ledger
import Postgres

/// Compares rows beside the log with what the log says, where it takes no key: sessions that have ended, and attempt
/// budgets.
///
/// It reads over a pool of the reader role.
struct RowComparison: Sendable {
    let pool: PostgresPool
    /// Reads the log without what is disowned. What cannot be read is a finding of another check.
    let reader: LedgerReader
    /// The refills of budgets. They are no setting, so every log has these.
    var rules = BudgetRules()

    init(pool: PostgresPool, disowned: DisownedEntries) {
        self.pool = pool
        reader = LedgerReader(pool: pool, codes: .unchecked(disowned: disowned), storesTiles: false)
    }

    /// Returns what does not agree with the log.
    func violations() async throws -> [Violation] {
        try await endedSessions() + unlinkedSessions() + revokedSessions() + budgets()
    }

    /// Rows of sessions whose end is in the log: somebody put them back.
    private func endedSessions() async throws -> [Violation] {
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT e.ledger_id, e.position FROM tenure.session AS s JOIN tenure.event AS e
                    ON e.ledger_id = s.ledger_id AND e.stream_id = s.session_id AND e.kind = 'session'
                WHERE e.type = 'SessionClosed' ORDER BY e.ledger_id, e.position
                """)
        }
        return try rows.map { row in
            let (ledger, position) = try row.decode(UUID.self, Int64.self)
            return Violation(
                .row, ledger: LedgerID(ledger), position: position, "a session that ended here has a row again")
        }
    }

    /// Sessions of apps whose link ended, without the cutoff that ends them.
    private func unlinkedSessions() async throws -> [Violation] {
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT DISTINCT s.app_id, e.ledger_id, e.position
                FROM tenure.session AS s JOIN tenure.event AS e
                    ON e.ledger_id = s.ledger_id AND e.stream_id = s.ledger_id AND e.kind = 'tenant'
                    AND e.version > s.tenant_version
                WHERE e.type = 'AppUnlinked' AND NOT EXISTS (SELECT 1 FROM tenure.session_cutoff AS c
                    WHERE c.ledger_id = s.ledger_id AND c.subject = s.app_id AND c.tenant_version > s.tenant_version)
                """)
        }
        var violations: [Violation] = []
        for row in rows {
            let (app, ledger, position) = try row.decode(UUID?.self, UUID.self, Int64.self)
            let event = try await readable { () async throws(LedgerError) in
                try await reader.event(LedgerID(ledger), at: position)
            }
            guard let event, let unlinked = try? EventCodec.payload(of: event) as? AppUnlinked,
                unlinked.appID.uuid == app
            else { continue }
            violations.append(
                Violation(
                    .row, ledger: LedgerID(ledger), position: position,
                    "the cutoff is missing that ends the sessions of an unlinked app"))
        }
        return violations
    }

    /// Sessions of secrets that were revoked, without the cutoff that ends them.
    private func revokedSessions() async throws -> [Violation] {
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT DISTINCT s.app_id, s.secret_id FROM tenure.session AS s
                WHERE s.app_id IS NOT NULL AND s.secret_id IS NOT NULL
                """)
        }
        let opened = try rows.map { row in
            let (app, secret) = try row.decode(UUID.self, UUID.self)
            return (app: AppID(app), secret: SecretID(secret))
        }
        guard !opened.isEmpty else { return [] }
        let cut = Set(
            try await pool.withConnection { connection in
                try await connection.query(
                    """
                    SELECT subject FROM tenure.session_cutoff
                    WHERE ledger_id = \(LedgerID.system.uuid) AND subject = ANY (\(opened.map(\.secret.uuid)))
                    """)
            }.map { try $0.decode(UUID.self) })
        var violations: [Violation] = []
        for (app, secret) in opened where !cut.contains(secret.uuid) {
            let events = try await readable { () async throws(LedgerError) in
                try await reader.streams([.app(app)])[.app(app)]
            }
            for event in events ?? [] where event.type == AppSecretRevoked.type {
                guard let revoked = try? EventCodec.payload(of: event) as? AppSecretRevoked, revoked.secretID == secret
                else { continue }
                violations.append(
                    Violation(
                        .row, ledger: .system, position: event.position,
                        "the cutoff is missing that ends the sessions of a revoked secret"))
            }
        }
        return violations
    }

    /// Reads something of the log; `nil` if it is damaged.
    private func readable<Value>(_ read: () async throws(LedgerError) -> Value?) async throws(LedgerError) -> Value? {
        do { return try await read() } catch {
            guard error.isDamage else { throw error }
            return nil
        }
    }

    /// Charges that say that less was spent than charges before them left.
    private func budgets() async throws -> [Violation] {
        let others = EventCatalogue.all.map { $0.type }.filter {
            $0 != AttemptCharged.type && $0 != AttemptsCleared.type
        }
        var violations: [Violation] = []
        for ledger in LedgerID.directories {
            var trail = BudgetTrail(ledger: ledger, rules: rules)
            var page: EntryPage
            var after: Int64 = 0
            repeat {
                page = try await reader.entries(of: ledger, after: after, limit: 1_000, without: others)
                for entry in page.entries { if let event = try? entry.event() { try? trail.add(event) } }
                after = page.cursor
            } while page.cursor < page.size
            violations += trail.violations
        }
        return violations
    }
}
