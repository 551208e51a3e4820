public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A statement that opens, confirms or cancels a recovery.
public struct RecoveryStatement: ActionStatement {
    /// The decision about the recovery.
    public enum Action: String, StatementAction {
        /// Opens the recovery: one key may set new credentials once another person confirms.
        case open
        /// Confirms the recovery.
        case confirm
        /// Cancels the recovery.
        case cancel

        /// The tag that belongs to the action.
        public var tag: SignatureTag {
            switch self {
            case .open: .recoveryOpening
            case .confirm: .recoveryConfirmation
            case .cancel: .recoveryCancellation
            }
        }
    }

    /// The members every statement has.
    public var context: StatementContext
    /// The decision about the recovery.
    public var action: Action
    /// The user's random id.
    public var user: UUID
    /// The random id of the user's account in the tenant.
    public var employee: UUID
    /// SHA-256 of the 65-byte public key of the new device.
    public var keyHash: [UInt8]
    /// The hash of the entry that the decision follows, 32 bytes. For an opening it is the user's latest entry, so that
    /// the statement becomes void once anything happens to the user. Otherwise it is the entry with the opening.
    public var followsHash: [UInt8]
    /// How many seconds the recovery is open, at most a year. Only an opening has it.
    public var seconds: Int64?
    /// The reason, as a code.
    public var reason: String

    /// The members in the signed bytes.
    public static let members = MemberTable<RecoveryStatement, Void>(
        "RecoveryStatement", RecoveryStatement.init,
        Member(inline: \.context), Member("action", \.action), Member("user", \.user),
        Member("employee", \.employee), Member("key", \.keyHash, .hash), Member("follows", \.followsHash, .hash),
        Member(optional: "seconds", \.seconds, .number(1...31_536_000)), Member("reason", \.reason, .code))

    /// The members, which ``check()`` validates.
    public init(
        context: StatementContext, action: Action, user: UUID, employee: UUID, keyHash: [UInt8],
        followsHash: [UInt8], seconds: Int64? = nil, reason: String
    ) {
        (self.context, self.action, self.user, self.employee) = (context, action, user, employee)
        (self.keyHash, self.followsHash, self.seconds, self.reason) = (keyHash, followsHash, seconds, reason)
    }

    /// Only an opening names a duration.
    public func checkTogether() throws(CredentialsError) {
        try require((action == .open) == (seconds != nil), "seconds")
    }
}
