public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An open or requested recovery, as shown to admins.
public struct RecoveryResponse: Sendable, Equatable, ResponseObject {
    /// The ids that a statement about the recovery names.
    public struct Subject: Sendable, Equatable, ResponseObject {
        /// The tenant.
        public var tenantId: UUID
        /// The user whose credentials would be replaced.
        public var userId: UUID
        /// The user's account in the tenant.
        public var employeeId: UUID

        package init(tenantId: UUID, userId: UUID, employeeId: UUID) {
            self.tenantId = tenantId
            self.userId = userId
            self.employeeId = employeeId
        }

        /// The members on the wire.
        public static let members = WireMembers<Subject>(
            "RecoveryResponse.Subject", Subject.init, Member("tenantId", \.tenantId), Member("userId", \.userId),
            Member("employeeId", \.employeeId))
    }

    /// The employee whose credentials would be replaced.
    public var employee: EmployeeSummaryResponse
    /// The ids that a statement about the recovery names. A signer must compare them.
    public var subject: Subject
    /// The fingerprint of the new device key in lower-case hex. The person reads it out.
    public var fingerprint: String
    /// The comparison words of the fingerprint, as pages and terminals show them.
    public var words: String
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

    package init(
        employee: EmployeeSummaryResponse, subject: Subject, fingerprint: String, words: String = "", state: String,
        requestedAt: Timestamp, expiresAt: Timestamp, openedBy: String? = nil, availableAt: Timestamp? = nil,
        soleAdmin: Bool = false
    ) {
        self.employee = employee
        self.subject = subject
        self.fingerprint = fingerprint
        self.words = words.isEmpty ? FingerprintWords(hex: fingerprint).text : words
        self.state = state
        self.requestedAt = requestedAt
        self.expiresAt = expiresAt
        self.openedBy = openedBy
        self.availableAt = availableAt
        self.soleAdmin = soleAdmin
    }

    /// The members on the wire.
    public static let members = WireMembers<RecoveryResponse>(
        "RecoveryResponse", RecoveryResponse.init, Member("employee", \.employee), Member("subject", \.subject),
        Member("fingerprint", \.fingerprint), Member("words", \.words), Member("state", \.state),
        Member("requestedAt", \.requestedAt),
        Member("expiresAt", \.expiresAt), Member(optional: "openedBy", \.openedBy),
        Member(optional: "availableAt", \.availableAt),
        Member(optional: "soleAdmin", \.soleAdmin, .flag, absent: false))
}
