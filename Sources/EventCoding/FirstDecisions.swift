import Canonical
package import Ledger

/// The events of one stream without the copies of decisions.
///
/// A signed statement decides once. Somebody who can write to the database, and has no key, may append a lawful decision
/// again after it was taken back; such a copy changes nothing. Verification reports it, and finds copies in other streams
/// too, which a stream alone does not show.
package enum FirstDecisions {
    /// One effect of a statement: a reclaim ends several accounts and an undone return several device keys, each by an
    /// event of its own.
    private struct Effect: Hashable {
        let type: String
        let subject: String?
        let key: String?
        let statement: String
    }

    /// Returns the events in their order, each decision by a statement once for each subject.
    package static func of(_ events: [RecordedEvent]) -> [RecordedEvent] {
        var known: Set<Effect> = []
        return events.filter { event in
            guard case .string(let statement)? = event.data["by"]?["statement"] else { return true }
            var subject: String?
            var key: String?
            if case .string(let text)? = event.data["employeeId"] { subject = text }
            if case .string(let text)? = event.data["key"] { key = text }
            return known.insert(Effect(type: event.type, subject: subject, key: key, statement: statement)).inserted
        }
    }
}
