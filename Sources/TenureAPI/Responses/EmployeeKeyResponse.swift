public import Canonical

/// A device key.
public struct EmployeeKeyResponse: Sendable, Equatable, JSONConvertible {
    /// Lower-case hex SHA-256 of the X9.63 point.
    public var fingerprint: String
    /// The 65-byte X9.63 point; padded base64 on the wire.
    public var employeePublicKey: [UInt8]
    /// `pending`, `authorized`, `refused`, `revoked` or `expired`.
    public var state: String
    /// When the key was presented.
    public var presentedAt: Timestamp
    /// When it was authorized, refused or revoked.
    public var decidedAt: Timestamp?

    /// Describes one.
    public init(
        fingerprint: String, employeePublicKey: [UInt8], state: String, presentedAt: Timestamp,
        decidedAt: Timestamp? = nil
    ) {
        self.fingerprint = fingerprint
        self.employeePublicKey = employeePublicKey
        self.state = state
        self.presentedAt = presentedAt
        self.decidedAt = decidedAt
    }

    /// Reads a response; members it does not know are ignored.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        fingerprint = try reader.string("fingerprint")
        employeePublicKey = try reader.base64("employeePublicKey")
        state = try reader.string("state")
        presentedAt = try reader.timestamp("presentedAt")
        decidedAt = try reader.optionalTimestamp("decidedAt")
    }

    /// The response.
    public var json: JSONValue {
        .objectOmittingNil([
            "fingerprint": .string(fingerprint), "employeePublicKey": .base64(employeePublicKey),
            "state": .string(state), "presentedAt": .timestamp(presentedAt),
            "decidedAt": decidedAt.map(JSONValue.timestamp),
        ])
    }
}
