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
    /// The new policy: 1 to 32 names, which are codes, with their values.
    public var settings: [String: Setting]
    /// The hash of the event that set the policy in force, 32 bytes; absent under the founding policy.
    public var policyHash: [UInt8]?

    /// The members in the signed bytes.
    public static let members = MemberTable<PolicyStatement, Void>(
        "PolicyStatement", PolicyStatement.init,
        Member(inline: \.context), Member("settings", \.settings, settingsKind),
        Member(optional: "policy", \.policyHash, .hash))

    private static let settingsKind = MemberKind<[String: Setting]>(.object(name: "Settings")) {
        (json, place) throws(JSONError) in
        guard case .object(let values) = json, (1...32).contains(values.count), values.keys.allSatisfy(\.isCodeName)
        else { throw place.invalid("1 to 32 settings are expected") }
        let settings = values.compactMapValues { value -> Setting? in
            switch value {
            case .string(let text) where text.isCodeName: .code(text)
            case .bool(let flag): .flag(flag)
            case .integer(let number) where JSONValue.integerRange.contains(number): .number(number)
            default: nil
            }
        }
        guard settings.count == values.count else { throw place.invalid("codes, flags and integers are expected") }
        return settings
    } write: { (settings, _) in
        .object(
            settings.mapValues { setting in
                switch setting {
                case .code(let text): .string(text)
                case .flag(let flag): .bool(flag)
                case .number(let number): .integer(number)
                }
            })
    }

    /// The members, which ``check()`` validates.
    public init(context: StatementContext, settings: [String: Setting], policyHash: [UInt8]?) {
        (self.context, self.settings, self.policyHash) = (context, settings, policyHash)
    }

    /// The only tag.
    public static let tags: [SignatureTag] = [.policy]
}

/// A statement that links an app to a tenant or unlinks it.
public struct AppLinkStatement: Statement {
    /// Whether the app is linked or unlinked.
    public enum Action: String, Hashable, CaseIterable, MemberValue {
        /// The app may act in this tenant.
        case link
        /// The app may no longer act in this tenant.
        case unlink
    }

    /// The members every statement has.
    public var context: StatementContext
    /// Whether the app is linked or unlinked.
    public var action: Action
    /// The app's id, a code.
    public var app: String
    /// The roles the app has in this tenant, codes in ascending order without repetition; empty when unlinked.
    public var roles: [String]
    /// The reason, as a code.
    public var reason: String

    /// The members in the signed bytes.
    public static let members = MemberTable<AppLinkStatement, Void>(
        "AppLinkStatement", AppLinkStatement.init,
        Member(inline: \.context), Member("action", \.action), Member("app", \.app, .code),
        Member("roles", \.roles, .sorted(0...16, "sorted codes are expected", \.isCodeName)),
        Member("reason", \.reason, .code))

    /// The members, which ``check()`` validates.
    public init(context: StatementContext, action: Action, app: String, roles: [String], reason: String) {
        (self.context, self.action, self.app) = (context, action, app)
        (self.roles, self.reason) = (roles, reason)
    }

    /// The only tag.
    public static let tags: [SignatureTag] = [.appLink]

    /// An unlinked app has no roles.
    public func checkTogether() throws(CredentialsError) { try require(action == .link || roles.isEmpty, "roles") }
}
