import Foundation
import Identity
import Keys
import Ledger

/// What can belong to one owner only, by a keyed digest, so that the table tells nothing to who reads it.
extension KeyRing {
    /// A company's name; its owner is the tenant.
    func companyClaim(_ name: CompanyName) -> ClaimKey { directoryClaim("company", name.canonical) }

    /// An e-mail; its owner is the user.
    func emailClaim(_ email: EmailAddress) -> ClaimKey { directoryClaim("email", email.canonical) }

    /// The name an operator gave an app; its owner is the app.
    func appClaim(name: [UInt8]) -> ClaimKey { directoryClaim("app", name) }

    /// An employee's id in one company; its owner is the employee. Never given back: ids are not used twice.
    func employeeClaim(_ id: CompanyEmployeeID, in tenant: TenantID) -> ClaimKey {
        ClaimKey(
            ledger: LedgerID(tenant.uuid), kind: "employee",
            digest: lookupDigest(kind: "employee", id.canonical, scope: tenant.uuid))
    }

    private func directoryClaim(_ kind: String, _ canonical: [UInt8]) -> ClaimKey {
        let digest = lookupDigest(kind: kind, canonical)
        return ClaimKey(ledger: .directory(digest[0]), kind: kind, digest: digest)
    }
}
