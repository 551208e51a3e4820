import ArgumentParser
import Canonical
import Identity
import Postgres
import Projections

/// Rebuilds projections from the log.
struct RebuildViews: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild",
        abstract: "Rebuild projections from the log beside the live ones, compare, and cut over.",
        discussion: """
            Reads are served during a rebuild. A stopped rebuild resumes where it was. --dry-run does not cut over, \
            and exits with 5 if the live projections differ from the log.

            A damaged event stops the rebuild of its own company only, which keeps its rows and is named. The exit code \
            is then 1.

            Needs TENURE_READER_DATABASE_URL, and TENURE_MASTER_KEY_FILE with --company.
            Projections: \(ProjectionName.all.map(\.rawValue).joined(separator: ", ")).

            Examples:
              tenure rebuild --dry-run
              tenure rebuild employees --company harbour.example
            """)

    @OptionGroup var options: SettingsOptions

    @Argument(help: "The projections to rebuild. Default: all.")
    var views: [String] = []

    @Option(help: "Rebuild only the rows of this company.")
    var company: String?

    @Flag(help: "Report the differences and change nothing.")
    var dryRun = false

    @Option(help: "The number of companies to rebuild concurrently.")
    var jobs = 2

    @Option(help: "table, or ndjson: one JSON object per progress report, per difference, and for the result.")
    var format = Format.table

    /// The output format of the command.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case table, ndjson
    }

    func validate() throws {
        guard (1...64).contains(jobs) else { throw ValidationError("--jobs takes 1 to 64.") }
        for view in views where ProjectionName(known: view) == nil {
            throw ValidationError(
                "There is no projection \(Printable.text(view)). There are \(ProjectionName.all.map(\.rawValue).joined(separator: ", "))."
            )
        }
    }

    func run() async throws {
        let named = Set(views.compactMap(ProjectionName.init(known:)))
        let (company, dryRun, jobs, format) = (company, dryRun, jobs, format)
        let connections = jobs * 2 + 2
        let report = try await ReaderSession.run(
            try await options.settings(), maximumConnections: connections
        ) { session in
            // Without keys it could not tell what a service wrote.
            guard session.ring != nil else {
                throw CommandFailure(.usage, "\(Settings.Name.masterKeyFile.variable) is not set")
            }
            let request = RebuildRequest(
                views: named.isEmpty ? Set(ProjectionName.all) : named,
                tenant: try company.map { try session.tenant($0) }, isDryRun: dryRun, jobs: jobs)
            return try await Self.rebuild(request, session, format)
        }
        let output = Output.standardOutput()
        try DifferenceText.print(report.differences, json: format == .ndjson, on: output)
        if format == .ndjson { try output.write(JSONLines.line(Self.json(report))) }
        let count = report.differenceCount
        if count > report.differences.count {
            Output.standardError().line("Only the first \(report.differences.count) are shown.")
        }
        let mended = !report.hasSwitched ? "" : report.kept.isEmpty ? ", repaired" : ", repaired where possible"
        Output.standardError().line(
            count == 0
                ? "The live projections matched the log." : "\(Noun.difference.counted(count)) from the log\(mended).")
        if let failure = DamagedCompanies(report.kept).failure("rebuilt; the live rows there are unchanged") {
            throw failure
        }
        if dryRun, count > 0 { throw ExitCode.drift }
    }

    private static func rebuild(
        _ request: RebuildRequest, _ session: ReaderSession, _ format: Format
    ) async throws -> RebuildReport {
        let report = RebuildProgressReport(isDryRun: request.isDryRun, isForMachines: format == .ndjson)
        do {
            let result = try await Rebuild(pool: session.pool, codes: session.codes, logger: session.logger).run(
                request
            ) { progress in
                report.update(progress)
            }
            try report.finish()
            guard request.tenant == nil || result.companies > 0 else {
                throw CommandFailure(.notFound, "there is no company of that name")
            }
            return result
        } catch let error as ProjectionError {
            let isBusy = error.code == .superseded
            throw CommandFailure(
                isBusy ? .busy : .failure, error.reason, remedy: isBusy ? "Run the command again." : nil)
        }
    }

    private static func json(_ report: RebuildReport) -> JSONValue {
        .object([
            "kind": "result", "companies": .integer(Int64(report.companies)), "events": .integer(report.events),
            "differences": .integer(Int64(report.differenceCount)), "switched": .bool(report.hasSwitched),
            "damaged": DamagedCompanies(report.kept).json,
        ])
    }
}

/// Reports the progress of a rebuild: to people on standard error as a bar or lines, to programs on standard output as
/// at most two JSON objects per second.
final class RebuildProgressReport: Sendable {
    private static let pause: Duration = .milliseconds(500)

    private let persons: ProgressReport?
    private let output = Output.standardOutput()
    private let start = ContinuousClock.now
    private let told = Lock<ContinuousClock.Instant?>(nil)
    private let failure = Lock<(any Error)?>(nil)

    init(isDryRun: Bool, isForMachines: Bool) {
        persons = isForMachines ? nil : ProgressReport(isDryRun ? "compare" : "rebuild", unit: .event, total: nil)
    }

    func update(_ progress: RebuildProgress) {
        if let persons { return persons.update(done: progress.done, of: progress.total) }
        let now = ContinuousClock.now
        let isDue = told.withLock { told in
            guard told.map({ now - $0 >= Self.pause }) ?? true || progress.done >= progress.total else { return false }
            told = now
            return true
        }
        guard isDue else { return }
        let elapsed = (now - start) / .seconds(1)
        let rate = elapsed > 0 ? Int64(Double(progress.done) / elapsed) : 0
        let line = JSONLines.line(
            .object([
                "kind": "progress", "done": .integer(progress.done), "total": .integer(progress.total),
                "elapsedMilliseconds": .integer(Int64(elapsed * 1_000)), "eventsPerSecond": .integer(rate),
            ]))
        do { try output.write(line) } catch { failure.withLock { $0 = $0 ?? error } }
    }

    /// Removes the bar.
    ///
    /// - Throws: The first error of a line for programs. A lost line does not stop a rebuild, but fails the command.
    func finish() throws {
        persons?.finish()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
