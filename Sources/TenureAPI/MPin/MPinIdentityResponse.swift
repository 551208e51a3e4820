public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An M-Pin identity as shown to admins and apps.
public struct MPinIdentityResponse: Sendable, Equatable, ResponseObject {
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

    package init(
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

    /// The members on the wire.
    public static let members = WireMembers<MPinIdentityResponse>(
        "MPinIdentityResponse", MPinIdentityResponse.init, Member("identityId", \.identityId),
        Member(optional: "userId", \.userId), Member(optional: "deviceName", \.deviceName),
        Member("status", \.status), Member("verification", \.verification), Member("startedAt", \.startedAt),
        Member(optional: "expiresAt", \.expiresAt), Member(optional: "companyEmployeeId", \.companyEmployeeId),
        Member("failures", \.failures, .number()), Member(optional: "endReason", \.endReason))
}
