import Canonical
import Crypto
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// The claim that a device key was authorized for an employee and neither refused nor revoked, written with the events.
///
/// The append that authorizes the key inserts it, and the append that ends the key deletes it; see ``EventEffect``. It
/// decides only which budget an attempt is charged to. Whether a log-in succeeds, the events say.
struct KnownDevice: Sendable {
    private static let kind = "device"
    private let tenant: TenantID
    private let employee: EmployeeID
    private let digest: [UInt8]

    /// The claim's key is the SHA-256 of the employee's 16 bytes and the key's 65. It needs no secret: a reader of the
    /// claim finds both in the log.
    init(_ key: [UInt8], of employee: EmployeeID, in tenant: TenantID) {
        self.tenant = tenant
        self.employee = employee
        digest = Array(SHA256.hash(data: employee.uuid.bytes + key))
    }

    /// The query for the claim: one row if it exists.
    var query: SQL { "SELECT \(ClaimsQuery.columns) FROM tenure.claim WHERE \(condition)" }

    var claim: Claim {
        Claim(
            key: ClaimKey(ledger: LedgerID(tenant.uuid), kind: Self.kind, digest: digest), owner: employee.uuid)
    }

    /// The statement that inserts the claim. An append of the employee holds the head.
    func insertion(_ ring: KeyRing) -> SQL { claim.taking(ring) }

    var deletion: SQL { "DELETE FROM tenure.claim WHERE \(condition)" }

    /// The kind is a parameter, so that no plan uses the partial index of owners, which would read all device keys of
    /// the tenant.
    private var condition: SQL { "ledger_id = \(tenant.uuid) AND kind = \(Self.kind) AND key = \(digest)" }

    /// The statement that deletes the claims of all device keys of an employee.
    static func deletions(of employee: EmployeeID, in tenant: TenantID) -> SQL {
        "DELETE FROM tenure.claim WHERE ledger_id = \(tenant.uuid) AND kind = 'device' AND owner = \(employee.uuid)"
    }
}
