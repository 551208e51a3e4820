public import Canonical

/// A statement that changes a tenant's policy. It contains the whole new policy, never a difference.
public struct PolicyStatement: Statement {
    /// One value of a policy.
    public enum Setting: Sendable, Hashable {
        /// A code of 1 to 64 characters A–Z a–z 0–9 `.` `_` `-`.
        case code(String)
        /// A Boolean.
        case flag(Bool)
        /// An integer of magnitude below 2^53.
        case number(Int64)
    }

    /// The members every statement has.
    public var context: StatementContext
    /// The new policy (`settings`): 1 to 32 names with their values.
    public var settings: [String: Setting]
    /// The hash of the event that set the policy in force, 32 bytes; absent under the founding policy (`policy`).
    public var policyHash: [UInt8]?

    /// The members, which ``check()`` validates.
    public init(context: StatementContext, settings: [String: Setting], policyHash: [UInt8]?) {
        self.context = context
        self.settings = settings
        self.policyHash = policyHash
    }

    /// The only tag, `tenure/v1/policy`.
    public static let tags: [SignatureTag] = [.policy]

    /// `tenure/v1/policy`.
    public var tag: SignatureTag { .policy }

    /// The members beside those of the context.
    public var members: [String: JSONValue] {
        let values = settings.mapValues { setting -> JSONValue in
            switch setting {
            case .code(let text): .string(text)
            case .flag(let flag): .bool(flag)
            case .number(let number): .integer(number)
            }
        }
        var members: [String: JSONValue] = ["settings": .object(values)]
        if let policyHash { members["policy"] = .bytes(policyHash) }
        return members
    }

    /// Reads the members beside those of the context.
    public init(tag: SignatureTag, context: StatementContext, members reader: inout ObjectReader) throws {
        guard case .object(let values) = try reader.value("settings") else {
            throw CredentialsError(.statementInvalid, field: "settings")
        }
        let settings = try values.mapValues { value -> Setting in
            switch value {
            case .string(let text): return .code(text)
            case .bool(let flag): return .flag(flag)
            case .integer(let number): return .number(number)
            default: throw CredentialsError(.statementInvalid, field: "settings")
            }
        }
        self.init(context: context, settings: settings, policyHash: try reader.optionalBytes("policy", count: 32))
    }

    /// Checks sizes, names and values.
    ///
    /// - Throws: ``CredentialsError/Code/statementInvalid``.
    public func check() throws(CredentialsError) {
        try context.check()
        if let policyHash { try StatementCheck.hash(policyHash, "policy") }
        guard (1...32).contains(settings.count) else {
            throw CredentialsError(.statementInvalid, field: "settings")
        }
        for (name, setting) in settings {
            try StatementCheck.code(name, "settings")
            switch setting {
            case .code(let text): try StatementCheck.code(text, "settings")
            case .number(let number):
                guard JSONValue.integerRange.contains(number) else {
                    throw CredentialsError(.statementInvalid, field: "settings")
                }
            case .flag: break
            }
        }
    }
}

/// A statement that links an app to a tenant or unlinks it.
public struct AppLinkStatement: Statement {
    /// Whether the app is linked or unlinked.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        /// The app may act in this tenant.
        case link
        /// The app may no longer act in this tenant.
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
    /// The reason, as a code (`reason`).
    public var reason: String

    /// The members, which ``check()`` validates.
    public init(context: StatementContext, action: Action, app: String, roles: [String], reason: String) {
        self.context = context
        self.action = action
        self.app = app
        self.roles = roles
        self.reason = reason
    }

    /// The only tag, `tenure/v1/app-link`.
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

    /// Checks sizes, names and the order of roles.
    ///
    /// - Throws: ``CredentialsError/Code/statementInvalid``.
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
