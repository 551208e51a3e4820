public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A statement that issues or revokes an invitation to register. The tag says which, and the member `action` repeats
/// it.
///
/// The statement contains no names. It commits to the employee id and the address, so that the signature stays
/// verifiable after the invited person is erased. With the texts and the salt the commitment can be checked.
public struct InvitationStatement: Statement {
    /// The decision about the invitation.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        /// The invitation permits a registration under the employee id.
        case issue
        /// The invitation no longer permits it.
        case revoke

        /// The tag that belongs to the action.
        public var tag: SignatureTag {
            switch self {
            case .issue: .invitationIssue
            case .revoke: .invitationRevocation
            }
        }
    }

    /// The members every statement has.
    public var context: StatementContext
    /// The decision about the invitation (`action`).
    public var action: Action
    /// The commitment to employee id and address, 32 bytes (`subject`); see ``Commitment/invitation(salt:companyName:companyEmployeeId:email:)``.
    public var subject: [UInt8]
    /// The invitation's random id (`invitation`). Only a revocation has it, because issuing chooses it.
    public var invitation: UUID?
    /// How many seconds the invitation is valid (`seconds`). Only an issue has it.
    public var seconds: Int64?
    /// The reason, as a code of 1 to 64 characters A–Z a–z 0–9 `.` `_` `-` (`reason`).
    public var reason: String

    /// The longest validity of an invitation: 30 days.
    public static let maximumSeconds: Int64 = 30 * 86_400

    /// The members, which ``check()`` validates.
    public init(
        context: StatementContext, action: Action, subject: [UInt8], invitation: UUID? = nil, seconds: Int64? = nil,
        reason: String
    ) {
        self.context = context
        self.action = action
        self.subject = subject
        self.invitation = invitation
        self.seconds = seconds
        self.reason = reason
    }

    /// Issue, revocation.
    public static let tags: [SignatureTag] = Action.allCases.map(\.tag)

    /// The tag that belongs to the action.
    public var tag: SignatureTag { action.tag }

    /// The members beside those of the context.
    public var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "action": .string(action.rawValue), "subject": .bytes(subject), "reason": .string(reason),
        ]
        if let invitation { members["invitation"] = .uuid(invitation) }
        if let seconds { members["seconds"] = .integer(seconds) }
        return members
    }

    /// Reads the members beside those of the context.
    public init(tag: SignatureTag, context: StatementContext, members reader: inout ObjectReader) throws {
        guard let action = Action(rawValue: try reader.string("action")), action.tag == tag else {
            throw CredentialsError(.statementInvalid, field: "action")
        }
        self.init(
            context: context, action: action, subject: try reader.bytes("subject", count: 32),
            invitation: try reader.optionalUUID("invitation"), seconds: try reader.optionalInteger("seconds"),
            reason: try reader.string("reason"))
    }

    /// Checks sizes and names. An issue names the validity, and a revocation the invitation.
    ///
    /// - Throws: ``CredentialsError/Code/statementInvalid``.
    public func check() throws(CredentialsError) {
        try context.check()
        try StatementCheck.hash(subject, "subject")
        try StatementCheck.code(reason, "reason")
        guard (action == .issue) == (seconds != nil), seconds.map({ (1...Self.maximumSeconds).contains($0) }) ?? true
        else { throw CredentialsError(.statementInvalid, field: "seconds") }
        guard (action == .revoke) == (invitation != nil) else {
            throw CredentialsError(.statementInvalid, field: "invitation")
        }
    }
}
