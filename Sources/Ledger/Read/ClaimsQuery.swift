import Canonical
import FoundationEssentials
public import Postgres

/// The query for claims, which may be sent alone or as part of a pipeline.
///
/// ```swift
/// let query = ClaimsQuery([key])
/// let claims = try query.read(try await pool.query(query.sql, in: query.ledgers))
/// ```
public struct ClaimsQuery: Sendable {
    /// The statement; pass its rows to ``read(_:)``.
    public let sql: SQL
    /// The ledgers that the statement reads. The transaction needs their ``LedgerScope``.
    public let ledgers: Set<LedgerID>

    /// The columns of `tenure.claim` that ``read(_:)`` reads.
    public static let columns: SQL = "ledger_id, kind, key, owner, value, expires_at, mac"

    /// A query for those of the claims that have an owner.
    public init(_ keys: [ClaimKey]) {
        ledgers = Set(keys.map(\.ledger))
        let columns: SQL = "SELECT \(Self.columns) FROM tenure.claim"
        // One part for each claim: a part names one ledger, so a distributed database sends it to one node.
        let parts: [SQL] = keys.map { key in
            """
            \(columns) WHERE ledger_id = \(key.ledger.uuid) AND kind = \(key.kind) AND key = \(key.digest)
            """
        }
        sql = parts.dropFirst().reduce(parts.first ?? "\(columns) WHERE false") { "\($0) UNION ALL \($1)" }
    }

    /// Reads the claims that have an owner, in no order.
    ///
    /// - Throws: `PostgresError` if a row is not of this query.
    public func read(_ rows: [PostgresRow]) throws -> [Claim] { try rows.map(Self.claim) }

    /// Reads a row of ``columns``.
    ///
    /// - Throws: `PostgresError` if the row has others.
    public static func claim(_ row: PostgresRow) throws -> Claim {
        let (ledger, kind, digest, owner, value, expiry, code) = try row.decode(
            UUID.self, String.self, [UInt8].self, UUID.self, [UInt8]?.self, PostgresTimestamp?.self, [UInt8]?.self)
        var claim = Claim(
            key: ClaimKey(ledger: LedgerID(ledger), kind: kind, digest: digest), owner: owner, value: value,
            expiresAt: expiry.map { Timestamp($0) })
        claim.code = code
        return claim
    }
}
