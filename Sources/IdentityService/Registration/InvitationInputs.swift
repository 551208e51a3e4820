public import Canonical
public import FoundationEssentials

/// The input of an invitation to be issued.
public struct InvitationInput: Sendable {
    /// The tenant's name.
    public var company: String
    /// The employee id that the invited person may register under.
    public var companyEmployeeId: String
    /// The only address that the invited person may register; `nil` for any.
    public var email: String?
    /// The lifetime of the invitation, in seconds.
    public var seconds: Int64
    /// The 32 random bytes that hide the names in the statement. Required from a caller who signs, because the signing
    /// device computes the commitment too.
    public var subjectSalt: [UInt8]?
    /// The statement and an admin's signature over it, in the second call.
    public var signed: SubmittedStatement?

    /// The default lifetime of an invitation, in seconds: a week.
    public static let usualSeconds: Int64 = 7 * 86_400
    /// The lifetimes that an invitation may have, in seconds: a minute to 30 days.
    public static let secondsRange: ClosedRange<Int64> = 60...2_592_000

    /// Each parameter sets the property of the same name.
    public init(
        company: String, companyEmployeeId: String, email: String? = nil, seconds: Int64 = usualSeconds,
        subjectSalt: [UInt8]? = nil, signed: SubmittedStatement? = nil
    ) {
        self.company = company
        self.companyEmployeeId = companyEmployeeId
        self.email = email
        self.seconds = seconds
        self.subjectSalt = subjectSalt
        self.signed = signed
    }
}

/// The reply to issuing an invitation.
public enum InvitationDecision: Sendable, Equatable {
    /// It is issued. `invitation` is the token for the invited person, shown only once.
    case issued(InvitationView, invitation: String, position: Int64?)
    /// The caller's device key must sign these bytes. The same call with `statement` and `signature` issues the
    /// invitation.
    case signatureRequired(statement: [UInt8])
}

/// An open invitation as the read API returns it.
public struct InvitationView: Sendable, Equatable {
    /// The invitation.
    public var id: UUID
    /// The employee id as entered; `nil` once erased.
    public var companyEmployeeId: String?
    /// The only address that may be registered, if one is named.
    public var email: String?
    /// When it was issued.
    public var issuedAt: Timestamp
    /// When the invitation expires.
    public var expiresAt: Timestamp

    /// Each parameter sets the property of the same name.
    public init(id: UUID, companyEmployeeId: String?, email: String?, issuedAt: Timestamp, expiresAt: Timestamp) {
        self.id = id
        self.companyEmployeeId = companyEmployeeId
        self.email = email
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }
}

extension InvitationDecision: RepeatableAnswer {
    var stored: JSONValue {
        switch self {
        case .signatureRequired(let statement): ["statement": .bytes(statement)]
        case .issued(let view, let invitation, let position):
            .objectOmittingNil([
                "id": .uuid(view.id), "employee": view.companyEmployeeId.map(JSONValue.string),
                "email": view.email.map(JSONValue.string), "issued": .timestamp(view.issuedAt),
                "expires": .timestamp(view.expiresAt), "invitation": .string(invitation),
                "position": position.map(JSONValue.integer),
            ])
        }
    }

    init(stored: JSONValue) throws {
        var reader = try ObjectReader(stored)
        if let statement = try reader.optionalBytes("statement") {
            self = .signatureRequired(statement: statement)
            return
        }
        let view = InvitationView(
            id: try reader.uuid("id"), companyEmployeeId: try reader.optionalString("employee"),
            email: try reader.optionalString("email"), issuedAt: try reader.timestamp("issued"),
            expiresAt: try reader.timestamp("expires"))
        self = .issued(
            view, invitation: try reader.string("invitation"), position: try reader.optionalInteger("position"))
    }
}
