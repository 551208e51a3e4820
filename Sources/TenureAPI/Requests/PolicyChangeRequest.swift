public import Canonical

/// The body of `PATCH /v1/companies/{companyName}/policy`; what is absent stays as it is.
public struct PolicyChangeRequest: Sendable, Equatable, JSONConvertible {
    /// Who authorizes employee keys.
    public enum KeyAuthorization: String, Sendable, CaseIterable {
        /// Nobody has to.
        case automatic
        /// An app with the role, or an admin.
        case application
        /// The security admin or an admin.
        case securityAdmin
    }

    /// Who approves employees.
    public enum Approval: String, Sendable, CaseIterable {
        /// Nobody has to.
        case automatic
        /// An admin.
        case admin
    }

    /// Who authorizes employee keys.
    public var keyAuthorization: KeyAuthorization?
    /// Who approves employees.
    public var approval: Approval?
    /// Whether only the blind mode is accepted.
    public var blindOnly: Bool?
    /// Whether users may allow questions beside a passphrase.
    public var questionsWithPassphrase: Bool?
    /// The statement and the signature, in the second call of an admin.
    public var signed: StatementSignature?

    /// Describes a change.
    public init(
        keyAuthorization: KeyAuthorization? = nil, approval: Approval? = nil, blindOnly: Bool? = nil,
        questionsWithPassphrase: Bool? = nil, signed: StatementSignature? = nil
    ) {
        self.keyAuthorization = keyAuthorization
        self.approval = approval
        self.blindOnly = blindOnly
        self.questionsWithPassphrase = questionsWithPassphrase
        self.signed = signed
    }

    /// Reads a request; unknown members and a change of nothing are refused.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        keyAuthorization = try Self.choice("keyAuthorization", of: &reader)
        approval = try Self.choice("approval", of: &reader)
        blindOnly = try reader.optionalBool("blindOnly")
        questionsWithPassphrase = try reader.optionalBool("questionsWithPassphrase")
        signed = try StatementSignature.read(from: &reader)
        try reader.finish()
        if keyAuthorization == nil, approval == nil, blindOnly == nil, questionsWithPassphrase == nil {
            throw JSONError(code: .missingMember, pointer: pointer, reason: "a member to change is expected")
        }
    }

    /// The body.
    public var json: JSONValue {
        .objectOmittingNil([
            "keyAuthorization": keyAuthorization.map { .string($0.rawValue) },
            "approval": approval.map { .string($0.rawValue) }, "blindOnly": blindOnly.map(JSONValue.bool),
            "questionsWithPassphrase": questionsWithPassphrase.map(JSONValue.bool),
            "statement": signed.map { .base64($0.statement) }, "signature": signed.map { .base64($0.signature) },
        ])
    }

    private static func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, of reader: inout ObjectReader
    ) throws(JSONError) -> Choice? where Choice.RawValue == String {
        guard let text = try reader.optionalString(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            throw reader.invalid(name, "one of \(Choice.allCases.map(\.rawValue).joined(separator: ", ")) is expected")
        }
        return choice
    }
}
