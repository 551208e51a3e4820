import ArgumentParser
import Canonical
import FoundationEssentials
import Identity
import Ledger
import Projections

/// Prints what happened, or what was so at a moment.
struct Replay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the log, or the state of companies and employees at a moment.",
        discussion: """
            Without --as-of every event is printed, ledger by ledger; no order between ledgers is promised. With it, \
            companies with their employees and security admins are printed as they were.

            Needs TENURE_READER_DATABASE_URL. Personal texts are opened with the keys of TENURE_MASTER_KEY_FILE; \
            those of erased people read [erased]. Times are UTC: 2026-11-21, 2026-11-21T08:30:00Z.
            """)

    @OptionGroup var options: SettingsOptions

    @Option(help: "Only this company.")
    var company: String?

    @Option(help: "Only this employee of the company: the company's own id, or the UUID.")
    var employee: String?

    @Option(help: "The first position.")
    var fromPosition: Int64?

    @Option(help: "The last position.")
    var toPosition: Int64?

    @Option(help: "Nothing before this time.")
    var from: String?

    @Option(help: "Nothing after this time.")
    var to: String?

    @Option(help: ArgumentHelp("The state at a time, or with --company at a position.", valueName: "time|position"))
    var asOf: String?

    @Flag(help: "One JSON object per line.")
    var json = false

    func validate() throws {
        guard company != nil || employee == nil else {
            throw ValidationError("--employee needs --company: an id is the company's own.")
        }
        guard company != nil || (fromPosition == nil && toPosition == nil) else {
            throw ValidationError("A position is one of a company: name it with --company.")
        }
        guard asOf == nil || (fromPosition == nil && toPosition == nil && from == nil && to == nil) else {
            throw ValidationError("--as-of is a moment of its own and goes with no range.")
        }
        guard company != nil || asOf.flatMap({ Int64($0) }) == nil else {
            throw ValidationError("A position is one of a company: name it with --company, or give --as-of a time.")
        }
    }

    func run() async throws {
        let range = EventLog.Range(
            fromPosition: fromPosition, toPosition: toPosition, from: try from.map(TimeText.parse),
            to: try to.map(TimeText.parse))
        let moment: StateAt.Moment? = try asOf.map { text in
            if let position = Int64(text) { return .position(position) }
            return .time(try TimeText.parse(text))
        }
        let (company, employee, json) = (company, employee, json)
        try await ReaderSession.run(try await options.settings()) { session in
            let log = EventLog(pool: session.pool, keys: session.keys)
            var selection = ReplaySelection(ledgers: try await log.ledgers())
            if let company { try await selection.limit(to: company, employee, session) }
            if let moment {
                try await StatePrinter(log: log, json: json).run(selection, at: moment)
            } else {
                try await LogPrinter(log: log, json: json).run(selection, range)
            }
        }
    }
}

/// Which ledgers a replay is about, and which one employee.
struct ReplaySelection: Sendable {
    private(set) var ledgers: [(id: LedgerID, size: Int64)]
    private(set) var employee: EmployeeID?
    /// Whether one company was asked for, so that its absence is a failure.
    private(set) var isOneCompany = false

    init(ledgers: [(id: LedgerID, size: Int64)]) { self.ledgers = ledgers }

    /// Limits the selection to a company, and to one of its employees.
    mutating func limit(to company: String, _ employee: String?, _ session: ReaderSession) async throws {
        let tenant = try session.tenant(company)
        ledgers = ledgers.filter { $0.id.uuid == tenant.uuid }
        isOneCompany = true
        guard !ledgers.isEmpty else { throw CommandFailure(.notFound, "there is no company of that name") }
        if let employee { self.employee = try await session.employee(employee, in: tenant) }
    }

    /// Whether an event is about the employee, done by or to.
    func concerns(_ event: OpenedEvent) -> Bool {
        guard let employee else { return true }
        return event.recorded.stream.id == employee.uuid || EventWords.people(event).contains(employee.uuid)
    }
}
