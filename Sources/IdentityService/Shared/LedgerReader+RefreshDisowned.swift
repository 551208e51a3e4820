import EventCoding
import Identity
package import Ledger

extension LedgerReader {
    /// Reads into ``codes`` which rows the log disowns.
    ///
    /// - Throws: ``LedgerError``.
    package func refreshDisowned() async throws {
        let disowned = codes.disowned, page = 500
        while true {
            let rows = try await rows(of: .disowned, after: disowned.version, limit: page)
            for row in rows {
                // A row of this stream that no service wrote says nothing, whoever disowns it.
                let event: RecordedEvent
                do { event = try row.event() } catch { continue }
                guard let entry = try EventCodec.payload(of: event) as? EntryDisowned else { continue }
                disowned.insert(
                    .init(ledger: LedgerID(entry.ledger), position: entry.position), leaf: entry.leaf.bytes)
            }
            if let last = rows.last { disowned.version = last.streamVersion }
            if rows.count < page { return }
        }
    }
}
