public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A statement that gives an employee a role or takes it away.
public struct RoleStatement: Statement {
    /// Whether the role is given or taken away.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        /// The employee gets the role.
        case appoint
        /// The employee loses the role.
        case dismiss
    }

    /// The members every statement has.
    public var context: StatementContext
    /// Whether the role is given or taken away (`action`).
    public var action: Action
    /// The employee's random id (`employee`).
    public var employee: UUID
    /// The role's code of 1 to 64 characters A–Z a–z 0–9 `.` `_` `-` (`role`).
    public var role: String
    /// The reason, as such a code (`reason`).
    public var reason: String
    /// The fingerprints of the device keys that will carry the role, sorted (`keys`). It is `nil` if the role is taken
    /// away, and in statements from before keys carried roles.
    public var keys: [String]?

    /// The members, which ``check()`` validates.
    public init(
        context: StatementContext, action: Action, employee: UUID, role: String, reason: String, keys: [String]? = nil
    ) {
        self.context = context
        self.action = action
        self.employee = employee
        self.role = role
        self.reason = reason
        self.keys = keys
    }

    /// The only tag, `tenure/v1/role`.
    public static let tags: [SignatureTag] = [.role]

    /// `tenure/v1/role`.
    public var tag: SignatureTag { .role }

    /// The members beside those of the context.
    public var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "action": .string(action.rawValue), "employee": .uuid(employee), "role": .string(role),
            "reason": .string(reason),
        ]
        if let keys { members["keys"] = .array(keys.map { .string($0) }) }
        return members
    }

    /// Reads the members beside those of the context.
    public init(tag: SignatureTag, context: StatementContext, members reader: inout ObjectReader) throws {
        guard let action = Action(rawValue: try reader.string("action")) else {
            throw CredentialsError(.statementInvalid, field: "action")
        }
        self.init(
            context: context, action: action, employee: try reader.uuid("employee"),
            role: try reader.string("role"), reason: try reader.string("reason"),
            keys: try reader.optionalStrings("keys"))
    }

    /// Checks sizes and names.
    ///
    /// - Throws: ``CredentialsError/Code/statementInvalid``.
    public func check() throws(CredentialsError) {
        try context.check()
        try StatementCheck.code(role, "role")
        try StatementCheck.code(reason, "reason")
        if let keys { try StatementCheck.fingerprints(keys, "keys") }
    }
}

/// A statement that makes another employee the tenant's security admin.
public struct SuccessionStatement: Statement {
    /// The members every statement has. The signer is a key of the leaving security admin.
    public var context: StatementContext
    /// The random id of the leaving security admin (`from`).
    public var from: UUID
    /// The random id of the successor (`to`).
    public var to: UUID
    /// The successor's authorized key (`toKey`).
    public var toKey: EmployeePublicKey
    /// The reason, as a code of 1 to 64 characters A–Z a–z 0–9 `.` `_` `-` (`reason`).
    public var reason: String
    /// The fingerprints of the device keys that will carry the role, sorted (`keys`). It is `nil` in statements from
    /// before keys carried roles.
    public var keys: [String]?

    /// The members, which ``check()`` validates.
    public init(
        context: StatementContext, from: UUID, to: UUID, toKey: EmployeePublicKey, reason: String, keys: [String]? = nil
    ) {
        self.context = context
        self.from = from
        self.to = to
        self.toKey = toKey
        self.reason = reason
        self.keys = keys
    }

    /// The only tag, `tenure/v1/succession`.
    public static let tags: [SignatureTag] = [.succession]

    /// `tenure/v1/succession`.
    public var tag: SignatureTag { .succession }

    /// The members beside those of the context.
    public var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "from": .uuid(from), "to": .uuid(to), "toKey": .bytes(toKey.bytes), "reason": .string(reason),
        ]
        if let keys { members["keys"] = .array(keys.map { .string($0) }) }
        return members
    }

    /// Reads the members beside those of the context.
    public init(tag: SignatureTag, context: StatementContext, members reader: inout ObjectReader) throws {
        self.init(
            context: context, from: try reader.uuid("from"), to: try reader.uuid("to"),
            toKey: try EmployeePublicKey(bytes: try reader.bytes("toKey", count: 65)),
            reason: try reader.string("reason"), keys: try reader.optionalStrings("keys"))
    }

    /// Checks sizes and names. A security admin cannot be their own successor.
    ///
    /// - Throws: ``CredentialsError/Code/statementInvalid``.
    public func check() throws(CredentialsError) {
        try context.check()
        try StatementCheck.code(reason, "reason")
        if let keys { try StatementCheck.fingerprints(keys, "keys") }
        guard from != to else { throw CredentialsError(.statementInvalid, field: "to") }
        guard toKey.bytes != context.signer.bytes else { throw CredentialsError(.statementInvalid, field: "toKey") }
    }
}
