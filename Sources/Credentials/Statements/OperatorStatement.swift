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
    /// The type of the event.
    public var action: String
    /// The version of the event's members, 1 to 1,000.
    public var schema: Int
    /// The random id of the event's stream.
    public var subject: UUID
    /// The member `data` of the event without `by`.
    public var data: JSONValue

    /// The members in the signed bytes.
    public static let members = MemberTable<OperatorStatement, Void>(
        "OperatorStatement", OperatorStatement.init,
        Member(inline: \.context), Member("action", \.action, .code), Member("schema", \.schema, .number(1...1_000)),
        Member("subject", \.subject), Member("data", \.data, dataKind))

    private static let dataKind = MemberKind<JSONValue>(.object(name: "Data")) { (json, place) throws(JSONError) in
        guard case .object(let members) = json, members["by"] == nil else { throw place.invalid("data without by") }
        return json
    } write: { (json, _) in
        json
    }

    /// The members, which ``check()`` validates.
    public init(context: StatementContext, action: String, schema: Int, subject: UUID, data: JSONValue) {
        (self.context, self.action, self.schema) = (context, action, schema)
        (self.subject, self.data) = (subject, data)
    }

    /// Hashes the exact bytes to sign.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// The only tag.
    public static let tags: [SignatureTag] = [.operatorDecision]

    /// A statement is not larger than those that are read.
    public func checkTogether() throws(CredentialsError) {
        try require(bytes.count <= maximumStatementByteCount, "data")
    }
}
