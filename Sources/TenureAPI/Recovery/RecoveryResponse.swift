public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An open or requested recovery, as shown to admins.
public struct RecoveryResponse: Sendable, Equatable, JSONConvertible {
    /// The ids that a statement about the recovery names.
    public struct Subject: Sendable, Equatable, JSONConvertible {
        /// The tenant.
        public var tenantId: UUID
        /// The user whose credentials would be replaced.
        public var userId: UUID
        /// The user's account in the tenant.
        public var employeeId: UUID

        /// Names tenant, user and account.
        public init(tenantId: UUID, userId: UUID, employeeId: UUID) {
            self.tenantId = tenantId
            self.userId = userId
            self.employeeId = employeeId
        }

        /// Reads the ids and ignores unknown members.
        public init(json: JSONValue, at pointer: String) throws(JSONError) {
            var reader = try ObjectReader(json, at: pointer)
            tenantId = try reader.uuid("tenantId")
            userId = try reader.uuid("userId")
            employeeId = try reader.uuid("employeeId")
        }

        /// The ids as JSON.
        public var json: JSONValue {
            ["tenantId": .uuid(tenantId), "userId": .uuid(userId), "employeeId": .uuid(employeeId)]
        }
    }

    /// The employee whose credentials would be replaced.
    public var employee: EmployeeSummaryResponse
    /// The ids that a statement about the recovery names. A signer must compare them.
    public var subject: Subject
    /// The fingerprint of the new device key in lower-case hex. The person reads it out.
    public var fingerprint: String
    /// `waiting`, `opened` or `confirmed`.
    public var state: String
    /// The time of the device's last request. If no device has asked, the time when the recovery was opened.
    public var requestedAt: Timestamp
    /// The time when the recovery expires.
    public var expiresAt: Timestamp
    /// The id of the employee who opened the recovery, or `nil` if erased or not opened.
    public var openedBy: String?
    /// The time from which new credentials can be set, once the recovery is opened.
    public var availableAt: Timestamp?
    /// Whether the recovery needs no confirmation because the tenant had only one admin.
    public var soleAdmin: Bool

    /// Creates a value from its members.
    public init(
        employee: EmployeeSummaryResponse, subject: Subject, fingerprint: String, state: String,
        requestedAt: Timestamp, expiresAt: Timestamp, openedBy: String? = nil, availableAt: Timestamp? = nil,
        soleAdmin: Bool = false
    ) {
        self.employee = employee
        self.subject = subject
        self.fingerprint = fingerprint
        self.state = state
        self.requestedAt = requestedAt
        self.expiresAt = expiresAt
        self.openedBy = openedBy
        self.availableAt = availableAt
        self.soleAdmin = soleAdmin
    }

    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        employee = try reader.wire("employee")
        subject = try reader.wire("subject")
        fingerprint = try reader.string("fingerprint")
        state = try reader.string("state")
        requestedAt = try reader.timestamp("requestedAt")
        expiresAt = try reader.timestamp("expiresAt")
        openedBy = try reader.optionalString("openedBy")
        availableAt = try reader.optionalTimestamp("availableAt")
        soleAdmin = try reader.optionalBool("soleAdmin") ?? false
    }

    /// The response as JSON.
    public var json: JSONValue {
        .objectOmittingNil([
            "employee": employee.json, "subject": subject.json, "fingerprint": .string(fingerprint),
            "state": .string(state), "requestedAt": .timestamp(requestedAt), "expiresAt": .timestamp(expiresAt),
            "openedBy": openedBy.map(JSONValue.string), "availableAt": availableAt.map(JSONValue.timestamp),
            "soleAdmin": soleAdmin ? .bool(true) : nil,
        ])
    }
}
