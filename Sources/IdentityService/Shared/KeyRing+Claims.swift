import Canonical
import EventCoding
import Foundation
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// The keys of claims on names that can have only one owner. They are keyed digests, so the table reveals no names.
extension KeyRing {
    /// The claim on a tenant's name, owned by the tenant.
    func companyClaim(_ name: CompanyName) -> ClaimKey { directoryClaim("company", name.canonical) }

    /// The claim on an address by its key (``EmailAddress/key``), owned by the user.
    func addressClaim(_ email: EmailAddress) -> ClaimKey { directoryClaim("address", email.key) }

    /// The claim on a passkey by the id of its credential, owned by the employee. Its value is tenant and employee.
    func passkeyClaim(_ credential: [UInt8], of employee: EmployeeID, in tenant: TenantID) -> Claim {
        Claim(
            key: passkeyClaim(credential), owner: employee.uuid, value: tenant.uuid.bytes + employee.uuid.bytes)
    }

    func passkeyClaim(_ credential: [UInt8]) -> ClaimKey { directoryClaim("passkey", credential) }

    /// The claim on an app's name, owned by the app.
    func appClaim(name: [UInt8]) -> ClaimKey { directoryClaim("app", name) }

    /// The claim on an employee id in one tenant, owned by the employee. It is released only while the id is
    /// provisional; ids of people are never reused.
    func employeeClaim(_ id: CompanyEmployeeID, in tenant: TenantID) -> ClaimKey {
        ClaimKey(
            ledger: LedgerID(tenant.uuid), kind: "employee",
            digest: lookupDigest(kind: "employee", id.canonical, scope: tenant.uuid))
    }

    /// The claim of a recorded invitation, of which the log has only the digest.
    func claim(of invitation: Invitation.Issue, in tenant: TenantID) -> ClaimKey {
        ClaimKey(
            ledger: LedgerID(tenant.uuid), kind: Self.invitationKind, digest: invitation.digest.bytes)
    }

    /// The kind of the claims of open invitations.
    static let invitationKind = "invitation"

    /// The invitation with which an employee registered: the employee owns the claim, and its value is the invitation's
    /// id.
    func invitedClaim(_ employee: EmployeeID, in tenant: TenantID) -> ClaimKey {
        ClaimKey(
            ledger: LedgerID(tenant.uuid), kind: "invited",
            digest: lookupDigest(kind: "invited", employee.uuid.bytes, scope: tenant.uuid))
    }

    private func directoryClaim(_ kind: String, _ canonical: [UInt8]) -> ClaimKey {
        let digest = lookupDigest(kind: kind, canonical)
        return ClaimKey(ledger: .directory(digest[0]), kind: kind, digest: digest)
    }
}

/// The employees of a user in a tenant, as claims that are written with the registration.
///
/// The claim's value is the employee's id. Reading claims is exact at any moment; no projection is involved.
extension KeyRing {
    func memberClaim(_ employee: EmployeeID, of user: UserID, in tenant: TenantID) -> Claim {
        let digest = lookupDigest(kind: "member", user.uuid.bytes + employee.uuid.bytes, scope: tenant.uuid)
        return Claim(
            key: ClaimKey(ledger: LedgerID(tenant.uuid), kind: "member", digest: digest), owner: user.uuid,
            value: employee.uuid.bytes)
    }
}

extension ServiceContext {
    func employees(of user: UserID, in tenant: TenantID) async throws -> [EmployeeID] {
        try await claims("member", of: user.uuid, in: LedgerID(tenant.uuid)).compactMap { claim in
            claim.value.flatMap { UUID(bytes: $0) }.map(EmployeeID.init)
        }
    }

    /// The statement that makes its append fail, and the use case retry, if the user's number of employees has changed.
    ///
    /// A registration changes no stream of the user that an append could guard. The append holds the tenant's head, so
    /// nobody registers between this statement and the commit.
    func stillEmployees(_ count: Int, of user: UserID, in tenant: TenantID) -> SQL {
        let count = Int64(count)
        return """
            SELECT tenure.require(count(*) = \(count)) FROM tenure.claim
            WHERE ledger_id = \(tenant.uuid) AND kind = 'member' AND owner = \(user.uuid)
            """
    }
}

/// The tenants in which a user has employees, as claims in the user's directory that are written with the registration.
///
/// Member claims are in tenants' ledgers, where row-level security shows them only to queries that name the ledger. A
/// use case about all accounts of a user has to find them from the user.
extension KeyRing {
    func accountClaim(_ employee: EmployeeID, of user: UserID, in tenant: TenantID) -> Claim {
        // The digest of the member claim is unique here too.
        let digest = memberClaim(employee, of: user, in: tenant).key.digest
        return Claim(
            key: ClaimKey(ledger: .directory(of: user), kind: "account", digest: digest), owner: user.uuid,
            value: tenant.uuid.bytes + employee.uuid.bytes)
    }
}

extension ServiceContext {
    func accounts(of user: UserID) async throws -> [(tenant: TenantID, employee: EmployeeID)] {
        try await claims("account", of: user.uuid, in: .directory(of: user)).compactMap { claim in
            guard let value = claim.value, let tenant = UUID(bytes: value.prefix(16)),
                let employee = UUID(bytes: value.dropFirst(16))
            else { return nil }
            return (TenantID(tenant), EmployeeID(employee))
        }
    }

    /// The statement that makes its append fail if the user's number of accounts has changed. The append holds the
    /// directory's head, so nobody registers between this statement and the commit.
    func stillAccounts(_ count: Int, of user: UserID) -> SQL {
        let count = Int64(count), ledger = LedgerID.directory(of: user)
        return """
            SELECT tenure.require(count(*) = \(count)) FROM tenure.claim
            WHERE ledger_id = \(ledger.uuid) AND kind = 'account' AND owner = \(user.uuid)
            """
    }
}

/// The codes of claims: what a claim says, under the rows key.
extension Claim: CodedRow {
    static let table = RowTable<Claim>(
        "claim",
        written: Column(key: "ledger_id", \.key.ledger.uuid), Column(key: "kind", \.key.kind),
        Column(key: "key", \.key.digest), Column("owner", \.owner), Column("value", \.value),
        Column("expires_at", \.expiresAt), .code(\.code))

    /// The statement that gives the row its code, in the transaction that takes the claim.
    func coding(_ ring: KeyRing) -> SQL {
        "UPDATE tenure.claim AS t SET mac = \(rightCode(ring)) WHERE \(Self.table.isRow(self))"
    }

    /// The statement that takes the claim outside of an append, under the lock of the ledger's head, unless it is taken.
    func taking(_ ring: KeyRing) -> SQL { "\(insertion(ring)) ON CONFLICT DO NOTHING" }
}

extension ServiceContext {
    /// Finds the claims of one kind that an owner has in a ledger, in the order of their keys.
    ///
    /// - Parameter kind: A constant: the plan depends on it, because the indexes of owners are each for one kind.
    func claims(_ kind: StaticString, of owner: UUID, in ledger: LedgerID) async throws -> [Claim] {
        let found = try await pool.query(
            """
            SELECT \(ClaimsQuery.columns) FROM tenure.claim
            WHERE ledger_id = \(ledger.uuid) AND kind = '\(unsafeSQL: "\(kind)")' AND owner = \(owner) ORDER BY key
            """, in: [ledger])
        return try found.map { try ClaimsQuery.claim($0) }.filter { rows.accepts($0) }
    }
}
