import Canonical
import FoundationEssentials
import Ledger
import Projections

/// Prints events of ledgers, one after the other, a page at a time.
struct LogPrinter: Sendable {
    let source: any EventSource
    let format: ReplayFormat
    let filter: ReplayFilter
    private let output: Output
    private let table: EventTable
    private let lines: EventLines

    /// - Parameter size: The number of events of the greatest ledger, for the width of a column.
    init(
        source: any EventSource, format: ReplayFormat, filter: ReplayFilter, size: Int64,
        output: Output = .standardOutput()
    ) {
        self.source = source
        self.format = format
        self.filter = filter
        self.output = output
        table = EventTable(output: output, size: size)
        lines = EventLines(format: format)
    }

    /// Prints what is selected and in the range; progress goes to standard error.
    func run(_ selection: ReplaySelection, _ range: EventLog.Range) async throws {
        let error = Output.standardError()
        let total = selection.ledgers.reduce(0) { $0 + $1.size }
        // A bar between the lines of a table on the same terminal would only disturb.
        let isQuiet = output.terminal.isInteractive && error.terminal.isInteractive
        let progress = isQuiet ? nil : ProgressReport("replay", unit: "events", total: total, output: error)
        begin()
        var before: Int64 = 0
        for (ledger, size) in selection.ledgers {
            _ = try await print(ledger, selection, range) { progress?.update(done: before + min($0, size)) }
            before += size
            progress?.update(done: before)
        }
        progress?.finish()
    }

    /// What stands above everything.
    func begin() {
        if format == .table { table.head() } else { output.write(lines.head) }
    }

    /// Prints the events of one ledger.
    ///
    /// - Parameter reached: Told after each page up to which position everything was printed.
    /// - Returns: The position up to which the ledger was read.
    func print(
        _ ledger: LedgerID, _ selection: ReplaySelection, _ range: EventLog.Range, _ reached: (Int64) throws -> Void
    ) async throws -> Int64 {
        if let log = source as? EventLog, isPlain(selection, range) {
            return try await EntryPrinter(log: log, output: output).print(ledger, range, reached)
        }
        var names = EmployeeNames(source, ledger)
        var company: String?
        var isFirst = true
        var last = (range.fromPosition ?? 1) - 1
        try await source.replay(ledger, range, types: filter.typeList) { events, cursor in
            let events = events.filter { filter.includes($0.recorded) && selection.concerns($0) }
            if isFirst, !events.isEmpty {
                isFirst = false
                company = try await companyName(ledger)
                if format == .table, !selection.isOneCompany { table.heading(title(ledger, company)) }
            }
            if format == .table {
                try await names.learn(events)
                for event in events { table.line(event, names: names.names) }
            } else if !events.isEmpty {
                output.write(events.map { lines.line($0, company: company) }.joined())
            }
            last = cursor
            try reached(cursor)
        }
        return last
    }

    /// Whether lines can be made of entries without reading them: positions alone choose.
    private func isPlain(_ selection: ReplaySelection, _ range: EventLog.Range) -> Bool {
        format == .ndjson && filter == ReplayFilter() && selection.employee == nil && range.from == nil
            && range.to == nil
    }

    private func companyName(_ ledger: LedgerID) async throws -> String? {
        guard ledger.isTenant, let founding = try await source.founding(of: ledger),
            case .string(let name)? = founding.data["companyName"]
        else { return nil }
        return name
    }

    /// What stands above the events of a ledger.
    private func title(_ ledger: LedgerID, _ company: String?) -> String {
        if ledger == .system { return "system" }
        guard ledger.isTenant else { return "directory \(Hex.encode(ledger.uuid.bytes.suffix(1)))" }
        let short = EventWords.short(ledger.uuid)
        return company.map { "company \($0) \(short)" } ?? "company \(short)"
    }
}
