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
    /// The permanent type name of the event.
    public static let type = "InvitationIssued"
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

    /// Each parameter sets the member of the same name.
    public init(
        invitationID: InvitationID, digest: Bytes32, subject: Bytes32, companyEmployeeID: Personal,
        subjectSalt: Personal,
        email: Personal? = nil, expiresAt: Timestamp, by: Authority
    ) {
        self.invitationID = invitationID
        self.digest = digest
        self.subject = subject
        self.companyEmployeeID = companyEmployeeID
        self.subjectSalt = subjectSalt
        self.email = email
        self.expiresAt = expiresAt
        self.by = by
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "invitationId": invitationID.json,
            "digest": .bytes(digest.bytes),
            "subject": .bytes(subject.bytes),
            "companyEmployeeId": coder.seal(companyEmployeeID, at: "/data/companyEmployeeId"),
            "subjectSalt": coder.seal(subjectSalt, at: "/data/subjectSalt"),
            "email": try email.map { try coder.seal($0, at: "/data/email") },
            "expiresAt": .timestamp(expiresAt),
            "by": by.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        invitationID = try reader.id("invitationId")
        digest = try reader.bytes32("digest")
        subject = try reader.bytes32("subject")
        companyEmployeeID = try reader.personal("companyEmployeeId")
        subjectSalt = try reader.personal("subjectSalt")
        email = try reader.optionalPersonal("email")
        expiresAt = try reader.time("expiresAt")
        by = try reader.authority()
        try reader.finish()
    }
}

/// A registration used an invitation.
public struct InvitationUsed: EventPayload {
    /// The permanent type name of the event.
    public static let type = "InvitationUsed"
    /// The invitation.
    public var invitationID: InvitationID
    /// The employee.
    public var employeeID: EmployeeID

    /// Each parameter sets the member of the same name.
    public init(
        invitationID: InvitationID, employeeID: EmployeeID
    ) {
        self.invitationID = invitationID
        self.employeeID = employeeID
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .objectOmittingNil([
            "invitationId": invitationID.json,
            "employeeId": employeeID.json,
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        invitationID = try reader.id("invitationId")
        employeeID = try reader.id("employeeId")
        try reader.finish()
    }
}

/// An invitation ended unused.
public struct InvitationRevoked: EventPayload {
    /// The permanent type name of the event.
    public static let type = "InvitationRevoked"
    /// The invitation.
    public var invitationID: InvitationID
    /// The reason, as a code.
    public var reason: InvitationEnd
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(
        invitationID: InvitationID, reason: InvitationEnd, by: Authority
    ) {
        self.invitationID = invitationID
        self.reason = reason
        self.by = by
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "invitationId": invitationID.json,
            "reason": .string(reason.rawValue),
            "by": by.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        invitationID = try reader.id("invitationId")
        reason = try reader.one("reason")
        by = try reader.authority()
        try reader.finish()
    }
}
