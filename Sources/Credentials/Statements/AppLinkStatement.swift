public import Canonical

/// An app is linked to a tenant or unlinked from it.
public struct AppLinkStatement: Statement {
    /// Whether the app is linked or unlinked.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        /// The app may act in this tenant.
        case link
        /// It may no longer.
        case unlink
    }

    /// The members every statement has.
    public var context: StatementContext
    /// Whether the app is linked or unlinked (`action`).
    public var action: Action
    /// The app's id, 1 to 64 characters A–Z a–z 0–9 `.` `_` `-` (`app`).
    public var app: String
    /// The roles the app has in this tenant, codes in ascending order without repetition; empty when unlinked (`roles`).
    public var roles: [String]
    /// Why, as a code (`reason`).
    public var reason: String

    /// Collects the members; ``check()`` judges them.
    public init(context: StatementContext, action: Action, app: String, roles: [String], reason: String) {
        self.context = context
        self.action = action
        self.app = app
        self.roles = roles
        self.reason = reason
    }

    /// The one tag, `tenure/v1/app-link`.
    public static let tags: [SignatureTag] = [.appLink]

    /// `tenure/v1/app-link`.
    public var tag: SignatureTag { .appLink }

    /// The members beside those of the context.
    public var members: [String: JSONValue] {
        [
            "action": .string(action.rawValue), "app": .string(app),
            "roles": .array(roles.map { JSONValue.string($0) }), "reason": .string(reason),
        ]
    }

    /// Reads the members beside those of the context.
    public init(tag: SignatureTag, context: StatementContext, members reader: inout ObjectReader) throws {
        guard let action = Action(rawValue: try reader.string("action")) else {
            throw CredentialsError(.statementInvalid, field: "action")
        }
        self.init(
            context: context, action: action, app: try reader.string("app"), roles: try reader.strings("roles"),
            reason: try reader.string("reason"))
    }

    /// Judges sizes, names and the order of roles.
    public func check() throws(CredentialsError) {
        try context.check()
        try StatementCheck.code(app, "app")
        try StatementCheck.code(reason, "reason")
        for role in roles { try StatementCheck.code(role, "roles") }
        guard roles.count <= 16, zip(roles, roles.dropFirst()).allSatisfy({ $0 < $1 }),
            action == .link || roles.isEmpty
        else { throw CredentialsError(.statementInvalid, field: "roles") }
    }
}
