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
    /// When it was last presented.
    public var presentedAt: Timestamp
    /// The app through which it was last presented.
    public var presentedBy: DeviceApp?
    /// When it was authorized.
    public var authorizedAt: Timestamp?
    /// When it was refused or revoked.
    public var endedAt: Timestamp?
    /// When an open session with this key last got tokens; `nil` if none is open.
    public var lastUsedAt: Timestamp?
    /// The authority that authorized it.
    public var authorizedBy: DeviceAuthority?
}

/// The app through which a device presented its key.
public struct DeviceApp: Sendable, Equatable {
    /// The app.
    public var appId: UUID
    /// The name that the operator gave it.
    public var name: String?

    /// Each parameter sets the property of the same name.
    public init(appId: UUID, name: String?) {
        self.appId = appId
        self.name = name
    }
}

/// The authority that authorized a device key.
public struct DeviceAuthority: Sendable, Equatable {
    /// `founding`, `policy`, `app`, `employee` or `operator`.
    public var kind: String
    /// The employee id, unless erased.
    public var companyEmployeeId: String?
    /// The app.
    public var appId: UUID?

    init(kind: String, companyEmployeeId: String? = nil, appId: UUID? = nil) {
        self.kind = kind
        self.companyEmployeeId = companyEmployeeId
        self.appId = appId
    }
}
