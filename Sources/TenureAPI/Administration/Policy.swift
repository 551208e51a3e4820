public import Canonical

/// The body of `PATCH /v1/companies/{companyName}/policy`. Absent members leave their rule unchanged.
public struct PolicyChangeRequest: Sendable, Equatable, JSONConvertible {
    /// The authority that authorizes device keys.
    public enum KeyAuthorization: String, Sendable, CaseIterable {
        /// No authority: the service authorizes each key itself.
        case automatic
        /// An app whose secret and link have the role AUTHORIZATION, or an admin.
        case application
        /// The security admin or an admin.
        case securityAdmin
    }

    /// The authority that approves employees.
    public enum Approval: String, Sendable, CaseIterable {
        /// No authority: registration approves the employee.
        case automatic
        /// An admin.
        case admin
    }

    /// The rule for who may register.
    public enum RegistrationMode: String, Sendable, CaseIterable {
        /// Anyone, through an app that is linked to the tenant.
        case open
        /// Only people who have an invitation.
        case invited
        /// People who have an invitation, or a verified address of the company's confirmed domain.
        case domain
    }

    /// The authority that authorizes device keys.
    public var keyAuthorization: KeyAuthorization?
    /// The authority that approves employees.
    public var approval: Approval?
    /// Whether only the blind mode is accepted.
    public var blindOnly: Bool?
    /// Whether a user with a passphrase may choose to answer the questions instead.
    public var questionsWithPassphrase: Bool?
    /// The rule for who may register.
    public var registrationMode: RegistrationMode?
    /// The delay between the opening of a recovery and new credentials, in hours from 1 to 168.
    public var recoveryDelayHours: Int?
    /// The lifetime of an admin's session, in hours from 1 to 24.
    public var adminSessionHours: Int?
    /// The signed statement; sent with an admin's second call.
    public var signed: StatementSignature?

    /// Describes a change of policy.
    public init(
        keyAuthorization: KeyAuthorization? = nil, approval: Approval? = nil, blindOnly: Bool? = nil,
        questionsWithPassphrase: Bool? = nil, registrationMode: RegistrationMode? = nil,
        recoveryDelayHours: Int? = nil, adminSessionHours: Int? = nil, signed: StatementSignature? = nil
    ) {
        self.keyAuthorization = keyAuthorization
        self.approval = approval
        self.blindOnly = blindOnly
        self.questionsWithPassphrase = questionsWithPassphrase
        self.registrationMode = registrationMode
        self.recoveryDelayHours = recoveryDelayHours
        self.adminSessionHours = adminSessionHours
        self.signed = signed
    }

    /// Reads a request. Rejects unknown members and a request that changes nothing.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        keyAuthorization = try Self.choice("keyAuthorization", of: &reader)
        approval = try Self.choice("approval", of: &reader)
        blindOnly = try reader.optionalBool("blindOnly")
        questionsWithPassphrase = try reader.optionalBool("questionsWithPassphrase")
        registrationMode = try Self.choice("registrationMode", of: &reader)
        recoveryDelayHours = try reader.optionalInteger("recoveryDelayHours", in: 1...168).map { Int($0) }
        adminSessionHours = try reader.optionalInteger("adminSessionHours", in: 1...24).map { Int($0) }
        signed = try StatementSignature.read(from: &reader)
        try reader.finish()
        if keyAuthorization == nil, approval == nil, blindOnly == nil, questionsWithPassphrase == nil,
            registrationMode == nil, recoveryDelayHours == nil, adminSessionHours == nil
        {
            throw JSONError(code: .missingMember, pointer: pointer, reason: "at least one member to change is expected")
        }
    }

    /// The body as JSON.
    public var json: JSONValue {
        .objectOmittingNil([
            "keyAuthorization": keyAuthorization.map { .string($0.rawValue) },
            "approval": approval.map { .string($0.rawValue) }, "blindOnly": blindOnly.map(JSONValue.bool),
            "questionsWithPassphrase": questionsWithPassphrase.map(JSONValue.bool),
            "registrationMode": registrationMode.map { .string($0.rawValue) },
            "recoveryDelayHours": recoveryDelayHours.map { .integer(Int64($0)) },
            "adminSessionHours": adminSessionHours.map { .integer(Int64($0)) },
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

/// The policy of a tenant.
public struct PolicyResponse: Sendable, Equatable, WireResponse {
    /// `automatic`, `application` or `securityAdmin`.
    public var keyAuthorization: String
    /// `automatic` or `admin`.
    public var approval: String
    /// Whether only the blind mode is accepted.
    public var blindOnly: Bool
    /// Whether a user with a passphrase may choose to answer the questions instead.
    public var questionsWithPassphrase: Bool
    /// `open` or `invited`.
    public var registrationMode: String
    /// The delay between the opening of a recovery and new credentials, in hours.
    public var recoveryDelayHours: Int64
    /// The lifetime of an admin's session, in hours.
    public var adminSessionHours: Int64
    /// The version of the policy. `ETag` and `If-Match` carry it too.
    public var version: Int64

    package init(
        keyAuthorization: String, approval: String, blindOnly: Bool, questionsWithPassphrase: Bool,
        registrationMode: String = "open", recoveryDelayHours: Int64 = 24, adminSessionHours: Int64 = 1,
        version: Int64
    ) {
        self.keyAuthorization = keyAuthorization
        self.approval = approval
        self.blindOnly = blindOnly
        self.questionsWithPassphrase = questionsWithPassphrase
        self.registrationMode = registrationMode
        self.recoveryDelayHours = recoveryDelayHours
        self.adminSessionHours = adminSessionHours
        self.version = version
    }

    /// The members on the wire.
    public static let members = WireMembers<PolicyResponse>(
        "PolicyResponse", PolicyResponse.init, Member("keyAuthorization", \.keyAuthorization),
        Member("approval", \.approval), Member("blindOnly", \.blindOnly),
        Member("questionsWithPassphrase", \.questionsWithPassphrase), Member("registrationMode", \.registrationMode),
        Member("recoveryDelayHours", \.recoveryDelayHours, .number()),
        Member("adminSessionHours", \.adminSessionHours, .number()), Member("version", \.version, .number()))
}
