import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
package import Postgres

/// Makes the rows of a restored backup what the log says. It may be interrupted and repeated.
package struct RowRestoration: Sendable {
    /// What was done.
    package struct Report: Sendable, Equatable {
        /// The number of claims that the log confirmed.
        package var claims = 0
        /// The number of cutoffs that the log confirmed.
        package var cutoffs = 0
        /// The number of claims and cutoffs that the log does not confirm, which were deleted.
        package var unproved = 0
        /// The number of sessions, flows, authentications and stored replies that were deleted.
        package var deleted = 0
    }

    /// The rows of a service that was running when a backup was made. After a restore they say what is no longer true.
    private static let passing = [
        "session", "flow", "mpin_pass", "idempotency", "refresh_reply", "browser_session", "browser_wait",
        "authorization_request", "authorization_code", "client_grant",
    ]
    /// The number of statements that one transaction sends.
    private static let batch = 256

    private let pool: PostgresPool
    private let log: RowsOfLog

    /// - Parameters:
    ///   - pool: Connections of the application role.
    ///   - log: What the log yields.
    package init(pool: PostgresPool, log: RowsOfLog) {
        self.pool = pool
        self.log = log
    }

    /// Makes the claims and cutoffs those of the log, and deletes the rows of the service that was running at the time of the
    /// backup. The service must not run.
    package func rebuild() async throws -> Report {
        var report = Report()
        // A damaged stream ends the command before anything is changed.
        try await log.each { _ in }
        let ledgers = try await ledgersWithRows()
        for ledger in ledgers {
            report.deleted += try await forget(ledger)
        }
        try await log.each { found in
            var statements: [(ledger: LedgerID, sql: SQL)] = []
            for found in found {
                statements += found.claims.flatMap { claim in replacing(claim).map { (claim.key.ledger, $0) } }
                statements += found.candidates.map { ($0.key.ledger, coding($0)) }
                statements += found.cutoffs.map { (LedgerID($0.ledger), $0.replacement(log.ring)) }
                if let erased = found.erased { statements += try await erasedIDs(of: erased) }
                report.claims += found.claims.count
                report.cutoffs += found.cutoffs.count
            }
            try await run(statements)
        }
        try await addCodesToRekeyings()
        for ledger in ledgers {
            let rows = try await pool.query(
                """
                WITH gone AS (DELETE FROM tenure.claim WHERE ledger_id = \(ledger.uuid) AND mac IS NULL RETURNING 1)
                SELECT count(*) FROM gone
                """, in: [ledger])
            report.unproved += Int(try rows.first?.decode(Int64.self) ?? 0)
        }
        return report
    }

    /// Takes the codes of a ledger's claims away, and deletes what passes.
    private func forget(_ ledger: LedgerID) async throws -> Int {
        let id = ledger.uuid
        let deletions = Self.passing.map { table -> SQL in
            """
            WITH gone AS (DELETE FROM tenure.\(identifier: table) WHERE ledger_id = \(id) RETURNING 1)
            SELECT count(*) FROM gone
            """
        }
        let others: [SQL] = [
            "UPDATE tenure.claim SET mac = NULL WHERE ledger_id = \(id)",
            "DELETE FROM tenure.session_cutoff WHERE ledger_id = \(id)",
        ]
        let counts = try await pool.pipeline(deletions + others, in: [ledger])
        return try counts.prefix(deletions.count).reduce(0) { sum, rows in
            sum + Int(try rows.first?.decode(Int64.self) ?? 0)
        }
    }

    /// Every ledger with a row in one of the tables, also those of apps that have only requests for unknown names.
    private func ledgersWithRows() async throws -> [LedgerID] {
        let tables = ["ledger", "claim", "session_cutoff"] + Self.passing
        let parts = tables.map { "SELECT ledger_id FROM tenure.\(identifier: $0)" as SQL }
        let all = parts.dropFirst().reduce(parts[0]) { "\($0) UNION \($1)" }
        let rows = try await log.reader.withConnection { connection in
            try await connection.query("SELECT l.ledger_id FROM (\(all)) AS l ORDER BY 1")
        }
        return try rows.map { LedgerID(try $0.decode(UUID.self)) }
    }

    private func run(_ statements: [(ledger: LedgerID, sql: SQL)]) async throws {
        for start in stride(from: 0, to: statements.count, by: Self.batch) {
            let batch = statements[start..<min(start + Self.batch, statements.count)]
            _ = try await pool.pipeline(batch.map(\.sql), in: Set(batch.map(\.ledger)))
        }
    }
}

/// The statements.
extension RowRestoration {
    /// Gives a claim its code, if it says what the log says.
    private func coding(_ claim: Claim) -> SQL {
        """
        UPDATE tenure.claim SET mac = \(claim.rightCode(log.ring))
        WHERE ledger_id = \(claim.key.ledger.uuid) AND kind = \(claim.key.kind) AND key = \(claim.key.digest)
            AND owner = \(claim.owner) AND value IS NOT DISTINCT FROM \(claim.value)
            AND expires_at IS NOT DISTINCT FROM \(claim.expiresAt?.postgres) AND mac IS NULL
        """
    }

    /// Makes a claim what the log says, whatever it was.
    private func replacing(_ claim: Claim) -> [SQL] {
        [
            """
            DELETE FROM tenure.claim
            WHERE ledger_id = \(claim.key.ledger.uuid) AND kind = \(claim.key.kind) AND key = \(claim.key.digest)
            """, claim.taking(log.ring),
        ]
    }

    /// Gives the claim on the employee id of an erased person its code. Nobody can compute its key again, and the id must not
    /// be given to somebody else.
    private func erasedIDs(of employee: StreamID) async throws -> [(ledger: LedgerID, sql: SQL)] {
        let rows = try await log.reader.withConnection { connection in
            try await connection.query(
                """
                SELECT \(ClaimsQuery.columns) FROM tenure.claim
                WHERE ledger_id = \(employee.ledger.uuid) AND kind = 'employee' AND owner = \(employee.id) AND value IS NULL AND expires_at IS NULL
                    AND mac IS NULL
                """)
        }
        return try rows.map { try ClaimsQuery.claim($0) }.map { ($0.key.ledger, coding($0)) }
    }

    /// Gives the claims of re-keyings that are left their codes: their keys follow from their owners.
    private func addCodesToRekeyings() async throws {
        let rows = try await log.reader.withConnection { connection in
            try await connection.query(
                "SELECT \(ClaimsQuery.columns) FROM tenure.claim WHERE kind = 'rekeying' AND mac IS NULL")
        }
        let claims = try rows.map { try ClaimsQuery.claim($0) }.filter { claim in
            claim.key.digest == log.ring.lookupDigest(kind: claim.key.kind, claim.owner.bytes)
        }
        try await run(claims.map { ($0.key.ledger, coding($0)) })
    }
}
