public import Canonical

/// A tenant's policy is changed: the whole of the new policy, never a difference.
public struct PolicyStatement: Statement {
    /// One value of a policy: a code, a switch or a number.
    public enum Setting: Sendable, Hashable {
        /// A code of 1 to 64 characters A–Z a–z 0–9 `.` `_` `-`.
        case code(String)
        /// A switch.
        case flag(Bool)
        /// A number of magnitude below 2^53.
        case number(Int64)
    }

    /// The members every statement has.
    public var context: StatementContext
    /// The new policy (`settings`): 1 to 32 names, each a code.
    public var settings: [String: Setting]
    /// The hash of the event that set the policy in force, 32 bytes; absent under the founding policy (`policy`).
    public var policyHash: [UInt8]?

    /// Collects the members; ``check()`` judges them.
    public init(context: StatementContext, settings: [String: Setting], policyHash: [UInt8]?) {
        self.context = context
        self.settings = settings
        self.policyHash = policyHash
    }

    /// The one tag, `tenure/v1/policy`.
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

    /// Judges sizes, names and values.
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
