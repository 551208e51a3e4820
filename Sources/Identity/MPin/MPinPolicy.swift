public import Canonical

/// How unverified M-Pin identities of a tenant are verified.
public enum MPinVerificationMode: String, Sendable, Hashable, CaseIterable {
    /// By a link in a mail to the user id, which must be an address.
    case email
    /// By an app with AUTHORIZATION: at once if it starts the registration, otherwise when it decides.
    case application
}

/// The rules that a tenant sets for M-Pin.
public struct MPinPolicy: Sendable, Hashable {
    /// Whether identities can be registered and can authenticate.
    public var enabled: Bool
    /// How identities are verified.
    public var verification: MPinVerificationMode
    /// The number of consecutive wrong proofs that blocks an identity.
    public var maximumFailures: Int
    /// Whether the proof of a linked identity may stand in the place of answers in a log-in.
    public var opensSessions: Bool

    /// The limits that a tenant may choose.
    public static let failureRange = 1...5

    /// The policy of a tenant that has set none.
    public static let initial = MPinPolicy()

    /// The defaults are those of ``initial``.
    public init(
        enabled: Bool = true, verification: MPinVerificationMode = .email, maximumFailures: Int = 3,
        opensSessions: Bool = false
    ) {
        self.enabled = enabled
        self.verification = verification
        self.maximumFailures = maximumFailures
        self.opensSessions = opensSessions
    }

    /// Whether every value is in its range.
    public var isValid: Bool { Self.failureRange.contains(maximumFailures) }
}

/// The tenant replaced its policy for M-Pin.
public struct MPinPolicyChanged: EventPayload {
    /// The permanent type name of the event.
    public static let type = "MPinPolicyChanged"
    /// The whole new policy.
    public var policy: MPinPolicy
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(policy: MPinPolicy, by: Authority) {
        self.policy = policy
        self.by = by
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try EventLimits.check(policy.maximumFailures, MPinPolicy.failureRange, "/data/maximumFailures")
        return try .objectOmittingNil([
            "enabled": .bool(policy.enabled),
            "verification": .string(policy.verification.rawValue),
            "maximumFailures": .integer(Int64(policy.maximumFailures)),
            "opensSessions": .bool(policy.opensSessions),
            "by": by.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        policy = MPinPolicy(
            enabled: try reader.bool("enabled"), verification: try reader.one("verification"),
            maximumFailures: try reader.integer("maximumFailures", MPinPolicy.failureRange),
            opensSessions: try reader.bool("opensSessions"))
        by = try reader.authority()
        try reader.finish()
    }
}
