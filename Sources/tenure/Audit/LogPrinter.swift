import Canonical
import EventCoding
import FoundationEssentials
import Ledger
import Projections

/// Prints the events of ledgers, one ledger after the other, page by page.
struct LogPrinter: Sendable {
    let source: any EventSource
    let format: ReplayFormat
    let filter: ReplayFilter
    private let output: Output
    private let table: EventTable
    private let lines: EventLines

    /// Creates a printer.
    ///
    /// - Parameter size: The number of events of the largest ledger, for the width of a column.
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

    /// Prints the selected events in the range. Progress goes to standard error.
    func run(_ selection: ReplaySelection, _ range: EventLog.Range) async throws {
        let total = selection.printed.reduce(0) { $0 + $1.size }
        let progress = ProgressReport.beside(output, "replay", unit: .event, total: total)
        try begin()
        var before: Int64 = 0
        for (ledger, size) in selection.printed {
            _ = try await print(ledger, selection, range) { progress?.update(done: before + min($0, size)) }
            before += size
            progress?.update(done: before)
        }
        progress?.finish()
    }

    /// Makes durable what was printed, before a cursor counts on it.
    func settle() throws { try output.settled() }

    /// Prints the head of the output.
    func begin() throws {
        if format == .table { try table.head() } else { try output.write(lines.head) }
    }

    /// Prints the events of one ledger.
    ///
    /// - Parameter reached: Called after each page with the position up to which everything was printed.
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
        let types = selection.types(in: ledger, filter.typeList)
        try await source.replay(ledger, range, types: types) { events, cursor in
            let events = events.filter { filter.includes($0.recorded) && selection.concerns($0) }
            if isFirst, !events.isEmpty {
                isFirst = false
                company = try await companyName(ledger)
                let title = self.title(ledger, company)
                if format == .table, !selection.isOneCompany {
                    try table.heading(title)
                } else if format == .table, !ledger.isTenant {
                    try table.heading("attempts, in the ledger of \(title)")
                }
            }
            if format == .table {
                try await names.learn(events)
                for event in events { try table.line(event, names: names.names) }
            } else if !events.isEmpty {
                try output.write(events.map { lines.line($0, company: company) }.joined())
            }
            last = cursor
            try reached(cursor)
        }
        return last
    }

    /// Whether entries can be rendered without parsing, because positions alone select them.
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

    /// The line above the events of a ledger.
    private func title(_ ledger: LedgerID, _ company: String?) -> String {
        if ledger == .system { return "system" }
        guard ledger.isTenant else { return "directory \(Hex.encode(ledger.uuid.bytes.suffix(1)))" }
        let short = EventWords.short(ledger.uuid)
        return company.map { "company \($0) \(short)" } ?? "company \(short)"
    }
}

/// Prints existing events and then new ones until it is stopped.
///
/// It writes the cursor after each page that was printed and settled: a cursor never says more than the output holds.
/// If the output fails, the cursor stays and the command ends. After a stop, the next replay continues with the next
/// event. After a crash between a page and its cursor, the next replay prints that page again and skips none.
struct FollowPrinter: Sendable {
    /// The pause between two polls without new events.
    private static let pause: Duration = .milliseconds(250)

    let printer: LogPrinter
    let reader: LedgerReader
    let cursorFile: String?

    /// Prints events until it is cancelled.
    ///
    /// - Parameter ledgers: The ledgers to follow; `nil` follows all ledgers, new ones included.
    func run(_ selection: ReplaySelection, _ range: EventLog.Range, only ledgers: Set<LedgerID>?) async throws {
        var cursor = try cursorFile.map { try ReplayCursor(file: $0) } ?? ReplayCursor()
        try printer.begin()
        do {
            while true {
                let changed = try await reader.changedLedgers(since: cursor.positions, among: ledgers)
                for id in changed.keys.sorted() {
                    var range = range
                    range.fromPosition = max(range.fromPosition ?? 1, cursor[id] + 1)
                    cursor[id] = try await printer.print(id, selection, range) { position in
                        cursor[id] = position
                        try store(cursor)
                    }
                    try store(cursor)
                }
                if changed.isEmpty { try await Task.sleep(for: Self.pause) } else { try Task.checkCancellation() }
            }
        } catch {
            // Cancellation is the normal end of following.
            guard Task.isCancelled else { throw error }
            // A write that failed because of the stop is an error all the same.
            if let failure = error as? CommandFailure { throw failure }
            if let cursorFile { Output.standardError().line("Stopped. The next one goes on from \(cursorFile).") }
        }
    }

    private func store(_ cursor: ReplayCursor) throws {
        guard let cursorFile else { return }
        try printer.settle()
        try cursor.write(to: cursorFile)
    }
}
