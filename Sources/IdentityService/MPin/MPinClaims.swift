import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// The claims of M-Pin in a tenant's ledger. They are keyed digests, so the table reveals no user ids.
extension KeyRing {
    /// The number of live identities that a user id may have: one claim each.
    static let mpinSlots: ClosedRange<UInt8> = 0...7

    /// The claim on the SHA-256 of an M-Pin ID, owned by the identity. It is never released.
    func mpinClaim(hash: Bytes32, in tenant: TenantID) -> ClaimKey { mpinClaim("mpin", hash.bytes, in: tenant) }

    /// The claim on one of the slots of a user id, owned by the identity. It is released when another identity takes
    /// the slot of one that has ended, or when the identity is erased.
    func mpinUserClaim(_ id: MPinUserID, slot: UInt8, in tenant: TenantID) -> ClaimKey {
        mpinClaim("mpin-user", id.canonical + [slot], in: tenant)
    }

    /// A linked identity of an employee: the employee owns the claim, and its value is the identity's id.
    func mpinLinkedClaim(_ identity: MPinIdentityID, of employee: EmployeeID, in tenant: TenantID) -> Claim {
        Claim(
            key: mpinClaim(Self.mpinLinkedKind, identity.uuid.bytes, in: tenant), owner: employee.uuid,
            value: identity.uuid.bytes)
    }

    /// The claim on the activation code of a user id, owned by the activation.
    func mpinActivationClaim(_ id: MPinUserID, in tenant: TenantID) -> ClaimKey {
        mpinClaim("mpin-activation", id.canonical, in: tenant)
    }

    /// The kind of the claims of linked identities.
    static let mpinLinkedKind = "mpin-linked"

    private func mpinClaim(_ kind: String, _ bytes: [UInt8], in tenant: TenantID) -> ClaimKey {
        ClaimKey(
            ledger: LedgerID(tenant.uuid), kind: kind, digest: lookupDigest(kind: kind, bytes, scope: tenant.uuid))
    }
}

extension ServiceContext {
    /// Finds the M-Pin identities that are linked to an employee, ended ones among them.
    func mpinIdentities(linkedTo employee: EmployeeID, in tenant: TenantID) async throws -> [MPinIdentityID] {
        let rows = try await pool.query(
            """
            SELECT value FROM tenure.claim
            WHERE ledger_id = \(tenant.uuid) AND kind = 'mpin-linked' AND owner = \(employee.uuid)
            ORDER BY key
            """, in: [LedgerID(tenant.uuid)])
        return try rows.compactMap { UUID(bytes: try $0.decode([UInt8].self)).map(MPinIdentityID.init) }
    }
}
