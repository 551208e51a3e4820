public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A device key as its owner sees it.
public struct DeviceResponse: Sendable, Equatable, JSONConvertible {
    /// Who authorized a key.
    public struct Authorizer: Sendable, Equatable {
        /// `founding`, `policy`, `app`, `employee` or `operator`.
        public var kind: String
        /// The employee, unless erased.
        public var companyEmployeeId: String?
        /// The app.
        public var appId: UUID?

        /// Describes one.
        public init(kind: String, companyEmployeeId: String? = nil, appId: UUID? = nil) {
            self.kind = kind
            self.companyEmployeeId = companyEmployeeId
            self.appId = appId
        }
    }

    /// Lower-case hex SHA-256 of the X9.63 point.
    public var fingerprint: String
    /// The 65-byte X9.63 point; padded base64 on the wire.
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
    /// When a session that is open last got tokens with it.
    public var lastUsedAt: Timestamp?
    /// Who authorized it.
    public var authorizedBy: Authorizer?

    /// Describes one.
    public init(
        fingerprint: String, employeePublicKey: [UInt8], state: String, isCurrent: Bool, presentedAt: Timestamp,
        authorizedAt: Timestamp? = nil, endedAt: Timestamp? = nil, lastUsedAt: Timestamp? = nil,
        authorizedBy: Authorizer? = nil
    ) {
        self.fingerprint = fingerprint
        self.employeePublicKey = employeePublicKey
        self.state = state
        self.isCurrent = isCurrent
        self.presentedAt = presentedAt
        self.authorizedAt = authorizedAt
        self.endedAt = endedAt
        self.lastUsedAt = lastUsedAt
        self.authorizedBy = authorizedBy
    }

    /// Reads a response; members it does not know are ignored.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        fingerprint = try reader.string("fingerprint")
        employeePublicKey = try reader.base64("employeePublicKey")
        state = try reader.string("state")
        isCurrent = try reader.bool("isCurrent")
        presentedAt = try reader.timestamp("presentedAt")
        authorizedAt = try reader.optionalTimestamp("authorizedAt")
        endedAt = try reader.optionalTimestamp("endedAt")
        lastUsedAt = try reader.optionalTimestamp("lastUsedAt")
        authorizedBy = try reader.optionalWire("authorizedBy")
    }

    /// The response.
    public var json: JSONValue {
        .objectOmittingNil([
            "fingerprint": .string(fingerprint), "employeePublicKey": .base64(employeePublicKey),
            "state": .string(state), "isCurrent": .bool(isCurrent), "presentedAt": .timestamp(presentedAt),
            "authorizedAt": authorizedAt.map(JSONValue.timestamp), "endedAt": endedAt.map(JSONValue.timestamp),
            "lastUsedAt": lastUsedAt.map(JSONValue.timestamp), "authorizedBy": authorizedBy?.json,
        ])
    }
}

extension DeviceResponse.Authorizer: JSONConvertible {
    /// Reads a response; members it does not know are ignored.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        kind = try reader.string("kind")
        companyEmployeeId = try reader.optionalString("companyEmployeeId")
        appId = try reader.optionalUUID("appId")
    }

    /// The response.
    public var json: JSONValue {
        .objectOmittingNil([
            "kind": .string(kind), "companyEmployeeId": companyEmployeeId.map(JSONValue.string),
            "appId": appId.map(JSONValue.uuid),
        ])
    }
}
