import Canonical
import FoundationEssentials
import Keys
import Ledger
import Postgres

/// The reply to the newest refresh of a session, kept for ten seconds by the database's clock.
///
/// Apps with several tabs or threads refresh at once. Whoever presents the same token again within that time, with the
/// secret of the session's app, gets the same reply, as long as the new refresh token was not used. The reply is sealed
/// under a key that the presented token yields, and is bound to the session, its counter and the time.
struct RefreshReply: Sendable {
    /// The time for which a reply is given again.
    static let lifetime: SQL = "interval '10 seconds'"

    private let tenant: UUID
    private let session: UUID
    private let counter: Int64
    private let exchangedAt: PostgresTimestamp

    /// - Parameters:
    ///   - row: The session's row after the exchange.
    ///   - exchangedAt: The time by the database's clock.
    init(of row: SessionRow, exchangedAt: PostgresTimestamp) {
        tenant = row.tenant
        session = row.id
        counter = row.counter
        self.exchangedAt = exchangedAt
    }

    /// What the reply is bound to.
    private var place: [UInt8] {
        let numbers = [counter, exchangedAt.microsecondsSinceUnixEpoch]
        return tenant.bytes + session.bytes
            + numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }
    }

    /// The statement that keeps the reply, in the place of an older one.
    ///
    /// - Parameter token: The refresh token that was exchanged.
    func insertion(_ tokens: IssuedTokens, for token: String, _ ring: KeyRing) throws -> SQL {
        let sealed = try ring.sealRefreshReply(tokens.json.canonicalBytes(), token: Array(token.utf8), at: place)
        return """
            INSERT INTO tenure.refresh_reply (ledger_id, session_id, refresh_counter, exchanged_at, sealed)
            VALUES (\(tenant), \(session), \(counter), \(exchangedAt), \(sealed))
            ON CONFLICT (ledger_id, session_id) DO UPDATE SET refresh_counter = excluded.refresh_counter,
                exchanged_at = excluded.exchanged_at, sealed = excluded.sealed
            """
    }

    /// Finds the reply to the exchange that led to the row's counter; `nil` if it is ten seconds old, or was made for
    /// another token.
    static func find(
        for token: String, of row: SessionRow, _ context: ServiceContext
    ) async throws -> IssuedTokens? {
        let rows = try await context.pool.query(
            """
            SELECT exchanged_at, sealed FROM tenure.refresh_reply
            WHERE ledger_id = \(row.tenant) AND session_id = \(row.id) AND refresh_counter = \(row.counter)
                AND exchanged_at > clock_timestamp() - \(lifetime) AND exchanged_at <= clock_timestamp()
            """, in: [LedgerID(row.tenant)])
        guard let found = rows.first else { return nil }
        let (exchangedAt, sealed) = try found.decode(PostgresTimestamp.self, [UInt8].self)
        let reply = RefreshReply(of: row, exchangedAt: exchangedAt)
        guard let clear = context.ring.openRefreshReply(sealed, token: Array(token.utf8), at: reply.place) else {
            return nil
        }
        return try IssuedTokens(json: CanonicalJSON.parse(clear))
    }
}

/// The form in which a reply is kept.
extension IssuedTokens {
    fileprivate var json: JSONValue {
        .object([
            "access": .string(accessToken), "expires": .string(expiresAt.description),
            "refresh": .string(refreshToken), "notices": .array(notices.map(\.json)),
        ])
    }

    fileprivate init(json: JSONValue) throws {
        var reader = try ObjectReader(json)
        accessToken = try reader.string("access")
        expiresAt = try reader.timestamp("expires")
        refreshToken = try reader.string("refresh")
        notices = try reader.array("notices").map { try Notice(json: $0) }
    }
}

extension Notice {
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = ["type": .string(type)]
        members["openedAt"] = openedAt.map { .string($0.description) }
        members["openedBy"] = openedBy.map { .string($0) }
        members["availableAt"] = availableAt.map { .string($0.description) }
        members["cancelBefore"] = cancelBefore.map { .string($0.description) }
        return .object(members)
    }

    fileprivate init(json: JSONValue) throws {
        var reader = try ObjectReader(json)
        type = try reader.string("type")
        openedAt = try reader.optionalTimestamp("openedAt")
        openedBy = try reader.optionalString("openedBy")
        availableAt = try reader.optionalTimestamp("availableAt")
        cancelBefore = try reader.optionalTimestamp("cancelBefore")
    }
}
