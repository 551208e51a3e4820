public import Canonical

/// The body of `/cancellation`. The other decisions about an employee take no note: see ``DecisionRequest``.
public struct StatusDecisionRequest: Sendable, Equatable, RequestObject {
    /// A free-text note, at most 1,024 bytes of UTF-8.
    public var note: String?
    /// The signed statement; sent with an admin's second call.
    public var signed: StatementSignature?

    /// Describes a decision.
    public init(note: String? = nil, signed: StatementSignature? = nil) {
        self.note = note
        self.signed = signed
    }

    /// The members on the wire.
    public static let members = WireMembers<StatusDecisionRequest>(
        "StatusDecisionRequest", StatusDecisionRequest.init,
        Member(
            optional: "note", \.note,
            .text(upTo: 1024, "at most 1,024 bytes are expected")),
        .signed(\.signed))
}

/// The body of `/role`.
public struct RoleRequest: Sendable, Equatable, RequestObject {
    /// A role that an employee can have.
    public enum Role: String, Sendable, CaseIterable {
        /// An admin of the tenant.
        case admin
        /// The only security admin. Replaces the current one.
        case securityAdmin
        /// An ordinary employee without administrative rights.
        case employee
    }

    /// The new role.
    public var role: Role
    /// The fingerprints of the device keys that shall carry the role. The signer compares them with the person's
    /// devices.
    ///
    /// If `nil`, the role is carried by the keys that founding or an admin's signature authorized.
    public var fingerprints: [String]?
    /// The signed statement; sent with an admin's second call.
    public var signed: StatementSignature?

    /// Describes a change of role.
    public init(role: Role, fingerprints: [String]? = nil, signed: StatementSignature? = nil) {
        self.role = role
        self.fingerprints = fingerprints
        self.signed = signed
    }

    /// The members on the wire.
    public static let members = WireMembers<RoleRequest>(
        "RoleRequest", RoleRequest.init, Member("role", \.role, .word),
        Member(optional: "fingerprints", \.fingerprints, .list()), .signed(\.signed))
}

/// The body of `POST /v1/companies/{companyName}/reclaimed-emails`.
public struct EmailReclaimRequest: Sendable, Equatable, RequestObject {
    /// The address to take back.
    public var email: String
    /// The reason for the reclaim, in words.
    public var reason: String
    /// The signed statement; sent with an admin's second call.
    public var signed: StatementSignature?

    /// Describes the reclaim of an e-mail address.
    public init(email: String, reason: String, signed: StatementSignature? = nil) {
        self.email = email
        self.reason = reason
        self.signed = signed
    }

    /// The members on the wire.
    public static let members = WireMembers<EmailReclaimRequest>(
        "EmailReclaimRequest", EmailReclaimRequest.init, Member("email", \.email), Member("reason", \.reason),
        .signed(\.signed))
}
