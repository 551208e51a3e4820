import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// Which employees a user has in a tenant, as claims that are written with the registration.
///
/// The claim's value is the employee's id, so the read is exact at any moment; no view is asked.
extension KeyRing {
    func memberClaim(_ employee: EmployeeID, of user: UserID, in tenant: TenantID) -> Claim {
        let digest = lookupDigest(kind: "member", user.uuid.bytes + employee.uuid.bytes, scope: tenant.uuid)
        return Claim(
            key: ClaimKey(ledger: LedgerID(tenant.uuid), kind: "member", digest: digest), owner: user.uuid,
            value: employee.uuid.bytes)
    }
}

extension ServiceContext {
    /// The employees of a user in a tenant.
    func employees(of user: UserID, in tenant: TenantID) async throws -> [EmployeeID] {
        let rows = try await pool.query(
            """
            SELECT value FROM tenure.claim
            WHERE ledger_id = \(tenant.uuid) AND kind = 'member' AND owner = \(user.uuid) ORDER BY key
            """, in: [LedgerID(tenant.uuid)])
        return try rows.compactMap { UUID(bytes: try $0.decode([UInt8].self)).map(EmployeeID.init) }
    }

    /// The statement that refuses its append, so that it is decided again, when the user has another number of employees
    /// by now: registering changes no stream of the user's that an append could name. The append holds the tenant's head,
    /// so nobody registers between this statement and the commit.
    func stillEmployees(_ count: Int, of user: UserID, in tenant: TenantID) -> SQL {
        let count = Int64(count)
        return """
            SELECT 1 / (count(*) = \(count))::integer FROM tenure.claim
            WHERE ledger_id = \(tenant.uuid) AND kind = 'member' AND owner = \(user.uuid)
            """
    }
}
