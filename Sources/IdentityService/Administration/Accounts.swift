import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// In which companies a user has employees, as claims in the user's directory that are written with the registration.
///
/// Member claims lie in the companies' ledgers, and row-level security shows those only to who names them already; what
/// concerns all accounts of a user has to find them from the user.
extension KeyRing {
    func accountClaim(_ employee: EmployeeID, of user: UserID, in tenant: TenantID) -> Claim {
        // The digest of the member claim is as unique here, and a database knows it that is older than this claim.
        let digest = memberClaim(employee, of: user, in: tenant).key.digest
        return Claim(
            key: ClaimKey(ledger: .directory(of: user), kind: "account", digest: digest), owner: user.uuid,
            value: tenant.uuid.bytes + employee.uuid.bytes)
    }
}

extension ServiceContext {
    /// The accounts of a user in all companies.
    func accounts(of user: UserID) async throws -> [(tenant: TenantID, employee: EmployeeID)] {
        let ledger = LedgerID.directory(of: user)
        let rows = try await pool.query(
            """
            SELECT value FROM tenure.claim
            WHERE ledger_id = \(ledger.uuid) AND kind = 'account' AND owner = \(user.uuid) ORDER BY key
            """, in: [ledger])
        return try rows.compactMap { row in
            let value = try row.decode([UInt8].self)
            guard let tenant = UUID(bytes: value.prefix(16)), let employee = UUID(bytes: value.dropFirst(16))
            else { return nil }
            return (TenantID(tenant), EmployeeID(employee))
        }
    }

    /// The statement that refuses its append when the user has another number of accounts by now. The append holds the
    /// directory's head, so nobody registers between this statement and the commit.
    func stillAccounts(_ count: Int, of user: UserID) -> SQL {
        let count = Int64(count), ledger = LedgerID.directory(of: user)
        return """
            SELECT 1 / (count(*) = \(count))::integer FROM tenure.claim
            WHERE ledger_id = \(ledger.uuid) AND kind = 'account' AND owner = \(user.uuid)
            """
    }
}
