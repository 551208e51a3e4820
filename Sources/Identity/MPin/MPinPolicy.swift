import Canonical

/// How unverified M-Pin identities of a tenant are verified.
package enum MPinVerificationMode: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// By a link in a mail to the user id, which must be an address.
    case email
    /// By an app with AUTHORIZATION: at once if it starts the registration, otherwise when it decides.
    case application
}

/// The rules that a tenant sets for M-Pin.
package struct MPinPolicy: Sendable, Hashable {
    /// Whether identities can be registered and can authenticate.
    package var enabled: Bool = true
    /// How identities are verified.
    package var verification: MPinVerificationMode = .email
    /// The number of consecutive wrong proofs that blocks an identity.
    package var maximumFailures: Int = 3
    /// Whether the proof of a linked identity may stand in the place of answers in a log-in.
    package var opensSessions: Bool = false

    /// The limits that a tenant may choose.
    package static let failureRange = 1...5

    /// The policy of a tenant that has set none.
    package static let initial = MPinPolicy()

    /// Whether every value is in its range.
    package var isValid: Bool { Self.failureRange.contains(maximumFailures) }
}

extension MPinPolicy: FlatObject {
    /// The members of `MPinPolicyChanged`.
    package static let members = EventMembers<MPinPolicy>(
        "MPinPolicy", MPinPolicy.init,
        Member("enabled", \.enabled), Member("verification", \.verification),
        Member("maximumFailures", \.maximumFailures, .integer(failureRange)),
        Member("opensSessions", \.opensSessions))
}

/// The tenant replaced its policy for M-Pin.
package struct MPinPolicyChanged: EventPayload {
    /// The whole new policy.
    package var policy: MPinPolicy
    package var by: Authority

    package static let members = EventMembers<MPinPolicyChanged>(
        "MPinPolicyChanged", MPinPolicyChanged.init, Member(inline: \.policy), Member("by", \.by))
}
