import Canonical
import Crypto
import EventCoding
import FoundationEssentials
import Identity
import Ledger
import Postgres

/// The claim that a key was presented for an employee, written with the event.
///
/// It only says whether searching the employee's history can find anything. Whether the key is in force, only the log
/// says. A missing claim therefore makes a known device unknown, and never an unknown device known.
struct PresentedKey: Sendable {
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

    /// The condition of a statement that the key was presented.
    var exists: SQL {
        """
        EXISTS (SELECT FROM tenure.claim WHERE ledger_id = \(tenant.uuid) AND kind = 'device' AND key = \(digest))
        """
    }

    /// The statement that inserts the claim; repeated for a key that is presented again. An append of the employee
    /// holds the head.
    var insertion: SQL {
        """
        INSERT INTO tenure.claim (ledger_id, kind, key, owner)
        VALUES (\(tenant.uuid), 'device', \(digest), \(employee.uuid)) ON CONFLICT DO NOTHING
        """
    }

    /// The statement that deletes the claim.
    var deletion: SQL {
        "DELETE FROM tenure.claim WHERE ledger_id = \(tenant.uuid) AND kind = 'device' AND key = \(digest)"
    }
}

/// Finds out whether a flow's key is in force for its employee, from the events that name this key and those that end
/// all keys.
///
/// It does not read the whole stream, and nothing for a key that was never presented. Otherwise the time of a
/// stranger's attempt would reveal the number of the employee's other devices. For a decoy no key was ever presented,
/// whichever device asks.
struct DeviceReading: Sendable {
    let query: StreamSearchQuery
    private let key: [UInt8]

    init(_ state: FlowState) {
        key = state.employeePublicKey
        let employee = EmployeeID(state.employeeId), tenant = TenantID(state.tenantId)
        let presented = PresentedKey(key, of: employee, in: tenant)
        let named = Array(Base64URL.encode(key).utf8)
        query = StreamSearchQuery(
            .employee(employee, in: tenant),
            [
                EmployeeKeyPresented.type: named, EmployeeKeyAuthorized.type: named, EmployeeKeyRefused.type: named,
                EmployeeKeyRevoked.type: named, EmailReclaimed.type: [], EmployeeErased.type: [],
                // A cancellation for any other reason leaves keys as they are, and should cost nothing.
                EmployeeCancelled.type: Array("\"\(CancellationReason.reclaimed.rawValue)\"".utf8),
            ], if: presented.exists)
    }

    /// Reads the rows of ``query``, and returns whether the key is in force.
    func read(_ rows: [PostgresRow]) throws -> Bool {
        let state = Employee.fold(try query.read(rows).map { try EventCodec.decode($0) })
        return PublicKeyBytes(key).map { state.authorizedKeys.contains($0) } ?? false
    }
}
