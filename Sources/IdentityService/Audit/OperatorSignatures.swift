import Canonical
import Credentials
import Identity
import Ledger

/// Verifies the operator's decisions with the operator key that begins the log.
enum OperatorSignatures {
    /// Returns what is wrong with the signature of an operator's decision, or `nil`.
    ///
    /// The statement has to be about this very event: its ledger, stream, type, schema and every member but `by`. It
    /// has to name the event that founded the log as its authority, and be signed by the key in that event.
    ///
    /// - Parameters:
    ///   - event: The event, with `by` of kind operator.
    ///   - signed: The signed statement in `by`.
    ///   - key: The operator key that begins the log; `nil` if it is unknown, as in a bundle without the system ledger.
    ///     The signature is then verified only with the key that the statement names.
    ///   - authority: The leaf hash of the event with that key; `nil` likewise.
    ///   - seen: The time of the system ledger's event at a position; `nil` if it is unknown.
    ///   - earliest: The earliest time at which the event may have been appended; `nil` if it is unknown.
    ///   - root: The root that the system ledger had at a size; `nil` if it is unknown.
    static func violation(
        _ event: RecordedEvent, _ signed: SignedStatement, key: PublicKeyBytes?, authority: [UInt8]?,
        seen: (Int64) -> Timestamp?, earliest: Timestamp?, root: (Int64) -> [UInt8]?
    ) -> String? {
        guard let statement = try? OperatorStatement(parsing: signed.statement, expecting: .operatorDecision) else {
            return "the operator's statement is malformed"
        }
        guard statement.context.signer.bytes == signed.key.bytes,
            let signature = try? Signature(raw: signed.signature.bytes), (try? statement.verify(signature)) != nil
        else { return "the operator's signature does not verify" }
        guard key == nil || key == signed.key else {
            return "the decision is signed with a key that is not the operator's"
        }
        guard authority == nil || authority == statement.context.authority else {
            return "the operator's statement is bound to another log"
        }
        guard statement.context.tenant == event.ledger.uuid, statement.subject == event.stream.id,
            statement.action == event.type, statement.schema == event.schema,
            statement.data == OperatorStatement.signedPart(of: event.data)
        else { return "the operator's statement is about something else" }
        let context = statement.context
        guard !StatementExpiry.hasPassed(context.expires, seen: seen(context.ledgerSize), at: earliest) else {
            return "the operator's statement had expired"
        }
        // A statement cannot name later entries of its own ledger. Ledgers have no common order.
        guard event.ledger != .system || statement.context.ledgerSize < event.position else {
            return "the operator's statement refers to later events"
        }
        if let root = root(statement.context.ledgerSize), root != statement.context.ledgerRoot {
            return "the operator's statement refers to another system ledger"
        }
        return nil
    }

    /// Checks that the log begins with the pinned operator key.
    static func violations(_ key: PublicKeyBytes?, pinned: OperatorPublicKey?) -> [Violation] {
        guard let pinned, key?.bytes != pinned.bytes else { return [] }
        let words = key == nil ? "the log names no operator key" : "the log's operator key is not the pinned one"
        return [Violation(.signature, ledger: .system, words)]
    }
}
