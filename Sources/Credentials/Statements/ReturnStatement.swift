public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A statement of a former device key that cancels the return of a security admin, or undoes it.
public struct ReturnStatement: Statement {
    /// The members every statement has.
    public var context: StatementContext
    /// The user's random id (`user`).
    public var user: UUID
    /// The random id of the security admin's account (`employee`).
    public var employee: UUID
    /// SHA-256 of the 65-byte public key that comes back (`key`).
    public var keyHash: [UInt8]
    /// The hash of the entry that opened the return, or completed it, 32 bytes (`follows`). So a statement that cancels
    /// undoes nothing.
    public var followsHash: [UInt8]
    /// The reason, as a code of 1 to 64 characters A–Z a–z 0–9 `.` `_` `-` (`reason`).
    public var reason: String

    /// The members, which ``check()`` validates.
    public init(
        context: StatementContext, user: UUID, employee: UUID, keyHash: [UInt8], followsHash: [UInt8], reason: String
    ) {
        self.context = context
        self.user = user
        self.employee = employee
        self.keyHash = keyHash
        self.followsHash = followsHash
        self.reason = reason
    }

    /// The only tag.
    public static let tags: [SignatureTag] = [.returnCancellation]

    /// The only tag.
    public var tag: SignatureTag { .returnCancellation }

    /// The members beside those of the context.
    public var members: [String: JSONValue] {
        [
            "action": .string(Self.action), "user": .uuid(user), "employee": .uuid(employee), "key": .bytes(keyHash),
            "follows": .bytes(followsHash), "reason": .string(reason),
        ]
    }

    private static let action = "cancel"

    /// Reads the members beside those of the context.
    public init(tag: SignatureTag, context: StatementContext, members reader: inout ObjectReader) throws {
        guard try reader.string("action") == Self.action else {
            throw CredentialsError(.statementInvalid, field: "action")
        }
        self.init(
            context: context, user: try reader.uuid("user"), employee: try reader.uuid("employee"),
            keyHash: try reader.bytes("key", count: 32), followsHash: try reader.bytes("follows", count: 32),
            reason: try reader.string("reason"))
    }

    /// Checks sizes and names.
    ///
    /// - Throws: ``CredentialsError/Code/statementInvalid``.
    public func check() throws(CredentialsError) {
        try context.check()
        try StatementCheck.hash(keyHash, "key")
        try StatementCheck.hash(followsHash, "follows")
        try StatementCheck.code(reason, "reason")
    }
}
