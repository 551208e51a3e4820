public import Canonical

/// A proof was wrong.
public struct MPinAuthenticationFailed: EventPayload {
    /// The number of consecutive wrong proofs, this one included.
    public var failures: Int
    /// The number of consecutive wrong proofs that blocks the identity.
    public var limit: Int
    /// The number of wrong proofs since the identity started, this one included.
    public var lifetime: Int

    /// The members as the log has them.
    public static let members = EventMembers<MPinAuthenticationFailed>(
        "MPinAuthenticationFailed", MPinAuthenticationFailed.init,
        Member("failures", \.failures, .count), Member("limit", \.limit, .count),
        Member("lifetime", \.lifetime, .count))
}

/// A right proof set the count of consecutive wrong proofs back to zero.
public struct MPinFailuresCleared: EventPayload {

    /// The members as the log has them.
    public static let members = EventMembers<MPinFailuresCleared>(
        "MPinFailuresCleared", MPinFailuresCleared.init)
}

/// Wrong proofs ended the identity for good.
public struct MPinBlocked: EventPayload {
    /// The limit that was reached.
    public var reason: MPinBlockReason

    /// The members as the log has them.
    public static let members = EventMembers<MPinBlocked>(
        "MPinBlocked", MPinBlocked.init,
        Member("reason", \.reason))
}

/// The identity ended for good by a decision or by a rule.
public struct MPinRevoked: EventPayload {
    /// The reason, as a code.
    public var reason: MPinRevocationReason
    /// The authority that decided.
    public var by: Authority

    /// The members as the log has them.
    public static let members = EventMembers<MPinRevoked>(
        "MPinRevoked", MPinRevoked.init,
        Member("reason", \.reason), Member("by", \.by))
}

/// The identity's personal data was erased: its key is destroyed with this event or right after it.
public struct MPinErased: EventPayload {
    /// The authority that decided.
    public var by: Authority

    /// The members as the log has them.
    public static let members = EventMembers<MPinErased>(
        "MPinErased", MPinErased.init,
        Member("by", \.by))
}

/// A flow received a right proof of an identity.
public struct MPinAuthenticated: EventPayload {
    /// The identity.
    public var identityID: MPinIdentityID

    /// The members as the log has them.
    public static let members = EventMembers<MPinAuthenticated>(
        "MPinAuthenticated", MPinAuthenticated.init,
        Member("identityId", \.identityID))

    package init(identityID: MPinIdentityID) {
        self.identityID = identityID
    }
}

/// A flow took a proof of an M-Pin identity in the place of answers, and its device signed the flow's challenge.
///
/// The signature is verifiable by anybody. The verdict about the PIN is the word of the service.
public struct MPinValidated: EventPayload {
    /// The challenge: the exact bytes that were signed.
    public var challenge: [UInt8]
    /// The device's signature over the challenge.
    public var deviceSignature: SignatureBytes

    /// The members as the log has them.
    public static let members = EventMembers<MPinValidated>(
        "MPinValidated", MPinValidated.init,
        Member("challenge", \.challenge, .bytes(EventLimits.challenge)),
        Member("deviceSignature", \.deviceSignature))

    package init(challenge: [UInt8], deviceSignature: SignatureBytes) {
        self.challenge = challenge
        self.deviceSignature = deviceSignature
    }
}
