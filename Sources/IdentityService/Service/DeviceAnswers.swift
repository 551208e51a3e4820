public import Canonical
public import FoundationEssentials

/// A device key as its owner sees it.
public struct DeviceView: Sendable, Equatable {
    /// Lower-case hex SHA-256 of the X9.63 point.
    public var fingerprint: String
    /// The 65-byte X9.63 point.
    public var employeePublicKey: [UInt8]
    /// `pending`, `authorized`, `refused`, `revoked` or `expired`.
    public var state: String
    /// Whether it is the key that opened the caller's session.
    public var isCurrent: Bool
    /// When it was presented last.
    public var presentedAt: Timestamp
    /// When it was authorized.
    public var authorizedAt: Timestamp?
    /// When it was refused or revoked.
    public var endedAt: Timestamp?
    /// When a session that is open last got tokens with it; `nil` when none is open.
    public var lastUsedAt: Timestamp?
    /// Who authorized it.
    public var authorizedBy: DeviceAuthority?
}

/// Who authorized a device key.
public struct DeviceAuthority: Sendable, Equatable {
    /// `founding`, `policy`, `app`, `employee` or `operator`.
    public var kind: String
    /// The employee, unless erased.
    public var companyEmployeeId: String?
    /// The app.
    public var appId: UUID?

    init(kind: String, companyEmployeeId: String? = nil, appId: UUID? = nil) {
        self.kind = kind
        self.companyEmployeeId = companyEmployeeId
        self.appId = appId
    }
}

/// An employee's wish to revoke a device key of their own.
public struct DeviceRevocationInput: Sendable, Equatable {
    /// The hex fingerprint.
    public var fingerprint: String
    /// A code `[a-z0-9_.-]{1,64}`.
    public var reason: String
    /// The statement and signature, in the second call.
    public var signed: SignedStatement?

    /// Describes a revocation.
    public init(fingerprint: String, reason: String, signed: SignedStatement? = nil) {
        self.fingerprint = fingerprint
        self.reason = reason
        self.signed = signed
    }
}
