public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A recovery that waits, as admins see it.
public struct RecoveryResponse: Sendable, Equatable, JSONConvertible {
    /// Random ids that a statement about the recovery names.
    public struct Subject: Sendable, Equatable, JSONConvertible {
        /// The company.
        public var tenantId: UUID
        /// The user whose credentials would be replaced.
        public var userId: UUID
        /// The user's account in the company.
        public var employeeId: UUID

        /// Names company, user and account.
        public init(tenantId: UUID, userId: UUID, employeeId: UUID) {
            self.tenantId = tenantId
            self.userId = userId
            self.employeeId = employeeId
        }

        /// Reads the ids; members it does not know are ignored.
        public init(json: JSONValue, at pointer: String) throws(JSONError) {
            var reader = try ObjectReader(json, at: pointer)
            tenantId = try reader.uuid("tenantId")
            userId = try reader.uuid("userId")
            employeeId = try reader.uuid("employeeId")
        }

        /// The ids.
        public var json: JSONValue {
            ["tenantId": .uuid(tenantId), "userId": .uuid(userId), "employeeId": .uuid(employeeId)]
        }
    }

    /// The employee who asks.
    public var employee: EmployeeSummaryResponse
    /// What a statement about it names; whoever signs one compares.
    public var subject: Subject
    /// The new key's fingerprint, lower-case hex: what the person reads out.
    public var fingerprint: String
    /// `waiting`, `opened` or `confirmed`.
    public var state: String
    /// When the device asked last, or when it was opened where none had asked.
    public var requestedAt: Timestamp
    /// When it ends by itself.
    public var expiresAt: Timestamp
    /// The employee id of whoever opened it, unless erased.
    public var openedBy: String?

    /// Describes one.
    public init(
        employee: EmployeeSummaryResponse, subject: Subject, fingerprint: String, state: String,
        requestedAt: Timestamp, expiresAt: Timestamp, openedBy: String? = nil
    ) {
        self.employee = employee
        self.subject = subject
        self.fingerprint = fingerprint
        self.state = state
        self.requestedAt = requestedAt
        self.expiresAt = expiresAt
        self.openedBy = openedBy
    }

    /// Reads a response; members it does not know are ignored.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        employee = try reader.wire("employee")
        subject = try reader.wire("subject")
        fingerprint = try reader.string("fingerprint")
        state = try reader.string("state")
        requestedAt = try reader.timestamp("requestedAt")
        expiresAt = try reader.timestamp("expiresAt")
        openedBy = try reader.optionalString("openedBy")
    }

    /// The response.
    public var json: JSONValue {
        .objectOmittingNil([
            "employee": employee.json, "subject": subject.json, "fingerprint": .string(fingerprint),
            "state": .string(state), "requestedAt": .timestamp(requestedAt), "expiresAt": .timestamp(expiresAt),
            "openedBy": openedBy.map(JSONValue.string),
        ])
    }
}
