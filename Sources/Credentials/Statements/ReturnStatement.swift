public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A statement of a former device key that cancels the return of a security admin, or undoes it.
public struct ReturnStatement: ActionStatement {
    /// The only decision.
    public enum Action: String, StatementAction {
        /// Cancels or undoes the return.
        case cancel

        /// The only tag.
        public var tag: SignatureTag { .returnCancellation }
    }

    /// The members every statement has.
    public var context: StatementContext
    /// The only decision.
    public let action = Action.cancel
    /// The user's random id.
    public var user: UUID
    /// The random id of the security admin's account.
    public var employee: UUID
    /// SHA-256 of the 65-byte public key that comes back.
    public var keyHash: [UInt8]
    /// The hash of the entry that opened the return, or completed it, 32 bytes. So a statement that cancels undoes
    /// nothing.
    public var followsHash: [UInt8]
    /// The reason, as a code.
    public var reason: String

    /// The members in the signed bytes.
    public static let members = MemberTable<ReturnStatement, Void>(
        "ReturnStatement",
        { ReturnStatement(context: $0, user: $2, employee: $3, keyHash: $4, followsHash: $5, reason: $6) },
        Member(inline: \.context), Member("action", \.action), Member("user", \.user),
        Member("employee", \.employee), Member("key", \.keyHash, .hash), Member("follows", \.followsHash, .hash),
        Member("reason", \.reason, .code))

    /// The members, which ``check()`` validates.
    public init(
        context: StatementContext, user: UUID, employee: UUID, keyHash: [UInt8], followsHash: [UInt8], reason: String
    ) {
        (self.context, self.user, self.employee) = (context, user, employee)
        (self.keyHash, self.followsHash, self.reason) = (keyHash, followsHash, reason)
    }
}
