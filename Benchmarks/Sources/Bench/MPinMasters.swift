import Canonical
import Foundation
import IdentityService
import MPinCryptography

/// Two D-TAs in this process, without HTTP and without a list: what a measurement of the service must not wait for.
struct MPinMasters: MPinKeySource {
    let clientURL = "https://dta-2.bench.invalid/"
    let epoch: UInt32 = 1
    let oldestEpoch: UInt32 = 1

    private let first: MPinMasterSecret
    private let second: MPinMasterSecret

    /// Draws both master secrets.
    init() throws {
        first = try MPinMasterSecret(bytes: Self.random(MPinMasterSecret.byteCount))
        second = try MPinMasterSecret(bytes: Self.random(MPinMasterSecret.byteCount))
    }

    func clientKeyShare(
        mpinIDHash: [UInt8], tenant: UUID, epoch: UInt32, at time: Timestamp
    ) async throws -> [UInt8] {
        try clientKeyShare(of: first, mpinIDHash, tenant, epoch).encoded
    }

    /// The second share itself, in hexadecimal, in the place of a query for it. It is empty if there is none.
    func clientKeyQuery(mpinIDHash: [UInt8], tenant: UUID, epoch: UInt32, at time: Timestamp) -> String {
        Hex.encode((try? clientKeyShare(of: second, mpinIDHash, tenant, epoch).encoded) ?? [])
    }

    func serverKeyShares(tenant: UUID, epoch: UInt32, at time: Timestamp) async throws -> [[UInt8]] {
        try serverKeyShares(tenant, epoch).map(\.encoded)
    }

    /// The whole server key of a tenant.
    func serverKey(_ tenant: UUID) throws -> MPinServerKey {
        try MPinServerKey(adding: try serverKeyShares(tenant, epoch))
    }

    /// The whole client key of an identity.
    func clientKey(_ mpinIDHash: [UInt8], _ tenant: UUID) throws -> MPinClientKey {
        let shares = try [first, second].map { try clientKeyShare(of: $0, mpinIDHash, tenant, epoch) }
        return try MPinClientKey(adding: shares)
    }

    private func clientKeyShare(
        of master: MPinMasterSecret, _ mpinIDHash: [UInt8], _ tenant: UUID, _ epoch: UInt32
    ) throws -> MPinClientKeyShare {
        let identity = try MPinIdentityPoint(digest: mpinIDHash)
        return try master.share(tenantID: tenant.bytes, epoch: epoch).clientKeyShare(for: identity)
    }

    private func serverKeyShares(_ tenant: UUID, _ epoch: UInt32) throws -> [MPinServerKeyShare] {
        try [first, second].map { try $0.share(tenantID: tenant.bytes, epoch: epoch).serverKeyShare() }
    }

    static func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...UInt8.max) } }
}
