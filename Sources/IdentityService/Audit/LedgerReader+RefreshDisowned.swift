import EventCoding
import Identity
package import Ledger

extension LedgerReader {
    /// Reads into ``codes`` which rows the log disowns, and where the codes of older keys end.
    ///
    /// - Throws: ``LedgerError``.
    package func refreshDisowned() async throws {
        let disowned = codes.disowned, page = 500
        while true {
            let rows = try await rows(of: .disowned, after: disowned.version, limit: page)
            // What lies behind a gap no service wrote.
            for row in rows where row.streamVersion == disowned.version + 1 {
                disowned.version = row.streamVersion
                // A row of this stream that no service wrote says nothing, whoever disowns it.
                let event: RecordedEvent
                do { event = try row.event() } catch { continue }
                switch try EventCodec.payload(of: event) {
                case let entry as EntryDisowned:
                    disowned.insert(
                        .init(ledger: LedgerID(entry.ledger), position: entry.position), leaf: entry.leaf.bytes)
                case let replaced as EventsKeyReplaced:
                    let sizes = replaced.sizes.map { (LedgerID($0.ledger), $0.size) }
                    disowned.end(key: replaced.key, at: Dictionary(sizes, uniquingKeysWith: min))
                default: break
                }
            }
            guard rows.count == page, rows.last?.streamVersion == disowned.version else { return }
        }
    }
}
