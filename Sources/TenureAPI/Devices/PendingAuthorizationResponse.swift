public import Canonical

/// A device key as shown to admins and apps.
public struct EmployeeKeyResponse: Sendable, Equatable, ResponseObject {
    /// Lower-case hex SHA-256 of the X9.63 point.
    public var fingerprint: String
    /// The 65-byte X9.63 point; padded base64 on the wire.
    public var employeePublicKey: [UInt8]
    /// `pending`, `authorized`, `refused`, `revoked` or `expired`.
    public var state: String
    /// The time when the key was presented.
    public var presentedAt: Timestamp
    /// The time when the key was authorized, refused or revoked.
    public var decidedAt: Timestamp?

    package init(
        fingerprint: String, employeePublicKey: [UInt8], state: String, presentedAt: Timestamp,
        decidedAt: Timestamp? = nil
    ) {
        self.fingerprint = fingerprint
        self.employeePublicKey = employeePublicKey
        self.state = state
        self.presentedAt = presentedAt
        self.decidedAt = decidedAt
    }

    /// The members on the wire.
    public static let members = WireMembers<EmployeeKeyResponse>(
        "EmployeeKeyResponse", EmployeeKeyResponse.init, Member("fingerprint", \.fingerprint),
        Member("employeePublicKey", \.employeePublicKey, .base64), Member("state", \.state),
        Member("presentedAt", \.presentedAt), Member(optional: "decidedAt", \.decidedAt))
}

/// A pending device key, with the bytes to sign for its authorization.
public struct PendingAuthorizationResponse: Sendable, Equatable, ResponseObject {
    /// The employee who owns the key.
    public var employee: EmployeeSummaryResponse
    /// The key.
    public var key: EmployeeKeyResponse
    /// The time when the key stops being pending.
    public var expiresAt: Timestamp
    /// The position in the ledger at which the key was presented. Send it as `after` to list later keys.
    public var position: Int64
    /// The exact bytes that an approver signs, or `nil` for callers who cannot sign.
    public var statement: [UInt8]?

    package init(
        employee: EmployeeSummaryResponse, key: EmployeeKeyResponse, expiresAt: Timestamp, position: Int64,
        statement: [UInt8]? = nil
    ) {
        self.employee = employee
        self.key = key
        self.expiresAt = expiresAt
        self.position = position
        self.statement = statement
    }

    /// The members on the wire.
    public static let members = WireMembers<PendingAuthorizationResponse>(
        "PendingAuthorizationResponse", PendingAuthorizationResponse.init, Member("employee", \.employee),
        Member("key", \.key), Member("expiresAt", \.expiresAt), Member("position", \.position, .number()),
        Member(optional: "statement", \.statement, .base64))
}
