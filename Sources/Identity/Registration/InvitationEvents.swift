public import Canonical

/// An event of an invitation.
public enum InvitationEvent: AggregateEvent {
    /// An invitation was issued.
    case issued(InvitationIssued)
    /// A registration used the invitation.
    case used(InvitationUsed)
    /// The invitation ended unused.
    case revoked(InvitationRevoked)

    /// The event types of this aggregate.
    public static let payloads: [any EventPayload.Type] = [
        InvitationIssued.self, InvitationUsed.self, InvitationRevoked.self,
    ]

    /// The payload of the event.
    public var payload: any EventPayload {
        switch self {
        case .issued(let event): event
        case .used(let event): event
        case .revoked(let event): event
        }
    }

    /// Wraps a payload of this aggregate; `nil` for any other.
    public init?(_ payload: any EventPayload) {
        switch payload {
        case let event as InvitationIssued: self = .issued(event)
        case let event as InvitationUsed: self = .used(event)
        case let event as InvitationRevoked: self = .revoked(event)
        default: return nil
        }
    }
}

/// An invitation to register under an employee id was issued.
public struct InvitationIssued: EventPayload {
    /// The invitation.
    public var invitationID: InvitationID
    /// The digest that a presented invitation is compared with.
    public var digest: Bytes32
    /// The salted commitment to the employee id, which the signed statement names.
    public var subject: Bytes32
    /// The employee id that the invitation is for, encrypted under the invitation's own key.
    public var companyEmployeeID: Personal
    /// The salt of the commitment as base64url, encrypted under the invitation's own key.
    public var subjectSalt: Personal
    /// The only address that may be registered, if one is named.
    public var email: Personal?
    /// When the invitation expires.
    public var expiresAt: Timestamp
    /// The authority that decided.
    public var by: Authority

    /// The members as the log has them.
    public static let members = EventMembers<InvitationIssued>(
        "InvitationIssued", InvitationIssued.init,
        Member("invitationId", \.invitationID), Member("digest", \.digest), Member("subject", \.subject),
        Member("companyEmployeeId", \.companyEmployeeID), Member("subjectSalt", \.subjectSalt),
        Member(optional: "email", \.email), Member("expiresAt", \.expiresAt), Member("by", \.by))
}

/// A registration used an invitation.
public struct InvitationUsed: EventPayload {
    /// The invitation.
    public var invitationID: InvitationID
    /// The employee.
    public var employeeID: EmployeeID

    /// The members as the log has them.
    public static let members = EventMembers<InvitationUsed>(
        "InvitationUsed", InvitationUsed.init,
        Member("invitationId", \.invitationID), Member("employeeId", \.employeeID))
}

/// An invitation ended unused.
public struct InvitationRevoked: EventPayload {
    /// The invitation.
    public var invitationID: InvitationID
    /// The reason, as a code.
    public var reason: InvitationEnd
    /// The authority that decided.
    public var by: Authority

    /// The members as the log has them.
    public static let members = EventMembers<InvitationRevoked>(
        "InvitationRevoked", InvitationRevoked.init,
        Member("invitationId", \.invitationID), Member("reason", \.reason), Member("by", \.by))
}
