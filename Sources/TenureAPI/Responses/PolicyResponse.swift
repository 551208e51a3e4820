public import Canonical

/// The policy of a company.
public struct PolicyResponse: Sendable, Equatable, JSONConvertible {
    /// `automatic`, `application` or `securityAdmin`.
    public var keyAuthorization: String
    /// `automatic` or `admin`.
    public var approval: String
    /// Whether only the blind mode is accepted.
    public var blindOnly: Bool
    /// Whether users may allow questions beside a passphrase.
    public var questionsWithPassphrase: Bool
    /// The version, which `ETag` and `If-Match` carry too.
    public var version: Int64

    /// Describes one.
    public init(
        keyAuthorization: String, approval: String, blindOnly: Bool, questionsWithPassphrase: Bool, version: Int64
    ) {
        self.keyAuthorization = keyAuthorization
        self.approval = approval
        self.blindOnly = blindOnly
        self.questionsWithPassphrase = questionsWithPassphrase
        self.version = version
    }

    /// Reads a response; members it does not know are ignored.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        keyAuthorization = try reader.string("keyAuthorization")
        approval = try reader.string("approval")
        blindOnly = try reader.bool("blindOnly")
        questionsWithPassphrase = try reader.bool("questionsWithPassphrase")
        version = try reader.integer("version")
    }

    /// The response.
    public var json: JSONValue {
        [
            "keyAuthorization": .string(keyAuthorization), "approval": .string(approval), "blindOnly": .bool(blindOnly),
            "questionsWithPassphrase": .bool(questionsWithPassphrase), "version": .integer(version),
        ]
    }
}
