public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A statement that opens, confirms or cancels a recovery. The tag says which, and the member `action` repeats it.
public struct RecoveryStatement: Statement {
    /// The decision about the recovery.
    public enum Action: String, Sendable, Hashable, CaseIterable {
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
    /// The decision about the recovery (`action`).
    public var action: Action
    /// The user's random id (`user`).
    public var user: UUID
    /// The random id of the user's account in the tenant (`employee`).
    public var employee: UUID
    /// SHA-256 of the 65-byte public key of the new device (`key`).
    public var keyHash: [UInt8]
    /// The hash of the entry that the decision follows, 32 bytes (`follows`). For an opening it is the user's latest
    /// entry, so that the statement becomes void once anything happens to the user. Otherwise it is the entry that
    /// opened the recovery.
    public var followsHash: [UInt8]
    /// How many seconds the recovery is open (`seconds`). Only an opening has it.
    public var seconds: Int64?
    /// The reason, as a code of 1 to 64 characters A–Z a–z 0–9 `.` `_` `-` (`reason`).
    public var reason: String

    /// The members, which ``check()`` validates.
    public init(
        context: StatementContext, action: Action, user: UUID, employee: UUID, keyHash: [UInt8],
        followsHash: [UInt8], seconds: Int64? = nil, reason: String
    ) {
        self.context = context
        self.action = action
        self.user = user
        self.employee = employee
        self.keyHash = keyHash
        self.followsHash = followsHash
        self.seconds = seconds
        self.reason = reason
    }

    /// Opening, confirmation, cancellation.
    public static let tags: [SignatureTag] = Action.allCases.map(\.tag)

    /// The tag that belongs to the action.
    public var tag: SignatureTag { action.tag }

    /// The members beside those of the context.
    public var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "action": .string(action.rawValue), "user": .uuid(user), "employee": .uuid(employee),
            "key": .bytes(keyHash), "follows": .bytes(followsHash), "reason": .string(reason),
        ]
        if let seconds { members["seconds"] = .integer(seconds) }
        return members
    }

    /// Reads the members beside those of the context.
    public init(tag: SignatureTag, context: StatementContext, members reader: inout ObjectReader) throws {
        guard let action = Action(rawValue: try reader.string("action")), action.tag == tag else {
            throw CredentialsError(.statementInvalid, field: "action")
        }
        self.init(
            context: context, action: action, user: try reader.uuid("user"), employee: try reader.uuid("employee"),
            keyHash: try reader.bytes("key", count: 32), followsHash: try reader.bytes("follows", count: 32),
            seconds: try reader.optionalInteger("seconds"), reason: try reader.string("reason"))
    }

    /// Checks sizes and names. Only an opening names a duration.
    ///
    /// - Throws: ``CredentialsError/Code/statementInvalid``.
    public func check() throws(CredentialsError) {
        try context.check()
        try StatementCheck.hash(keyHash, "key")
        try StatementCheck.hash(followsHash, "follows")
        try StatementCheck.code(reason, "reason")
        guard (action == .open) == (seconds != nil), seconds.map({ (1...31_536_000).contains($0) }) ?? true else {
            throw CredentialsError(.statementInvalid, field: "seconds")
        }
    }
}
