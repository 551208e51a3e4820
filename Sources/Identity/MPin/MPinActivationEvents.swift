public import Canonical

/// An event of an activation.
public enum MPinActivationEvent: AggregateEvent {
    /// A code was issued.
    case issued(MPinActivationIssued)
    /// A wrong code was entered.
    case failed(MPinActivationFailed)
    /// A start used the code.
    case used(MPinActivationUsed)

    /// The event types of this aggregate.
    public static let payloads: [any EventPayload.Type] = [
        MPinActivationIssued.self, MPinActivationFailed.self, MPinActivationUsed.self,
    ]

    /// The payload of the event.
    public var payload: any EventPayload {
        switch self {
        case .issued(let event): event
        case .failed(let event): event
        case .used(let event): event
        }
    }

    /// Wraps a payload of this aggregate; `nil` for any other.
    public init?(_ payload: any EventPayload) {
        switch payload {
        case let event as MPinActivationIssued: self = .issued(event)
        case let event as MPinActivationFailed: self = .failed(event)
        case let event as MPinActivationUsed: self = .used(event)
        default: return nil
        }
    }
}

/// A code that verifies one identity of a user id was issued.
public struct MPinActivationIssued: EventPayload {
    /// The activation.
    public var activationID: MPinActivationID
    /// The keyed digest that an entered code is compared with.
    public var digest: Bytes32
    /// The salted commitment to the user id, which the signed statement names.
    public var subject: Bytes32
    /// The user id that the code is for, encrypted under the activation's own key.
    public var userID: Personal
    /// The salt of the commitment as base64url, encrypted under the activation's own key.
    public var subjectSalt: Personal
    /// When the code expires.
    public var expiresAt: Timestamp
    /// The authority that decided.
    public var by: Authority

    /// The members as the log has them.
    public static let members = EventMembers<MPinActivationIssued>(
        "MPinActivationIssued", MPinActivationIssued.init,
        Member("activationId", \.activationID), Member("digest", \.digest), Member("subject", \.subject),
        Member("userId", \.userID), Member("subjectSalt", \.subjectSalt), Member("expiresAt", \.expiresAt),
        Member("by", \.by))
}

/// A wrong code was entered.
public struct MPinActivationFailed: EventPayload {
    /// The activation.
    public var activationID: MPinActivationID
    /// The number of wrong codes, this one included.
    public var failures: Int
    /// The number of wrong codes that ends the activation.
    public var limit: Int

    /// The members as the log has them.
    public static let members = EventMembers<MPinActivationFailed>(
        "MPinActivationFailed", MPinActivationFailed.init,
        Member("activationId", \.activationID), Member("failures", \.failures, .count),
        Member("limit", \.limit, .count))
}

/// A start used the code.
public struct MPinActivationUsed: EventPayload {
    /// The activation.
    public var activationID: MPinActivationID
    /// The identity.
    public var identityID: MPinIdentityID

    /// The members as the log has them.
    public static let members = EventMembers<MPinActivationUsed>(
        "MPinActivationUsed", MPinActivationUsed.init,
        Member("activationId", \.activationID), Member("identityId", \.identityID))
}
