public import Canonical
public import Postgres

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads ledgers; never waits for a writer and never makes one wait.
///
/// Works with a pool of the application role, whose statements see only the ledgers asked for, and with one of the
/// reader role. Every read is one round trip unless it says otherwise.
public struct LedgerReader: Sendable {
    let pool: PostgresPool
    /// Whether full tiles are stored when they are first needed. The reader role has no privilege to; nor does it need a
    /// scope, because it sees all ledgers.
    let storesTiles: Bool

    /// A reader over a pool of the application role, or of the reader role with `storesTiles` false.
    public init(pool: PostgresPool, storesTiles: Bool = true) {
        self.pool = pool
        self.storesTiles = storesTiles
    }

    /// The number of events of a ledger and the time of its last one; nil when there are none.
    public func head(_ ledger: LedgerID) async throws(LedgerError) -> (size: Int64, time: Timestamp)? {
        let sql: SQL = """
            SELECT size, "time" FROM tenure.ledger WHERE ledger_id = \(ledger.uuid) AND size > 0
            """
        let heads = try await rows(sql, [ledger]) { row -> (size: Int64, time: Timestamp) in
            let (size, time) = try row.decode(Int64.self, PostgresTimestamp.self)
            return (size, Timestamp(time))
        }
        return heads.first
    }

    /// One claim, or nil when nobody owns it. An expired claim is found as long as nobody else took it.
    public func claim(_ key: ClaimKey) async throws(LedgerError) -> Claim? { try await claims([key])[key] }

    /// Those of the claims that somebody owns.
    public func claims(_ keys: [ClaimKey]) async throws(LedgerError) -> [ClaimKey: Claim] {
        let query = ClaimsQuery(keys)
        let claims = try await rows(query.sql, query.ledgers, ClaimsQuery.claim)
        return Dictionary(claims.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Runs a statement that may see `ledgers` and reads its rows.
    func rows<Value>(
        _ sql: SQL, _ ledgers: some Sequence<LedgerID> & Sendable,
        _ read: (PostgresRow) throws -> Value
    ) async throws(LedgerError) -> [Value] {
        do {
            guard storesTiles else {
                return try await pool.withConnection { connection in try await connection.query(sql) }.map(read)
            }
            return try await pool.query(sql, in: ledgers).map(read)
        } catch {
            throw LedgerError(wrapping: error)
        }
    }
}
