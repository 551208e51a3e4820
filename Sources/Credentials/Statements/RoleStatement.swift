public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An employee is given a role or loses it.
public struct RoleStatement: Statement {
    /// Whether the role is given or taken.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        /// The employee has the role from now on.
        case appoint
        /// The employee has it no longer.
        case dismiss
    }

    /// The members every statement has.
    public var context: StatementContext
    /// Whether the role is given or taken (`action`).
    public var action: Action
    /// The employee, random id (`employee`).
    public var employee: UUID
    /// The role's code of 1 to 64 characters A–Z a–z 0–9 `.` `_` `-` (`role`).
    public var role: String
    /// Why, as such a code (`reason`).
    public var reason: String

    /// Collects the members; ``check()`` judges them.
    public init(context: StatementContext, action: Action, employee: UUID, role: String, reason: String) {
        self.context = context
        self.action = action
        self.employee = employee
        self.role = role
        self.reason = reason
    }

    /// The one tag, `tenure/v1/role`.
    public static let tags: [SignatureTag] = [.role]

    /// `tenure/v1/role`.
    public var tag: SignatureTag { .role }

    /// The members beside those of the context.
    public var members: [String: JSONValue] {
        [
            "action": .string(action.rawValue), "employee": .uuid(employee), "role": .string(role),
            "reason": .string(reason),
        ]
    }

    /// Reads the members beside those of the context.
    public init(tag: SignatureTag, context: StatementContext, members reader: inout ObjectReader) throws {
        guard let action = Action(rawValue: try reader.string("action")) else {
            throw CredentialsError(.statementInvalid, field: "action")
        }
        self.init(
            context: context, action: action, employee: try reader.uuid("employee"),
            role: try reader.string("role"), reason: try reader.string("reason"))
    }

    /// Judges sizes and names.
    public func check() throws(CredentialsError) {
        try context.check()
        try StatementCheck.code(role, "role")
        try StatementCheck.code(reason, "reason")
    }
}
