import Canonical
import FoundationEssentials
import Identity
import Ledger
import Projections

/// Writes what a replay would show into a bundle: whole ledgers, or some entries with their inclusion proofs.
///
/// Entries go as they are signed, sealed members and all, so no person's key is needed and an erasure reaches bundles
/// too. What is newer than the last seal cannot be proved yet and is left out.
struct BundleExport: Sendable {
    let reader: LedgerReader
    let log: EventLog
    let key: LogKey

    /// Writes a bundle; nothing is left behind when it fails.
    ///
    /// - Returns: What was written, and how many events of the selected ledgers wait for a seal.
    func run(
        to directory: String, _ selection: ReplaySelection, _ range: EventLog.Range, _ filter: ReplayFilter,
        progress: (Int64) -> Void = { _ in }
    ) async throws -> (entries: Int64, ledgers: Int, unsealed: Int64) {
        let writer = try BundleWriter(
            directory: directory, key: key, filter: Self.description(selection, range, filter))
        do {
            var total: (entries: Int64, ledgers: Int, unsealed: Int64) = (0, 0, 0)
            var before: Int64 = 0
            for (ledger, size) in selection.ledgers.sorted(by: { $0.id < $1.id }) {
                let checkpoint = try await reader.checkpoint(ledger)
                total.unsealed += max(size - (checkpoint?.checkpoint.size ?? 0), 0)
                if let checkpoint {
                    let count = try await write(ledger, checkpoint, selection, range, filter, writer) {
                        progress(before + min($0, size))
                    }
                    total.entries += count
                    total.ledgers += count > 0 ? 1 : 0
                }
                before += size
            }
            try await writer.finish()
            return total
        } catch {
            await writer.discard()
            throw error
        }
    }

    /// A ledger without an event that is wanted is not begun.
    private func write(
        _ ledger: LedgerID, _ checkpoint: SignedCheckpoint, _ selection: ReplaySelection, _ range: EventLog.Range,
        _ filter: ReplayFilter, _ writer: BundleWriter, _ reached: (Int64) -> Void
    ) async throws -> Int64 {
        let isWhole = range == EventLog.Range() && filter == ReplayFilter() && selection.employee == nil
        var range = range
        range.toPosition = min(range.toPosition ?? .max, checkpoint.checkpoint.size)
        var count: Int64 = 0
        try await log.replay(ledger, range, types: filter.typeList) { events, cursor in
            for event in events where filter.includes(event.recorded) && selection.concerns(event) {
                if count == 0 {
                    try await writer.begin(
                        checkpoint, isWhole ? .whole : .part, hashes: LedgerHashes(reader: reader, ledger: ledger))
                }
                try await writer.append(event.recorded.entry, at: event.recorded.position)
                count += 1
            }
            reached(cursor)
        }
        return count
    }

    /// What was asked for, without a word that names a person.
    static func description(
        _ selection: ReplaySelection, _ range: EventLog.Range, _ filter: ReplayFilter
    ) -> JSONValue {
        .objectOmittingNil([
            "companyId": selection.isOneCompany ? selection.ledgers.first.map { .uuid($0.id.uuid) } : nil,
            "employeeId": selection.employee?.json,
            "types": filter.typeList.map { .array($0.map(JSONValue.string)) },
            "app": filter.app.map(JSONValue.uuid), "actor": filter.actor.map(JSONValue.uuid),
            "requestId": filter.request.map(JSONValue.string),
            "fromPosition": range.fromPosition.map(JSONValue.integer),
            "toPosition": range.toPosition.map(JSONValue.integer),
            "from": range.from.map(JSONValue.timestamp), "to": range.to.map(JSONValue.timestamp),
        ])
    }
}
