import Canonical
public import Postgres

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The statement that reads claims; it can be sent together with other statements.
public struct ClaimsQuery: Sendable {
    /// The statement; ``read(_:)`` takes its rows.
    public let sql: SQL
    /// The ledgers whose claims it sees.
    public let ledgers: Set<LedgerID>

    /// Asks for those of the claims that somebody owns.
    public init(_ keys: [ClaimKey]) {
        ledgers = Set(keys.map(\.ledger))
        sql = """
            SELECT c.ledger_id, c.kind, c.key, c.owner, c.value, c.expires_at
            FROM unnest(\(keys.map(\.ledger.uuid)), \(keys.map(\.kind)), \(keys.map(\.digest)))
                AS k(ledger_id, kind, key)
            JOIN tenure.claim AS c USING (ledger_id, kind, key)
            """
    }

    /// The claims that somebody owns, in no order.
    public func read(_ rows: [PostgresRow]) throws -> [Claim] { try rows.map(Self.claim) }

    static func claim(_ row: PostgresRow) throws -> Claim {
        let (ledger, kind, digest, owner, value, expiry) = try row.decode(
            UUID.self, String.self, [UInt8].self, UUID.self, [UInt8]?.self, PostgresTimestamp?.self)
        return Claim(
            key: ClaimKey(ledger: LedgerID(ledger), kind: kind, digest: digest), owner: owner, value: value,
            expiresAt: expiry.map { Timestamp($0) })
    }
}
