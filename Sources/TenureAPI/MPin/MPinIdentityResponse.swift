public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An M-Pin identity as shown to admins and apps.
public struct MPinIdentityResponse: Sendable, Equatable, JSONConvertible {
    /// The identity.
    public var identityId: UUID
    /// The user id as entered; `nil` once erased.
    public var userId: String?
    /// The name of the device; `nil` if it gave none, and once erased.
    public var deviceName: String?
    /// `started`, `activated`, `issued`, `registered`, `expired`, `blocked` or `revoked`.
    public var status: String
    /// How the identity is to be verified: `email` or `application`.
    public var verification: String
    /// The time when the registration last started.
    public var startedAt: Timestamp
    /// The time when the incomplete registration expires or expired.
    public var expiresAt: Timestamp?
    /// The employee id of the linked employee; `nil` if there is none, and once the employee is erased.
    public var companyEmployeeId: String?
    /// The number of consecutive wrong proofs.
    public var failures: Int64
    /// The reason of the end: `failures`, `lifetime`, `revoked`, `reclaimed`, `superseded`, `expired` or `erased`.
    public var endReason: String?

    /// Creates a value from its members.
    public init(
        identityId: UUID, userId: String? = nil, deviceName: String? = nil, status: String, verification: String,
        startedAt: Timestamp, expiresAt: Timestamp? = nil, companyEmployeeId: String? = nil, failures: Int64,
        endReason: String? = nil
    ) {
        self.identityId = identityId
        self.userId = userId
        self.deviceName = deviceName
        self.status = status
        self.verification = verification
        self.startedAt = startedAt
        self.expiresAt = expiresAt
        self.companyEmployeeId = companyEmployeeId
        self.failures = failures
        self.endReason = endReason
    }

    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        identityId = try reader.uuid("identityId")
        userId = try reader.optionalString("userId")
        deviceName = try reader.optionalString("deviceName")
        status = try reader.string("status")
        verification = try reader.string("verification")
        startedAt = try reader.timestamp("startedAt")
        expiresAt = try reader.optionalTimestamp("expiresAt")
        companyEmployeeId = try reader.optionalString("companyEmployeeId")
        failures = try reader.integer("failures")
        endReason = try reader.optionalString("endReason")
    }

    /// The response as JSON.
    public var json: JSONValue {
        .objectOmittingNil([
            "identityId": .uuid(identityId), "userId": userId.map(JSONValue.string),
            "deviceName": deviceName.map(JSONValue.string), "status": .string(status),
            "verification": .string(verification), "startedAt": .timestamp(startedAt),
            "expiresAt": expiresAt.map(JSONValue.timestamp),
            "companyEmployeeId": companyEmployeeId.map(JSONValue.string), "failures": .integer(failures),
            "endReason": endReason.map(JSONValue.string),
        ])
    }
}
