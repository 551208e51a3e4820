import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
package import Postgres

/// Gives rows their codes by what the log says: those from before there were codes, and those of a restored backup.
///
/// Both may be interrupted and repeated. A claim without a code is refused until then.
package struct RowRestoration: Sendable {
    /// What was done.
    package struct Report: Sendable, Equatable {
        /// The number of claims that the log confirmed.
        package var claims = 0
        /// The number of cutoffs that the log confirmed.
        package var cutoffs = 0
        /// The number of claims and cutoffs that the log does not confirm: deleted by ``rebuild()``, else left without a code.
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

    /// Whether a claim or a cutoff has no code.
    ///
    /// - Parameter reader: Connections of the reader role.
    package static func isNeeded(_ reader: PostgresPool) async throws -> Bool {
        let rows = try await reader.withConnection { connection in
            try await connection.query(
                """
                SELECT EXISTS (SELECT 1 FROM tenure.claim WHERE mac IS NULL)
                    OR EXISTS (SELECT 1 FROM tenure.session_cutoff WHERE mac IS NULL)
                """)
        }
        return try rows.first?.decode(Bool.self) ?? false
    }

    /// Gives codes to the claims and cutoffs without one that the log confirms.
    package func addCodes() async throws -> Report {
        var report = Report()
        try await log.each { found in
            var statements: [(ledger: LedgerID, sql: SQL)] = []
            for found in found {
                let claims = found.claims + found.candidates + found.alternatives
                statements += claims.map { ($0.key.ledger, coding($0)) }
                statements += found.cutoffs.map { (LedgerID($0.ledger), coding($0)) }
                if let erased = found.erased { statements += try await erasedIDs(of: erased) }
            }
            let changed = try await run(statements)
            report.claims += changed
        }
        try await addCodesToRekeyings()
        report.unproved = try await unproved()
        return report
    }

    /// Makes the claims and cutoffs those of the log, and deletes the rows of the service that was running at the time of the
    /// backup. The service must not run.
    package func rebuild() async throws -> Report {
        var report = Report()
        let ledgers = try await ledgersWithRows()
        for ledger in ledgers {
            report.deleted += try await forget(ledger)
        }
        try await log.each { found in
            var statements: [(ledger: LedgerID, sql: SQL)] = []
            for found in found {
                statements += found.claims.flatMap { claim in replacing(claim).map { (claim.key.ledger, $0) } }
                statements += (found.candidates + found.alternatives).map { ($0.key.ledger, coding($0)) }
                if let claim = try await replacement(of: found.alternatives) {
                    statements += replacing(claim).map { (claim.key.ledger, $0) }
                }
                statements += found.cutoffs.map { (LedgerID($0.ledger), $0.insertion(log.ring)) }
                if let erased = found.erased { statements += try await erasedIDs(of: erased) }
                report.claims += found.claims.count
                report.cutoffs += found.cutoffs.count
            }
            _ = try await run(statements)
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

    private func unproved() async throws -> Int {
        let rows = try await log.reader.withConnection { connection in
            try await connection.query(
                """
                SELECT (SELECT count(*) FROM tenure.claim WHERE mac IS NULL)
                    + (SELECT count(*) FROM tenure.session_cutoff WHERE mac IS NULL)
                """)
        }
        return Int(try rows.first?.decode(Int64.self) ?? 0)
    }

    /// Runs statements of several ledgers, and returns how many rows came back.
    private func run(_ statements: [(ledger: LedgerID, sql: SQL)]) async throws -> Int {
        var count = 0
        for start in stride(from: 0, to: statements.count, by: Self.batch) {
            let batch = statements[start..<min(start + Self.batch, statements.count)]
            let rows = try await pool.pipeline(batch.map(\.sql), in: Set(batch.map(\.ledger)))
            count += rows.reduce(0) { $0 + $1.count }
        }
        return count
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
        RETURNING 1
        """
    }

    /// Returns the claim to make of several of which one must be taken; `nil` if the owner has one.
    private func replacement(of claims: [Claim]) async throws -> Claim? {
        guard let first = claims.first else { return nil }
        for claim in claims {
            let owned = try await pool.query(
                """
                SELECT 1 FROM tenure.claim WHERE ledger_id = \(claim.key.ledger.uuid) AND kind = \(claim.key.kind)
                    AND key = \(claim.key.digest) AND owner = \(claim.owner)
                """, in: [claim.key.ledger])
            if !owned.isEmpty { return nil }
        }
        return first
    }

    /// Makes a claim what the log says, whatever it was.
    private func replacing(_ claim: Claim) -> [SQL] {
        [
            """
            DELETE FROM tenure.claim
            WHERE ledger_id = \(claim.key.ledger.uuid) AND kind = \(claim.key.kind) AND key = \(claim.key.digest)
            """, claim.insertion(log.ring),
        ]
    }

    /// Gives a cutoff its code, if it says what the log says.
    private func coding(_ cutoff: SessionCutoff.Row) -> SQL {
        // The version is what counts; the time only says which sessions were over before.
        """
        UPDATE tenure.session_cutoff SET created_at = \(cutoff.createdAt.postgres), mac = \(cutoff.rightCode(log.ring))
        WHERE ledger_id = \(cutoff.ledger) AND subject = \(cutoff.subject) AND tenant_version = \(cutoff.version)
            AND mac IS NULL
        RETURNING 1
        """
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
        _ = try await run(claims.map { ($0.key.ledger, coding($0)) })
    }
}
