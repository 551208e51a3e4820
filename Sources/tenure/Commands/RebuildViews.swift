import ArgumentParser
import Canonical
import FoundationEssentials
import Identity
import Projections

/// Builds views anew from the log.
struct RebuildViews: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild",
        abstract: "Build views anew from the log beside the live ones, compare, and switch.",
        discussion: """
            Reads are served all along, and a rebuild that was stopped goes on where it was. With --dry-run nothing is \
            switched, and the exit code is 5 when the live views differ from the log.

            Needs TENURE_READER_DATABASE_URL, and TENURE_MASTER_KEY_FILE with --company.
            Views: \(ProjectionName.all.map(\.rawValue).joined(separator: ", ")).
            """)

    @OptionGroup var options: SettingsOptions

    @Argument(help: "The views; all when none is named.")
    var views: [String] = []

    @Option(help: "Only the rows of this company.")
    var company: String?

    @Flag(help: "Tell the differences and change nothing.")
    var dryRun = false

    @Option(help: "How many companies are built at the same moment.")
    var jobs = 2

    @Option(help: "table, or ndjson: one JSON object for each report of progress, each difference, and the result.")
    var format = Format.table

    /// How the command answers.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case table, ndjson
    }

    func validate() throws {
        guard (1...64).contains(jobs) else { throw ValidationError("--jobs takes 1 to 64.") }
        for view in views where ProjectionName(known: view) == nil {
            throw ValidationError(
                "There is no view \(Printable.text(view)); there are \(ProjectionName.all.map(\.rawValue).joined(separator: ", "))."
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
            let request = RebuildRequest(
                views: named.isEmpty ? Set(ProjectionName.all) : named,
                tenant: try company.map { try session.tenant($0) }, isDryRun: dryRun, jobs: jobs)
            return try await Self.rebuild(request, session, format)
        }
        let output = Output.standardOutput()
        DifferenceText.print(report.differences, json: format == .ndjson, on: output)
        if format == .ndjson { output.write(JSONLines.line(Self.json(report))) }
        let count = report.differenceCount
        if count > report.differences.count {
            Output.standardError().line("Only the first \(report.differences.count) are told.")
        }
        let mended = report.hasSwitched ? ", mended" : ""
        Output.standardError().line(
            count == 0 ? "The live views were as the log says." : "\(count) differences from the log\(mended).")
        if dryRun, count > 0 { throw ExitCode.drift }
    }

    private static func rebuild(
        _ request: RebuildRequest, _ session: ReaderSession, _ format: Format
    ) async throws -> RebuildReport {
        let report = RebuildProgressReport(isDryRun: request.isDryRun, isForMachines: format == .ndjson)
        do {
            let result = try await Rebuild(pool: session.pool, logger: session.logger).run(request) { progress in
                report.update(progress)
            }
            report.finish()
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
        ])
    }
}
