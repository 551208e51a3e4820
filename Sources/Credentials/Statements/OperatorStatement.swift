public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A statement of the operator's decision: about an app or a secret, a link, a succession, a domain, an erasure.
///
/// It repeats everything in the event except who decided, so that nothing in the event can be exchanged. No event that
/// an operator signs contains personal text.
///
/// In the context, `tenant` is the ledger of the event, `authority` is the leaf hash of the system ledger's
/// `SystemFounded`, and `ledgerSize` and `ledgerRoot` are those of the system ledger that the operator saw.
public struct OperatorStatement: Statement {
    /// The members every statement has.
    public var context: StatementContext
    /// The type of the event (`action`).
    public var action: String
    /// The version of the event's members (`schema`).
    public var schema: Int
    /// The random id of the event's stream (`subject`).
    public var subject: UUID
    /// The member `data` of the event without `by` (`data`).
    public var data: JSONValue

    /// The members, which ``check()`` validates.
    public init(context: StatementContext, action: String, schema: Int, subject: UUID, data: JSONValue) {
        self.context = context
        self.action = action
        self.schema = schema
        self.subject = subject
        self.data = data
    }

    /// Hashes the exact bytes to sign.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// The only tag, `tenure/v1/operator`.
    public static let tags: [SignatureTag] = [.operatorDecision]

    /// `tenure/v1/operator`.
    public var tag: SignatureTag { .operatorDecision }

    /// The members beside those of the context.
    public var members: [String: JSONValue] {
        [
            "action": .string(action), "schema": .integer(Int64(schema)), "subject": .uuid(subject), "data": data,
        ]
    }

    /// Reads the members beside those of the context.
    public init(tag: SignatureTag, context: StatementContext, members reader: inout ObjectReader) throws {
        guard let schema = Int(exactly: try reader.integer("schema")) else {
            throw CredentialsError(.statementInvalid, field: "schema")
        }
        self.init(
            context: context, action: try reader.string("action"), schema: schema,
            subject: try reader.uuid("subject"), data: try reader.value("data"))
    }

    /// Checks sizes and names.
    ///
    /// - Throws: ``CredentialsError/Code/statementInvalid``.
    public func check() throws(CredentialsError) {
        try context.check()
        try StatementCheck.code(action, "action")
        guard (1...1_000).contains(schema) else { throw CredentialsError(.statementInvalid, field: "schema") }
        guard case .object(let members) = data, members["by"] == nil else {
            throw CredentialsError(.statementInvalid, field: "data")
        }
        guard bytes.count <= maximumStatementByteCount else { throw CredentialsError(.statementInvalid, field: "data") }
    }
}
