import Ledger
import Projections

extension Replay {
    /// Prints a bundle.
    func replay(_ reader: BundleReader, _ range: EventLog.Range, _ format: ReplayFormat) async throws {
        let which = which
        try await Interruption.stopping {
            let bundle = BundleLog(reader)
            let selection = try await which.selection(bundle)
            let printer = LogPrinter(
                source: bundle, format: format, filter: try which.filter(),
                size: selection.ledgers.map(\.size).max() ?? 0)
            try await printer.run(selection, range)
        }
    }

    /// Writes a bundle and says what is in it.
    static func export(
        _ selection: ReplaySelection, _ range: EventLog.Range, _ filter: ReplayFilter, to directory: String,
        _ key: LogKey, _ session: ReaderSession
    ) async throws {
        let log = EventLog(pool: session.pool, keys: nil)
        let total = selection.ledgers.reduce(0) { $0 + $1.size }
        let error = Output.standardError()
        let progress = ProgressReport("export", unit: "events", total: total, output: error)
        let export = BundleExport(reader: log.reader, log: log, key: key)
        let written = try await export.run(to: directory, selection, range, filter) { progress.update(done: $0) }
        progress.finish()
        error.line("\(written.entries) events of \(written.ledgers) ledgers are in \(Printable.text(directory)).")
        if written.unsealed > 0 {
            error.line("\(written.unsealed) events are newer than the last seal and are not in it.")
        }
    }
}
