import Canonical
import Identity
import IdentityService
import Projections
import TenureAPI

extension EmployeeKeyResponse {
    /// The view of a key at a time: one that nobody decided in time has expired.
    init(_ row: EmployeeKeyRow, at time: Timestamp) {
        self.init(
            fingerprint: Hex.encode(ServiceContext.fingerprint(of: row.key)), employeePublicKey: row.key.bytes,
            state: row.stateName(at: time), presentedAt: row.presentedAt, decidedAt: row.decision?.time)
    }

    /// The view of a pending key.
    init(_ row: PendingAuthorizationRow) {
        self.init(
            fingerprint: Hex.encode(ServiceContext.fingerprint(of: row.key)), employeePublicKey: row.key.bytes,
            state: "pending", presentedAt: row.presentedAt, decidedAt: nil)
    }
}
