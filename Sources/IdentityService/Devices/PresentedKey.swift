import Canonical
import Crypto
import FoundationEssentials
import Identity
import Postgres

/// That a key was presented for an employee, as a claim that is written with the event.
///
/// It says where a search of the employee's history can find anything, and nothing else: whether the key is in force, the
/// log alone says. So a claim that is missing makes a known device a stranger's, and never a stranger's a known one.
struct PresentedKey: Sendable {
    private let tenant: TenantID
    private let employee: EmployeeID
    private let digest: [UInt8]

    /// Names the claim by the SHA-256 of the employee's 16 bytes and the key's 65: the log tells both to who reads the
    /// claim, and a migration could make it from a view.
    init(_ key: [UInt8], of employee: EmployeeID, in tenant: TenantID) {
        self.tenant = tenant
        self.employee = employee
        digest = Array(SHA256.hash(data: employee.uuid.bytes + key))
    }

    /// The condition of a statement that it was.
    var exists: SQL {
        """
        EXISTS (SELECT FROM tenure.claim WHERE ledger_id = \(tenant.uuid) AND kind = 'device' AND key = \(digest))
        """
    }

    /// The statement that says so; again for a key that is presented again. An append of the employee holds the head.
    var insertion: SQL {
        """
        INSERT INTO tenure.claim (ledger_id, kind, key, owner)
        VALUES (\(tenant.uuid), 'device', \(digest), \(employee.uuid)) ON CONFLICT DO NOTHING
        """
    }

    /// The statement that forgets it.
    var deletion: SQL {
        "DELETE FROM tenure.claim WHERE ledger_id = \(tenant.uuid) AND kind = 'device' AND key = \(digest)"
    }
}
