import Canonical
import Ledger
import Projections

/// Prints what is there and then what comes, until it is stopped.
///
/// After each page the cursor is written: a replay that was stopped goes on with the next event. One that was killed
/// between a page and its cursor prints that page again, and never skips one.
struct FollowPrinter: Sendable {
    /// How long it waits when nothing came.
    private static let pause: Duration = .milliseconds(250)

    let printer: LogPrinter
    let reader: LedgerReader
    let cursorFile: String?

    /// - Parameter ledger: The one ledger to follow; nil follows all, those too that begin later.
    func run(_ selection: ReplaySelection, _ range: EventLog.Range, only ledger: LedgerID?) async throws {
        var cursor = try cursorFile.map { try ReplayCursor(file: $0) } ?? ReplayCursor()
        printer.begin()
        do {
            while true {
                let changed = try await reader.changedLedgers(since: cursor.positions, among: ledger.map { [$0] })
                for id in changed.keys.sorted() {
                    var range = range
                    range.fromPosition = max(range.fromPosition ?? 1, cursor[id] + 1)
                    cursor[id] = try await printer.print(id, selection, range) { position in
                        cursor[id] = position
                        if let cursorFile { try cursor.write(to: cursorFile) }
                    }
                    if let cursorFile { try cursor.write(to: cursorFile) }
                }
                if changed.isEmpty { try await Task.sleep(for: Self.pause) } else { try Task.checkCancellation() }
            }
        } catch {
            // Being stopped is how following ends.
            guard Task.isCancelled else { throw error }
            if let cursorFile { Output.standardError().line("Stopped. The next one goes on from \(cursorFile).") }
        }
    }
}
