package import Canonical

package enum InvitationEvent: AggregateEvent {
    case issued(InvitationIssued)
    case used(InvitationUsed)
    case revoked(InvitationRevoked)

    package static let cases = AggregateCases<InvitationEvent>(issued, used, revoked)

    package var payload: any EventPayload {
        switch self {
        case .issued(let event): event
        case .used(let event): event
        case .revoked(let event): event
        }
    }
}

/// An invitation to register under an employee id was issued.
package struct InvitationIssued: EventPayload {
    package var invitationID: InvitationID
    /// The digest that a presented invitation is compared with.
    package var digest: Bytes32
    /// The salted commitment to the employee id, which the signed statement names.
    package var subject: Bytes32
    /// The employee id that the invitation is for, encrypted under the invitation's own key.
    package var companyEmployeeID: Personal
    /// The salt of the commitment as base64url, encrypted under the invitation's own key.
    package var subjectSalt: Personal
    /// The only address that may be registered, if one is named.
    package var email: Personal?
    /// When the invitation expires.
    package var expiresAt: Timestamp
    package var by: Authority

    package static let members = EventMembers<InvitationIssued>(
        "InvitationIssued", InvitationIssued.init,
        Member("invitationId", \.invitationID), Member("digest", \.digest), Member("subject", \.subject),
        Member("companyEmployeeId", \.companyEmployeeID), Member("subjectSalt", \.subjectSalt),
        Member(optional: "email", \.email), Member("expiresAt", \.expiresAt), Member("by", \.by))
}

/// A registration used an invitation.
package struct InvitationUsed: EventPayload {
    package var invitationID: InvitationID
    package var employeeID: EmployeeID

    package static let members = EventMembers<InvitationUsed>(
        "InvitationUsed", InvitationUsed.init,
        Member("invitationId", \.invitationID), Member("employeeId", \.employeeID))
}

/// An invitation ended unused.
package struct InvitationRevoked: EventPayload {
    package var invitationID: InvitationID
    package var reason: InvitationEnd
    package var by: Authority

    package static let members = EventMembers<InvitationRevoked>(
        "InvitationRevoked", InvitationRevoked.init,
        Member("invitationId", \.invitationID), Member("reason", \.reason), Member("by", \.by))
}
