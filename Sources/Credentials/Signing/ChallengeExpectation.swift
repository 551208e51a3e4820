public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a client knows before it signs: every field that is set here must be the challenge's.
///
/// The device's own key and the purpose are always known; the rest is compared when the client knows it.
public struct ChallengeExpectation: Sendable, Hashable {
    /// The service's name.
    public var issuer: String?
    /// The purpose the person chose.
    public var purpose: Challenge.Purpose
    /// The flow.
    public var flow: UUID?
    /// The nonce, 32 bytes.
    public var nonce: [UInt8]?
    /// The tenant's id.
    public var tenant: UUID?
    /// The subject's salted commitment.
    public var subject: Commitment?
    /// The app's id.
    public var app: String?
    /// The device's own key.
    public var employeeKey: EmployeePublicKey
    /// The credential; `nil` compares nothing.
    public var credential: UUID?
    /// The moment to judge the expiry by; `nil` leaves that to the service.
    public var now: Timestamp?

    /// Expects this purpose and key, and whatever else is set.
    public init(
        purpose: Challenge.Purpose, employeeKey: EmployeePublicKey, issuer: String? = nil, flow: UUID? = nil,
        nonce: [UInt8]? = nil, tenant: UUID? = nil, subject: Commitment? = nil, app: String? = nil,
        credential: UUID? = nil, now: Timestamp? = nil
    ) {
        self.issuer = issuer
        self.purpose = purpose
        self.flow = flow
        self.nonce = nonce
        self.tenant = tenant
        self.subject = subject
        self.app = app
        self.employeeKey = employeeKey
        self.credential = credential
        self.now = now
    }
}

extension Challenge {
    /// Compares every expected field.
    ///
    /// - Throws: ``CredentialsError/Code/challengeMismatch`` with the name of the first field that differs, or
    ///   ``CredentialsError/Code/expired``.
    public func require(_ expected: ChallengeExpectation) throws(CredentialsError) {
        // Strings are compared by their bytes: Swift's == takes different Unicode forms for equal.
        try compare("issuer", Array(fields.issuer.utf8), expected.issuer.map { Array($0.utf8) })
        try compare("purpose", fields.purpose, expected.purpose)
        try compare("flow", fields.flow, expected.flow)
        try compare("nonce", fields.nonce, expected.nonce)
        try compare("tenant", fields.tenant, expected.tenant)
        try compare("subject", fields.subject, expected.subject)
        try compare("app", Array(fields.app.utf8), expected.app.map { Array($0.utf8) })
        try compare("employeeKey", fields.employeeKey, expected.employeeKey)
        if let credential = expected.credential { try compare("credential", fields.credential, .some(credential)) }
        if let now = expected.now { try checkExpiry(at: now) }
    }

    private func compare<Value: Equatable>(
        _ name: String, _ value: Value, _ expected: Value?
    ) throws(CredentialsError) {
        guard let expected else { return }
        guard value == expected else { throw CredentialsError(.challengeMismatch, field: name) }
    }
}
