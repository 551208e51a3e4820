import Canonical
import ErrorCodes
import FoundationEssentials
import Identity
import Keys
import Ledger
import Logging
import MPinCryptography
import Postgres

/// The server keys of tenants, one per epoch: fetched once from both D-TAs, and kept sealed in a row.
///
/// A row that does not open any more, after a restore for example, is fetched again.
struct MPinServerKeys: Sendable {
    let context: ServiceContext
    let source: any MPinKeySource

    /// The server key of a tenant's epoch.
    ///
    /// - Throws: `service.unavailable` if it has to be fetched and a D-TA does not give its share.
    func key(of tenant: TenantID, epoch: Int, at time: Timestamp) async throws -> MPinServerKey {
        if let key = try await stored(tenant, epoch) { return key }
        let shares: [[UInt8]]
        do {
            shares = try await source.serverKeyShares(tenant: tenant.uuid, epoch: UInt32(epoch), at: time)
        } catch {
            throw context.keySourceFailed(error)
        }
        guard shares.count == 2, shares[0] != shares[1] else {
            throw context.keySourceFailed(
                MPinKeySourceError(code: .malformed, description: "two different shares of a server key are expected"))
        }
        guard let key = try? MPinServerKey(adding: shares.map({ try MPinServerKeyShare(encoded: $0) })) else {
            context.logger.warning("a D-TA gave a share of a server key that is no point")
            throw ServiceError(.serviceUnavailable, retryAfterSeconds: 5)
        }
        try await store(key, tenant, epoch)
        return key
    }

    private static func place(_ tenant: TenantID, _ epoch: Int) -> [UInt8] {
        Array("server-key/\(tenant.uuid.lowercased)/\(epoch)".utf8)
    }

    private func stored(_ tenant: TenantID, _ epoch: Int) async throws -> MPinServerKey? {
        let rows = try await context.pool.query(
            "SELECT sealed FROM tenure.mpin_server_key WHERE ledger_id = \(tenant.uuid) AND epoch = \(Int32(epoch))",
            in: [LedgerID(tenant.uuid)])
        guard let row = rows.first,
            let clear = context.ring.openMPin(try row.decode([UInt8].self), at: Self.place(tenant, epoch))
        else { return nil }
        return try MPinServerKey(encoded: clear)
    }

    private func store(_ key: MPinServerKey, _ tenant: TenantID, _ epoch: Int) async throws {
        let sealed = try context.ring.sealMPin(key.encoded, at: Self.place(tenant, epoch))
        _ = try await context.pool.pipeline(
            [
                """
                INSERT INTO tenure.mpin_server_key (ledger_id, epoch, sealed)
                VALUES (\(tenant.uuid), \(Int32(epoch)), \(sealed))
                ON CONFLICT ON CONSTRAINT mpin_server_key_pkey DO UPDATE SET sealed = excluded.sealed
                """
            ], in: [LedgerID(tenant.uuid)])
    }
}
