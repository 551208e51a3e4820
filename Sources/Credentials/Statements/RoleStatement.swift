public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A statement that gives an employee a role or takes it away.
public struct RoleStatement: Statement {
    /// Whether the role is given or taken away.
    public enum Action: String, Hashable, CaseIterable, MemberValue {
        /// The employee gets the role.
        case appoint
        /// The employee loses the role.
        case dismiss
    }

    /// The members every statement has.
    public var context: StatementContext
    /// Whether the role is given or taken away.
    public var action: Action
    /// The employee's random id.
    public var employee: UUID
    /// The role, as a code.
    public var role: String
    /// The reason, as a code.
    public var reason: String
    /// The fingerprints of the device keys that will carry the role, sorted; `nil` if the role is taken away.
    public var keys: [String]?

    /// The members in the signed bytes.
    public static let members = MemberTable<RoleStatement, Void>(
        "RoleStatement", RoleStatement.init,
        Member(inline: \.context), Member("action", \.action), Member("employee", \.employee),
        Member("role", \.role, .code), Member("reason", \.reason, .code),
        Member(optional: "keys", \.keys, .fingerprints))

    /// The members, which ``check()`` validates.
    public init(
        context: StatementContext, action: Action, employee: UUID, role: String, reason: String, keys: [String]? = nil
    ) {
        (self.context, self.action, self.employee) = (context, action, employee)
        (self.role, self.reason, self.keys) = (role, reason, keys)
    }

    /// The only tag.
    public static let tags: [SignatureTag] = [.role]

    /// Only an appointment names keys.
    public func checkTogether() throws(CredentialsError) { try require((action == .appoint) == (keys != nil), "keys") }
}

/// A statement that makes another employee the tenant's security admin.
public struct SuccessionStatement: Statement {
    /// The members every statement has. The signer is a key of the leaving security admin.
    public var context: StatementContext
    /// The random id of the leaving security admin.
    public var from: UUID
    /// The random id of the successor.
    public var to: UUID
    /// The successor's authorized key.
    public var toKey: EmployeePublicKey
    /// The reason, as a code.
    public var reason: String
    /// The fingerprints of the device keys that will carry the role, sorted.
    public var keys: [String]

    /// The members in the signed bytes.
    public static let members = MemberTable<SuccessionStatement, Void>(
        "SuccessionStatement", SuccessionStatement.init,
        Member(inline: \.context), Member("from", \.from), Member("to", \.to), Member("toKey", \.toKey, .key),
        Member("reason", \.reason, .code), Member("keys", \.keys, .fingerprints))

    /// The members, which ``check()`` validates.
    public init(
        context: StatementContext, from: UUID, to: UUID, toKey: EmployeePublicKey, reason: String, keys: [String]
    ) {
        (self.context, self.from, self.to) = (context, from, to)
        (self.toKey, self.reason, self.keys) = (toKey, reason, keys)
    }

    /// The only tag.
    public static let tags: [SignatureTag] = [.succession]

    /// A security admin cannot be their own successor.
    public func checkTogether() throws(CredentialsError) {
        try require(from != to, "to")
        try require(toKey.bytes != context.signer.bytes, "toKey")
    }
}
