public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A statement that issues or revokes an invitation to register.
///
/// The statement contains no names. It commits to the employee id and the address, so that the signature stays
/// verifiable after the invited person is erased. With the texts and the salt the commitment can be checked.
public struct InvitationStatement: ActionStatement {
    /// The decision about the invitation.
    public enum Action: String, StatementAction {
        /// The invitation permits a registration under the employee id.
        case issue
        /// The invitation no longer permits it.
        case revoke

        /// The tag that belongs to the action.
        public var tag: SignatureTag { self == .issue ? .invitationIssue : .invitationRevocation }
    }

    /// The members every statement has.
    public var context: StatementContext
    /// The decision about the invitation.
    public var action: Action
    /// The commitment to employee id and address, 32 bytes; see ``Commitment/invitation(salt:companyName:companyEmployeeId:email:)``.
    public var subject: [UInt8]
    /// The invitation's random id. Only a revocation has it, because issuing chooses it.
    public var invitation: UUID?
    /// How many seconds the invitation is valid. Only an issue has it.
    public var seconds: Int64?
    /// The reason, as a code.
    public var reason: String

    /// The longest validity of an invitation: 30 days.
    public static let maximumSeconds: Int64 = 30 * 86_400

    /// The members in the signed bytes.
    public static let members = MemberTable<InvitationStatement, Void>(
        "InvitationStatement", InvitationStatement.init,
        Member(inline: \.context), Member("action", \.action), Member("subject", \.subject, .hash),
        Member(optional: "invitation", \.invitation),
        Member(optional: "seconds", \.seconds, .number(1...maximumSeconds)), Member("reason", \.reason, .code))

    /// The members, which ``check()`` validates.
    public init(
        context: StatementContext, action: Action, subject: [UInt8], invitation: UUID? = nil, seconds: Int64? = nil,
        reason: String
    ) {
        (self.context, self.action, self.subject) = (context, action, subject)
        (self.invitation, self.seconds, self.reason) = (invitation, seconds, reason)
    }

    /// An issue names the validity, and a revocation the invitation.
    public func checkTogether() throws(CredentialsError) {
        try require((action == .issue) == (seconds != nil), "seconds")
        try require((action == .revoke) == (invitation != nil), "invitation")
    }
}
