public import Canonical
import Identity
public import IdentityService
import Projections

/// A device key as the read API returns it.
public struct EmployeeKeyView: Sendable, Equatable {
    /// Lower-case hex SHA-256 of the X9.63 point.
    public var fingerprint: String
    /// The 65-byte X9.63 point.
    public var employeePublicKey: [UInt8]
    /// `pending`, `authorized`, `refused`, `revoked` or `expired`.
    public var state: String
    /// When the key was presented.
    public var presentedAt: Timestamp
    /// When it was authorized, refused or revoked.
    public var decidedAt: Timestamp?
}

/// A pending device key, with the bytes to sign.
public struct PendingAuthorizationView: Sendable, Equatable {
    /// The employee.
    public var employee: EmployeeSummary
    /// The device key.
    public var key: EmployeeKeyView
    /// When the key expires.
    public var expiresAt: Timestamp
    /// The position in the tenant's ledger at which it was presented.
    public var position: Int64
    /// The exact bytes that an approver signs; `nil` if the caller cannot sign, as an app, which vouches instead.
    public var statement: [UInt8]?
}

extension EmployeeKeyView {
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
