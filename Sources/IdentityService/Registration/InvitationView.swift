public import Canonical
public import FoundationEssentials

/// The reply to issuing an invitation.
public enum InvitationDecision: Sendable, Equatable, CustomStringConvertible {
    /// It is issued. `invitation` is the token for the invited person, shown only once.
    case issued(InvitationView, invitation: String, position: Int64?)
    /// The caller's device key must sign these bytes. The same call with `statement` and `signature` issues the
    /// invitation.
    case signatureRequired(statement: [UInt8])

    /// A placeholder that never contains the token.
    public var description: String { "[redacted]" }
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

extension InvitationDecision: SignableAnswer {}
