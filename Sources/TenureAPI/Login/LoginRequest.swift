public import Canonical

/// The body of `POST /v1/logins`.
public struct LoginRequest: Sendable, Equatable, RequestObject {
    /// The tenant's name.
    public var companyName: String
    /// The employee's id in that tenant.
    public var companyEmployeeId: String
    /// The device's public key, 65-byte X9.63; padded base64 on the wire.
    public var employeePublicKey: [UInt8]

    /// Describes the start of a log-in.
    public init(companyName: String, companyEmployeeId: String, employeePublicKey: [UInt8]) {
        self.companyName = companyName
        self.companyEmployeeId = companyEmployeeId
        self.employeePublicKey = employeePublicKey
    }

    /// The members on the wire.
    public static let members = WireMembers<LoginRequest>(
        "LoginRequest", LoginRequest.init, Member("companyName", \.companyName),
        Member("companyEmployeeId", \.companyEmployeeId), Member("employeePublicKey", \.employeePublicKey, .base64))
}
