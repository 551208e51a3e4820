public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A statement by which the owner of an account changes the address.
public struct EmailChangeStatement: ActionStatement {
    /// The only decision.
    public enum Action: String, StatementAction {
        /// The user gets the address that the commitment is to.
        case change

        /// The tag that belongs to the action.
        public var tag: SignatureTag { .emailChange }
    }

    /// The members every statement has.
    public var context: StatementContext
    /// The decision.
    public var action: Action
    /// The owner's account.
    public var employee: UUID
    /// The commitment to the new address, 32 bytes; see ``Commitment/email(salt:_:)``.
    public var subject: [UInt8]
    /// The reason, as a code.
    public var reason: String

    /// The members in the signed bytes.
    public static let members = MemberTable<EmailChangeStatement, Void>(
        "EmailChangeStatement", EmailChangeStatement.init,
        Member(inline: \.context), Member("action", \.action), Member("employee", \.employee),
        Member("subject", \.subject, .hash), Member("reason", \.reason, .code))

    /// A statement about the signer's own address.
    public init(context: StatementContext, action: Action, employee: UUID, subject: [UInt8], reason: String) {
        (self.context, self.action, self.employee) = (context, action, employee)
        (self.subject, self.reason) = (subject, reason)
    }
}
