public import Canonical

/// The body of `POST /v1/logins`.
public struct LoginRequest: Sendable, Equatable, JSONConvertible {
    /// The company's name.
    public var companyName: String
    /// The employee's id in that company.
    public var companyEmployeeId: String
    /// The device's public key, 65-byte X9.63; padded base64 on the wire.
    public var employeePublicKey: [UInt8]

    /// Describes a login.
    public init(companyName: String, companyEmployeeId: String, employeePublicKey: [UInt8]) {
        self.companyName = companyName
        self.companyEmployeeId = companyEmployeeId
        self.employeePublicKey = employeePublicKey
    }

    /// Reads a request; unknown members are refused.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        companyName = try reader.string("companyName")
        companyEmployeeId = try reader.string("companyEmployeeId")
        employeePublicKey = try reader.base64("employeePublicKey")
        try reader.finish()
    }

    /// The body.
    public var json: JSONValue {
        [
            "companyName": .string(companyName), "companyEmployeeId": .string(companyEmployeeId),
            "employeePublicKey": .base64(employeePublicKey),
        ]
    }
}
