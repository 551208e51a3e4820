package import Canonical

package enum MPinActivationEvent: AggregateEvent {
    case issued(MPinActivationIssued)
    case failed(MPinActivationFailed)
    case used(MPinActivationUsed)

    package static let cases = AggregateCases<MPinActivationEvent>(issued, failed, used)

    package var payload: any EventPayload {
        switch self {
        case .issued(let event): event
        case .failed(let event): event
        case .used(let event): event
        }
    }
}

/// A code that verifies one identity of a user id was issued.
package struct MPinActivationIssued: EventPayload {
    package var activationID: MPinActivationID
    /// The keyed digest that an entered code is compared with.
    package var digest: Bytes32
    /// The salted commitment to the user id, which the signed statement names.
    package var subject: Bytes32
    /// The user id that the code is for, encrypted under the activation's own key.
    package var userID: Personal
    /// The salt of the commitment as base64url, encrypted under the activation's own key.
    package var subjectSalt: Personal
    /// When the code expires.
    package var expiresAt: Timestamp
    package var by: Authority

    package static let members = EventMembers<MPinActivationIssued>(
        "MPinActivationIssued", MPinActivationIssued.init,
        Member("activationId", \.activationID), Member("digest", \.digest), Member("subject", \.subject),
        Member("userId", \.userID), Member("subjectSalt", \.subjectSalt), Member("expiresAt", \.expiresAt),
        Member("by", \.by))
}

/// A wrong code was entered.
package struct MPinActivationFailed: EventPayload {
    package var activationID: MPinActivationID
    /// The number of wrong codes, this one included.
    package var failures: Int
    /// The number of wrong codes that ends the activation.
    package var limit: Int

    package static let members = EventMembers<MPinActivationFailed>(
        "MPinActivationFailed", MPinActivationFailed.init,
        Member("activationId", \.activationID), Member("failures", \.failures, .count),
        Member("limit", \.limit, .count))
}

/// A start used the code.
package struct MPinActivationUsed: EventPayload {
    package var activationID: MPinActivationID
    package var identityID: MPinIdentityID

    package static let members = EventMembers<MPinActivationUsed>(
        "MPinActivationUsed", MPinActivationUsed.init,
        Member("activationId", \.activationID), Member("identityId", \.identityID))
}
