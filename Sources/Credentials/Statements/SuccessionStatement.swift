public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Another employee becomes the tenant's security admin.
public struct SuccessionStatement: Statement {
    /// The members every statement has; the signer is a key of the security admin who leaves.
    public var context: StatementContext
    /// The security admin who leaves, random id (`from`).
    public var from: UUID
    /// The employee who follows, random id (`to`).
    public var to: UUID
    /// The follower's authorized key (`toKey`).
    public var toKey: EmployeePublicKey
    /// Why, as a code of 1 to 64 characters A–Z a–z 0–9 `.` `_` `-` (`reason`).
    public var reason: String

    /// Collects the members; ``check()`` judges them.
    public init(context: StatementContext, from: UUID, to: UUID, toKey: EmployeePublicKey, reason: String) {
        self.context = context
        self.from = from
        self.to = to
        self.toKey = toKey
        self.reason = reason
    }

    /// The one tag, `tenure/v1/succession`.
    public static let tags: [SignatureTag] = [.succession]

    /// `tenure/v1/succession`.
    public var tag: SignatureTag { .succession }

    /// The members beside those of the context.
    public var members: [String: JSONValue] {
        ["from": .uuid(from), "to": .uuid(to), "toKey": .bytes(toKey.bytes), "reason": .string(reason)]
    }

    /// Reads the members beside those of the context.
    public init(tag: SignatureTag, context: StatementContext, members reader: inout ObjectReader) throws {
        self.init(
            context: context, from: try reader.uuid("from"), to: try reader.uuid("to"),
            toKey: try EmployeePublicKey(bytes: try reader.bytes("toKey", count: 65)),
            reason: try reader.string("reason"))
    }

    /// Judges sizes and names; nobody follows themselves.
    public func check() throws(CredentialsError) {
        try context.check()
        try StatementCheck.code(reason, "reason")
        guard from != to else { throw CredentialsError(.statementInvalid, field: "to") }
        guard toKey.bytes != context.signer.bytes else { throw CredentialsError(.statementInvalid, field: "toKey") }
    }
}
