public import Canonical

/// The body of `PATCH /v1/companies/{companyName}/policy`. Absent members leave their rule unchanged.
public struct PolicyChangeRequest: Sendable, Equatable, RequestObject {
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

    /// What a log-in asks for.
    public enum LogIn: String, Sendable, CaseIterable {
        /// Answers or a passphrase.
        case secret
        /// Nothing but the device key, if it is a passkey.
        case passkeyOrSecret
        /// A passkey, and nothing else.
        case passkey
    }

    /// What happens if the counter of a passkey does not grow.
    public enum ClonedKey: String, Sendable, CaseIterable {
        /// The owner and the admins are told.
        case report
        /// They are told, and the passkey opens no session.
        case stop
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
    /// What a log-in asks for.
    public var logIn: LogIn?
    /// Whether only passkeys carry the role of an admin.
    public var adminsNeedPasskey: Bool?
    /// What happens if the counter of a passkey does not grow.
    public var clonedKey: ClonedKey?
    /// The signed statement; sent with an admin's second call.
    public var signed: StatementSignature?

    /// Describes a change of policy.
    public init(
        keyAuthorization: KeyAuthorization? = nil, approval: Approval? = nil, blindOnly: Bool? = nil,
        questionsWithPassphrase: Bool? = nil, registrationMode: RegistrationMode? = nil,
        recoveryDelayHours: Int? = nil, adminSessionHours: Int? = nil, logIn: LogIn? = nil,
        adminsNeedPasskey: Bool? = nil, clonedKey: ClonedKey? = nil, signed: StatementSignature? = nil
    ) {
        self.keyAuthorization = keyAuthorization
        self.approval = approval
        self.blindOnly = blindOnly
        self.questionsWithPassphrase = questionsWithPassphrase
        self.registrationMode = registrationMode
        self.recoveryDelayHours = recoveryDelayHours
        self.adminSessionHours = adminSessionHours
        self.logIn = logIn
        self.adminsNeedPasskey = adminsNeedPasskey
        self.clonedKey = clonedKey
        self.signed = signed
    }

    /// The members on the wire.
    public static let members = WireMembers<PolicyChangeRequest>(
        "PolicyChangeRequest", PolicyChangeRequest.init,
        Member(optional: "keyAuthorization", \.keyAuthorization, .word),
        Member(optional: "approval", \.approval, .word), Member(optional: "blindOnly", \.blindOnly),
        Member(optional: "questionsWithPassphrase", \.questionsWithPassphrase),
        Member(optional: "registrationMode", \.registrationMode, .word),
        Member(optional: "recoveryDelayHours", \.recoveryDelayHours, .number(1...168)),
        Member(optional: "adminSessionHours", \.adminSessionHours, .number(1...24)),
        Member(optional: "logIn", \.logIn, .word), Member(optional: "adminsNeedPasskey", \.adminsNeedPasskey),
        Member(optional: "clonedKey", \.clonedKey, .word), .signed(\.signed))

    /// Reads a request. Rejects unknown members and a request that changes nothing.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        self = try Self.members.read(json, at: pointer)
        if self == Self(signed: signed) {
            throw JSONError(code: .missingMember, pointer: pointer, reason: "at least one member to change is expected")
        }
    }
}

/// The policy of a tenant.
public struct PolicyResponse: Sendable, Equatable, ResponseObject {
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
    /// The lifetime of an admin's session with tokens, in hours. In a browser it has eight.
    public var adminSessionHours: Int64
    /// `secret`, `passkeyOrSecret` or `passkey`.
    public var logIn: String
    /// Whether only passkeys carry the role of an admin.
    public var adminsNeedPasskey: Bool
    /// `report` or `stop`.
    public var clonedKey: String
    /// The ids of the admins who have no passkey: `adminsNeedPasskey` takes the role from them until they have one.
    public var adminsWithoutPasskey: [String]
    /// The version of the policy. `ETag` and `If-Match` carry it too.
    public var version: Int64

    package init(
        keyAuthorization: String, approval: String, blindOnly: Bool, questionsWithPassphrase: Bool,
        registrationMode: String = "open", recoveryDelayHours: Int64 = 24, adminSessionHours: Int64 = 1,
        logIn: String = "secret", adminsNeedPasskey: Bool = false, clonedKey: String = "report",
        adminsWithoutPasskey: [String] = [], version: Int64
    ) {
        self.keyAuthorization = keyAuthorization
        self.approval = approval
        self.blindOnly = blindOnly
        self.questionsWithPassphrase = questionsWithPassphrase
        self.registrationMode = registrationMode
        self.recoveryDelayHours = recoveryDelayHours
        self.adminSessionHours = adminSessionHours
        self.logIn = logIn
        self.adminsNeedPasskey = adminsNeedPasskey
        self.clonedKey = clonedKey
        self.adminsWithoutPasskey = adminsWithoutPasskey
        self.version = version
    }

    /// The members on the wire.
    public static let members = WireMembers<PolicyResponse>(
        "PolicyResponse", PolicyResponse.init, Member("keyAuthorization", \.keyAuthorization),
        Member("approval", \.approval), Member("blindOnly", \.blindOnly),
        Member("questionsWithPassphrase", \.questionsWithPassphrase), Member("registrationMode", \.registrationMode),
        Member("recoveryDelayHours", \.recoveryDelayHours, .number()),
        Member("adminSessionHours", \.adminSessionHours, .number()), Member("logIn", \.logIn),
        Member("adminsNeedPasskey", \.adminsNeedPasskey), Member("clonedKey", \.clonedKey),
        Member("adminsWithoutPasskey", \.adminsWithoutPasskey, .list()), Member("version", \.version, .number()))
}
