import Canonical
import Credentials
import Identity
import Ledger

/// Records an event only while the statement that it carries is valid, whichever use case decides it, and with a time
/// that is not long past.
///
/// The append raises the time of an event to that of the ledger's latest one. It must not raise it beyond the expiry:
/// verification compares the recorded time with the statement.
struct ExpiringAppender: AppendTarget {
    let appender: any AppendTarget
    /// The database's clock; `nil` for tests with a clock of their own.
    var clock: DatabaseClock?

    func append(_ given: Append) async throws(LedgerError) -> AppendReceipt {
        var append = given
        if let earliest = await clock?.earliest() { append.time = max(append.time, earliest) }
        // What accepts the time of the ledger in which it is recorded has that time, however late it is.
        guard !append.mayFollowHead, let expiry = try Self.expiry(of: append.events) else {
            return try await appender.append(append)
        }
        var limited = append
        limited.notAfter = min(append.notAfter ?? expiry, expiry)
        return try await appender.append(limited)
    }

    /// The first expiry of the statements that events carry; `nil` if none carries one.
    static func expiry(of events: [NewEvent]) throws(LedgerError) -> Timestamp? {
        var first: Timestamp?
        for event in events {
            guard case .object(let members) = event.data, case .object(let by)? = members["by"],
                let text = by["statement"]
            else { continue }
            guard case .string(let encoded) = text, let bytes = Base64URL.decode(encoded),
                let expiry = StatementContext.expiry(ofStatement: bytes)
            else { throw LedgerError(.invalidEvent, "an event carries a statement without an expiry") }
            first = min(first ?? expiry, expiry)
        }
        return first
    }
}
