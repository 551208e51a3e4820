public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A statement that verifies, links or revokes an M-Pin identity, or issues an activation code.
///
/// The statement contains no user id. It names the hash of the M-Pin ID, or commits to the user id that a code is for.
public struct MPinStatement: ActionStatement {
    /// The decision.
    public enum Action: String, StatementAction {
        /// The identity is verified.
        case verify
        /// The identity belongs to the device that signs, and to an account of its owner.
        case link
        /// The identity ends for good.
        case revoke
        /// A code may verify an identity of the user id.
        case activate

        /// The tag that belongs to the action.
        public var tag: SignatureTag {
            switch self {
            case .verify: .mpinVerification
            case .link: .mpinLink
            case .revoke: .mpinRevocation
            case .activate: .mpinActivation
            }
        }
    }

    /// The members every statement has.
    public var context: StatementContext
    /// The decision.
    public var action: Action
    /// The SHA-256 of the M-Pin ID; for a code the salted commitment to the user id. 32 bytes.
    public var subject: [UInt8]
    /// The identity's random id. Only a code has none.
    public var identity: UUID?
    /// The account that the identity is linked to. Only a link has it.
    public var employee: UUID?
    /// The reason, as a code.
    public var reason: String

    /// The members in the signed bytes.
    public static let members = MemberTable<MPinStatement, Void>(
        "MPinStatement", MPinStatement.init,
        Member(inline: \.context), Member("action", \.action), Member("subject", \.subject, .hash),
        Member(optional: "identity", \.identity), Member(optional: "employee", \.employee),
        Member("reason", \.reason, .code))

    /// The members, which ``check()`` validates.
    public init(
        context: StatementContext, action: Action, subject: [UInt8], identity: UUID? = nil, employee: UUID? = nil,
        reason: String
    ) {
        (self.context, self.action, self.subject) = (context, action, subject)
        (self.identity, self.employee, self.reason) = (identity, employee, reason)
    }

    /// A code names no identity, and only a link names an account.
    public func checkTogether() throws(CredentialsError) {
        try require((action == .activate) == (identity == nil), "identity")
        try require((action == .link) == (employee != nil), "employee")
    }
}
