import Canonical
import FoundationEssentials
import Ledger
import Projections

/// Prints events of ledgers, one after the other, a page at a time.
struct LogPrinter: Sendable {
    let log: EventLog
    let json: Bool

    /// Prints what is selected and in the range; progress goes to standard error.
    func run(_ selection: ReplaySelection, _ range: EventLog.Range) async throws {
        let output = Output.standardOutput()
        let error = Output.standardError()
        let total = selection.ledgers.reduce(0) { $0 + $1.size }
        // A bar between the lines of a table on the same terminal would only disturb.
        let isQuiet = output.terminal.isInteractive && error.terminal.isInteractive
        let progress = isQuiet ? nil : ProgressReport("replay", unit: "events", total: total, output: error)
        let table = EventTable(output: output, size: selection.ledgers.map(\.size).max() ?? 0)
        if !json { table.head() }
        var before: Int64 = 0
        for (ledger, size) in selection.ledgers {
            var names = EmployeeNames(log, ledger)
            var hasHeading = json || selection.isOneCompany
            try await log.replay(ledger, range) { events, cursor in
                let events = events.filter(selection.concerns)
                if json {
                    for event in events { output.write(JSONLines.line(event.json)) }
                } else if !events.isEmpty {
                    if !hasHeading { table.heading(try await title(ledger)) }
                    hasHeading = true
                    try await names.learn(events)
                    for event in events { table.line(event, names: names.names) }
                }
                progress?.update(done: before + min(cursor, size))
            }
            before += size
            progress?.update(done: before)
        }
        progress?.finish()
    }

    /// What stands above the events of a ledger.
    private func title(_ ledger: LedgerID) async throws -> String {
        if ledger == .system { return "system" }
        guard ledger.isTenant else { return "directory \(Hex.encode(ledger.uuid.bytes.suffix(1)))" }
        guard let founding = try await log.reader.event(ledger, at: 1),
            case .string(let name)? = founding.data["companyName"]
        else { return "company \(EventWords.short(ledger.uuid))" }
        return "company \(name) \(EventWords.short(ledger.uuid))"
    }
}
