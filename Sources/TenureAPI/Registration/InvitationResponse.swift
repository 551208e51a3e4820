public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The body of `POST /v1/companies/{companyName}/invitations`.
public struct InvitationRequest: Sendable, Equatable, RequestObject {
    /// The employee id that the invited person may register under.
    public var companyEmployeeId: String
    /// The only e-mail address that the person may register; `nil` permits any.
    public var email: String?
    /// The lifetime of the invitation in seconds, from 60 to 2,592,000; a week if absent.
    public var expiresInSeconds: Int64?
    /// 32 random bytes that hide the names in the statement; padded base64 on the wire. Required of callers who sign.
    public var subjectSalt: [UInt8]?
    /// The signed statement; sent with an admin's second call.
    public var signed: StatementSignature?

    /// Describes an invitation.
    public init(
        companyEmployeeId: String, email: String? = nil, expiresInSeconds: Int64? = nil, subjectSalt: [UInt8]? = nil,
        signed: StatementSignature? = nil
    ) {
        self.companyEmployeeId = companyEmployeeId
        self.email = email
        self.expiresInSeconds = expiresInSeconds
        self.subjectSalt = subjectSalt
        self.signed = signed
    }

    /// The members on the wire.
    public static let members = WireMembers<InvitationRequest>(
        "InvitationRequest", InvitationRequest.init, Member("companyEmployeeId", \.companyEmployeeId),
        Member(optional: "email", \.email),
        Member(
            optional: "expiresInSeconds", \.expiresInSeconds,
            .number(60...2_592_000, "60 to 2592000 is expected")),
        Member(optional: "subjectSalt", \.subjectSalt, .base64), .signed(\.signed))
}

/// An open invitation.
public struct InvitationResponse: Sendable, Equatable, ResponseObject {
    /// The id of the invitation, by which it is revoked.
    public var invitationId: UUID
    /// The employee id that the invited person may register under; `nil` once erased.
    public var companyEmployeeId: String?
    /// The only e-mail address that the person may register; `nil` permits any.
    public var email: String?
    /// The time when the invitation was issued.
    public var issuedAt: Timestamp
    /// The time when the invitation expires.
    public var expiresAt: Timestamp

    package init(
        invitationId: UUID, companyEmployeeId: String?, email: String?, issuedAt: Timestamp, expiresAt: Timestamp
    ) {
        self.invitationId = invitationId
        self.companyEmployeeId = companyEmployeeId
        self.email = email
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }

    /// The members on the wire.
    public static let members = WireMembers<InvitationResponse>(
        "InvitationResponse", InvitationResponse.init, Member("invitationId", \.invitationId),
        Member(optional: "companyEmployeeId", \.companyEmployeeId), Member(optional: "email", \.email),
        Member("issuedAt", \.issuedAt), Member("expiresAt", \.expiresAt))
}

/// The response to `POST /v1/companies/{companyName}/invitations`.
public enum InvitationDecisionResponse: Sendable, Equatable, JSONConvertible, RedactedDescription {
    /// The invitation is issued. `invitation` is the code that the person sends; it is shown only once.
    case done(InvitationResponse, invitation: String, position: Int64?)
    /// The caller must sign these bytes and repeat the call with the signature.
    case signatureRequired(statement: [UInt8])

    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        switch try reader.string("outcome") {
        case "done":
            self = .done(
                try reader.wire("issued"), invitation: try reader.string("invitation"),
                position: try reader.optionalInteger("position"))
        case "signatureRequired": self = .signatureRequired(statement: try reader.base64("statement"))
        default: throw reader.invalid("outcome", "an outcome of a decision is expected")
        }
    }

    /// The response as JSON.
    public var json: JSONValue {
        switch self {
        case .done(let issued, let invitation, let position):
            .objectOmittingNil([
                "outcome": "done", "issued": issued.json, "invitation": .string(invitation),
                "position": position.map(JSONValue.integer),
            ])
        case .signatureRequired(let statement):
            ["outcome": "signatureRequired", "statement": .base64(statement)]
        }
    }
}
