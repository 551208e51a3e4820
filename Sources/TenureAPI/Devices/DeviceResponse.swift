public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A device key as shown to its owner.
public struct DeviceResponse: Sendable, Equatable, JSONConvertible {
    /// The authority that authorized a key.
    public struct Authorizer: Sendable, Equatable {
        /// `founding`, `policy`, `app`, `employee` or `operator`.
        public var kind: String
        /// The id of the authorizing employee, or `nil` if erased or if no employee authorized the key.
        public var companyEmployeeId: String?
        /// The id of the authorizing app.
        public var appId: UUID?

        /// Creates a value from its members.
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
    /// Whether the caller's session was opened with this key.
    public var isCurrent: Bool
    /// The time when the key was last presented.
    public var presentedAt: Timestamp
    /// The time when the key was authorized.
    public var authorizedAt: Timestamp?
    /// The app through which the key was last presented.
    public var presentedBy: Presenter?
    /// The time when the key was refused or revoked.
    public var endedAt: Timestamp?
    /// The time when an open session last obtained tokens with the key.
    public var lastUsedAt: Timestamp?
    /// The authority that authorized the key.
    public var authorizedBy: Authorizer?

    /// Creates a value from its members.
    public init(
        fingerprint: String, employeePublicKey: [UInt8], state: String, isCurrent: Bool, presentedAt: Timestamp,
        presentedBy: Presenter? = nil,
        authorizedAt: Timestamp? = nil, endedAt: Timestamp? = nil, lastUsedAt: Timestamp? = nil,
        authorizedBy: Authorizer? = nil
    ) {
        self.fingerprint = fingerprint
        self.employeePublicKey = employeePublicKey
        self.state = state
        self.isCurrent = isCurrent
        self.presentedAt = presentedAt
        self.presentedBy = presentedBy
        self.authorizedAt = authorizedAt
        self.endedAt = endedAt
        self.lastUsedAt = lastUsedAt
        self.authorizedBy = authorizedBy
    }

    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        fingerprint = try reader.string("fingerprint")
        employeePublicKey = try reader.base64("employeePublicKey")
        state = try reader.string("state")
        isCurrent = try reader.bool("isCurrent")
        presentedAt = try reader.timestamp("presentedAt")
        presentedBy = try reader.optionalWire("presentedBy")
        authorizedAt = try reader.optionalTimestamp("authorizedAt")
        endedAt = try reader.optionalTimestamp("endedAt")
        lastUsedAt = try reader.optionalTimestamp("lastUsedAt")
        authorizedBy = try reader.optionalWire("authorizedBy")
    }

    /// The response as JSON.
    public var json: JSONValue {
        .objectOmittingNil([
            "fingerprint": .string(fingerprint), "employeePublicKey": .base64(employeePublicKey),
            "state": .string(state), "isCurrent": .bool(isCurrent), "presentedAt": .timestamp(presentedAt),
            "presentedBy": presentedBy?.json, "authorizedAt": authorizedAt.map(JSONValue.timestamp),
            "endedAt": endedAt.map(JSONValue.timestamp),
            "lastUsedAt": lastUsedAt.map(JSONValue.timestamp), "authorizedBy": authorizedBy?.json,
        ])
    }
}

extension DeviceResponse {
    /// The app through which a device presented its key.
    public struct Presenter: Sendable, Equatable, JSONConvertible {
        /// The app.
        public var appId: UUID
        /// The name that the operator gave it.
        public var name: String?

        /// Pairs an app with its name.
        public init(appId: UUID, name: String? = nil) {
            self.appId = appId
            self.name = name
        }

        /// Reads a response and ignores unknown members.
        public init(json: JSONValue, at pointer: String) throws(JSONError) {
            var reader = try ObjectReader(json, at: pointer)
            appId = try reader.uuid("appId")
            name = try reader.optionalString("name")
        }

        /// The response as JSON.
        public var json: JSONValue { .objectOmittingNil(["appId": .uuid(appId), "name": name.map(JSONValue.string)]) }
    }
}

extension DeviceResponse.Authorizer: JSONConvertible {
    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        kind = try reader.string("kind")
        companyEmployeeId = try reader.optionalString("companyEmployeeId")
        appId = try reader.optionalUUID("appId")
    }

    /// The response as JSON.
    public var json: JSONValue {
        .objectOmittingNil([
            "kind": .string(kind), "companyEmployeeId": companyEmployeeId.map(JSONValue.string),
            "appId": appId.map(JSONValue.uuid),
        ])
    }
}

/// The caller's device keys, with notices for the owner of the account.
public struct DevicesResponse: Sendable, Equatable, JSONConvertible {
    /// The device keys, oldest first.
    public var items: [DeviceResponse]
    /// Notices for the owner of the account. Absent on the wire if there are none.
    public var notices: [NoticeResponse]

    /// Describes device keys and notices.
    public init(items: [DeviceResponse], notices: [NoticeResponse] = []) {
        self.items = items
        self.notices = notices
    }

    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        items = try reader.wire("items")
        notices = try reader.optionalWire("notices") ?? []
    }

    /// The response as JSON.
    public var json: JSONValue {
        .objectOmittingNil(["items": items.json, "notices": notices.isEmpty ? nil : notices.json])
    }
}
