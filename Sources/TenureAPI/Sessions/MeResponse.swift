public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The caller's account, session and app.
public struct MeResponse: Sendable, Equatable, JSONConvertible {
    /// The caller's session.
    public struct Session: Sendable, Equatable {
        /// The id of the session.
        public var sessionId: UUID
        /// The fingerprint of the device key that opened the session.
        public var fingerprint: String
        /// The role of the session: `employee` if its device key does not carry the account's role.
        public var role: String
        /// The time when the session was opened.
        public var createdAt: Timestamp
        /// The time when the session ends unless refreshed, or at the latest.
        public var expiresAt: Timestamp

        /// Creates a value from its members.
        public init(sessionId: UUID, fingerprint: String, role: String, createdAt: Timestamp, expiresAt: Timestamp) {
            self.sessionId = sessionId
            self.fingerprint = fingerprint
            self.role = role
            self.createdAt = createdAt
            self.expiresAt = expiresAt
        }
    }

    /// The app that opened the session.
    public struct App: Sendable, Equatable {
        /// The id of the app.
        public var appId: UUID
        /// The name that the operator gave it.
        public var name: String

        /// Creates a value from its members.
        public init(appId: UUID, name: String) {
            self.appId = appId
            self.name = name
        }
    }

    /// The permanent id of the tenant.
    public var tenantId: UUID
    /// The permanent id of the account.
    public var employeeId: UUID
    /// The tenant's name as first entered.
    public var companyName: String
    /// The employee's id as first entered; `nil` once erased.
    public var companyEmployeeId: String?
    /// `registered`, `active` or `cancelled`.
    public var status: String
    /// `securityAdmin`, `admin` or `employee`.
    public var role: String
    /// Whether it is verified that the owner of the account reads the mails to its address.
    public var emailVerified: Bool
    /// The caller's session.
    public var session: Session
    /// The app that opened the session.
    public var app: App
    /// Notices for the owner of the account.
    public var notices: [NoticeResponse]

    /// Describes a caller.
    public init(
        tenantId: UUID, employeeId: UUID, companyName: String, companyEmployeeId: String?, status: String, role: String,
        emailVerified: Bool = false, session: Session, app: App, notices: [NoticeResponse] = []
    ) {
        self.tenantId = tenantId
        self.employeeId = employeeId
        self.companyName = companyName
        self.companyEmployeeId = companyEmployeeId
        self.status = status
        self.role = role
        self.emailVerified = emailVerified
        self.session = session
        self.app = app
        self.notices = notices
    }

    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        tenantId = try reader.uuid("tenantId")
        employeeId = try reader.uuid("employeeId")
        companyName = try reader.string("companyName")
        companyEmployeeId = try reader.optionalString("companyEmployeeId")
        status = try reader.string("status")
        role = try reader.string("role")
        emailVerified = try reader.optionalBool("emailVerified") ?? false
        session = try reader.wire("session")
        app = try reader.wire("app")
        notices = try reader.wire("notices")
    }

    /// The response as JSON.
    public var json: JSONValue {
        .objectOmittingNil([
            "tenantId": .uuid(tenantId), "employeeId": .uuid(employeeId), "companyName": .string(companyName),
            "companyEmployeeId": companyEmployeeId.map(JSONValue.string), "status": .string(status),
            "role": .string(role), "emailVerified": .bool(emailVerified), "session": session.json, "app": app.json,
            "notices": notices.json,
        ])
    }
}

extension MeResponse.Session: JSONConvertible {
    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        sessionId = try reader.uuid("sessionId")
        fingerprint = try reader.string("fingerprint")
        role = try reader.string("role")
        createdAt = try reader.timestamp("createdAt")
        expiresAt = try reader.timestamp("expiresAt")
    }

    /// The response as JSON.
    public var json: JSONValue {
        [
            "sessionId": .uuid(sessionId), "fingerprint": .string(fingerprint), "role": .string(role),
            "createdAt": .timestamp(createdAt), "expiresAt": .timestamp(expiresAt),
        ]
    }
}

extension MeResponse.App: JSONConvertible {
    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        appId = try reader.uuid("appId")
        name = try reader.string("name")
    }

    /// The response as JSON.
    public var json: JSONValue { ["appId": .uuid(appId), "name": .string(name)] }
}
