public import Canonical

/// The body of `POST /v1/registrations`.
public struct RegistrationRequest: Sendable, Equatable, JSONConvertible {
    /// The company's name.
    public var companyName: String
    /// The employee's id in that company.
    public var companyEmployeeId: String
    /// The user's e-mail.
    public var email: String
    /// Whether the e-mail is claimed to be the company's; false when absent.
    public var isCompanyOwnedEmail: Bool
    /// The device's public key, 65-byte X9.63; padded base64 on the wire.
    public var employeePublicKey: [UInt8]

    /// Describes a registration.
    public init(
        companyName: String, companyEmployeeId: String, email: String, isCompanyOwnedEmail: Bool = false,
        employeePublicKey: [UInt8]
    ) {
        self.companyName = companyName
        self.companyEmployeeId = companyEmployeeId
        self.email = email
        self.isCompanyOwnedEmail = isCompanyOwnedEmail
        self.employeePublicKey = employeePublicKey
    }

    /// Reads a request; unknown members are refused.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        companyName = try reader.string("companyName")
        companyEmployeeId = try reader.string("companyEmployeeId")
        email = try reader.string("email")
        isCompanyOwnedEmail = try reader.optionalBool("isCompanyOwnedEmail") ?? false
        employeePublicKey = try reader.base64("employeePublicKey")
        try reader.finish()
    }

    /// The body.
    public var json: JSONValue {
        [
            "companyName": .string(companyName), "companyEmployeeId": .string(companyEmployeeId),
            "email": .string(email), "isCompanyOwnedEmail": .bool(isCompanyOwnedEmail),
            "employeePublicKey": .base64(employeePublicKey),
        ]
    }
}
