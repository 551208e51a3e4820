package import Canonical
package import Identity
package import Ledger

extension DisownedEntries {
    /// The rows that events of the stream of disowned rows disown, and what says so, the newest first.
    ///
    /// What disowns another row comes later, and may be disowned itself by what is later still.
    package static func decided(
        by events: [RecordedEvent]
    ) -> (entries: DisownedEntries, decisions: [(entry: EntryDisowned, time: Timestamp)]) {
        let disowned = DisownedEntries()
        var decisions: [(EntryDisowned, Timestamp)] = []
        for event in events.sorted(by: { $0.position > $1.position }) {
            let place = LedgerError.Place(ledger: event.ledger, position: event.position)
            guard disowned.leaf(at: place) != event.leaf,
                let entry = try? EventCodec.payload(of: event) as? EntryDisowned
            else { continue }
            disowned.insert(.init(ledger: LedgerID(entry.ledger), position: entry.position), leaf: entry.leaf.bytes)
            decisions.append((entry, event.time))
        }
        return (disowned, decisions)
    }
}

extension BundleReader {
    /// The entries that the bundle's part of the system ledger disowns. What is wrong with that part is found where it is
    /// read for itself.
    package func disowned() async -> DisownedEntries {
        DisownedEntries.decided(by: (try? await events(of: .disowned)) ?? []).entries
    }
}
