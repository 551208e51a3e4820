import ArgumentParser
import Canonical
import FoundationEssentials
import Identity
import IdentityService
import Ledger
import Projections

/// Prints the events, the state at a moment, or the differences between two moments.
struct Replay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the log, the state at a moment, or the differences between two moments.",
        discussion: """
            Without --as-of, --diff and --compare the command prints every event, ledger by ledger; the order of the \
            ledgers is unspecified. With --follow it continues with new events until Ctrl-C.

            Needs TENURE_READER_DATABASE_URL. Personal texts are decrypted with the keys of TENURE_MASTER_KEY_FILE; \
            those of erased people read [erased]. Times are UTC: 2026-11-21, 2026-11-21T08:30:00Z, yesterday, or an \
            age: 15m, 2h, 7d.

            A position that the log does not have is an error (exit code 6). A time in the future shows the state of \
            today, with a note where the log ends.

            --export writes a bundle that tenure verify --bundle verifies, and --import replays one without a database.

            See docs/replay.md for the formats.

            Examples:
              tenure replay --company harbour.example
              tenure replay --company harbour.example --as-of yesterday
              tenure replay --type EmployeeErased --from 7d --json
            """)

    @OptionGroup var options: SettingsOptions
    @OptionGroup var which: ReplayOptions
    @OptionGroup var bundle: BundleOptions

    @Option(help: ArgumentHelp("The state at a time, or with --company at a position.", valueName: "time|position"))
    var asOf: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Print the differences between two moments.", valueName: "from> <to"))
    var diff: [String] = []

    @Flag(help: "Compare the live projections with the log; exit code 5 if they differ.")
    var compare = false

    @Flag(help: "Continue with new events.")
    var follow = false

    @Option(help: ArgumentHelp("With --follow: continue where the last replay stopped.", valueName: "file"))
    var cursor: String?

    @Flag(help: "Verify the log first, like tenure verify; exit code 3 if there are findings.")
    var verify = false

    @Option(help: "table, ndjson, csv or cloudevents.")
    var format: ReplayFormat = .table

    @Flag(help: "Same as --format ndjson.")
    var json = false

    func validate() throws {
        let isBundle = bundle.exported != nil || bundle.imported != nil
        let purposes = [asOf != nil, !diff.isEmpty, compare, follow, isBundle].count { $0 }
        guard purposes <= 1 else {
            throw ValidationError("Pass only one of --as-of, --diff, --compare, --follow, --export and --import.")
        }
        guard bundle.exported == nil || (format == .table && !json) else {
            throw ValidationError("--export prints no events; use --format with --import.")
        }
        guard !follow || (which.to == nil && which.toPosition == nil) else {
            throw ValidationError("--follow has no end; remove --to and --to-position.")
        }
        guard diff.isEmpty || diff.count == 2 else { throw ValidationError("--diff takes two times.") }
        guard cursor == nil || follow else { throw ValidationError("--cursor needs --follow.") }
        guard !verify || (!follow && bundle.exported == nil) else {
            throw ValidationError("Pass --verify without --follow and --export.")
        }
        let isLog = asOf == nil && diff.isEmpty && !compare
        guard isLog || !which.choosesEvents else {
            throw ValidationError("A state covers a whole company; filter it with --company and --employee only.")
        }
        guard isLog || json || format == .table || format == .ndjson else {
            throw ValidationError("The format of a state is table or ndjson.")
        }
        guard which.company != nil || ([asOf].compactMap(\.self) + diff).allSatisfy({ Int64($0) == nil }) else {
            throw ValidationError("A position needs --company; or give a time.")
        }
    }

    func run() async throws {
        let isSound = verify ? try await isVerified() : true
        try await show()
        if !isSound { throw ExitCode.integrityViolation }
    }

    private func show() async throws {
        let format = json ? .ndjson : format
        let range = try which.range()
        let moments = try (asOf.map { [$0] } ?? diff).map(Self.moment)
        if moments.count == 2, case (.time(let from), .time(let to)) = (moments[0], moments[1]), from > to {
            throw CommandFailure(.usage, "the first time is after the second")
        }
        if let directory = bundle.imported { return try await replay(try bundle.open(directory), range, format) }
        let (which, bundle, compare, follow, cursor) = (which, bundle, compare, follow, cursor)
        let settings = try await options.settings()
        try await ReaderSession.run(settings) { session in
            let log = EventLog(pool: session.pool, codes: session.codes, keys: session.keys)
            let selection = try await which.selection(log, session)
            if let directory = bundle.exported {
                let key = try bundle.keys.resolved(anchor: nil, settings, session.ring)
                return try await Self.export(
                    selection, range, try await which.filter(session), to: directory, key, session)
            }
            if compare {
                return try await ComparePrinter(session: session, log: log, json: format == .ndjson).run(selection)
            }
            if !moments.isEmpty, let note = try await LogEnd.read(selection, session.pool).note(moments) {
                Output.standardError().line(note)
            }
            if moments.count == 2 {
                return try await DiffPrinter(log: log, json: format == .ndjson).run(
                    selection, from: moments[0], to: moments[1])
            }
            if let moment = moments.first {
                return try await StatePrinter(log: log, json: format == .ndjson).run(selection, at: moment)
            }
            let printer = LogPrinter(
                source: log, format: format, filter: try await which.filter(session),
                size: selection.printed.map(\.size).max() ?? 0)
            guard follow else { return try await printer.run(selection, range) }
            try await FollowPrinter(printer: printer, reader: log.reader, cursorFile: cursor).run(
                selection, range, only: selection.isOneCompany ? Set(selection.printed.map(\.id)) : nil)
        }
    }

    private static func moment(_ text: String) throws -> StateAt.Moment {
        if let position = Int64(text) { return .position(position) }
        return .time(try TimeText.parse(text))
    }
}

extension Replay {
    /// Verifies the replayed log and reports on standard error. Standard output is unaffected.
    ///
    /// - Returns: Whether the verification had no finding.
    func isVerified() async throws -> Bool {
        let report: VerifyReport
        if let directory = bundle.imported {
            let reader = try bundle.open(directory)
            let key = try bundle.keys.given() ?? reader.manifest.key
            report = try await Interruption.stopping {
                try await VerifyBundle(reader, request: VerifyRequest(key: key)).run()
            }
        } else {
            report = try await verifiedDatabase()
        }
        let error = Output.standardError()
        let printer = VerifyPrinter(report: report)
        error.write(printer.text(asJSON: false, on: error.terminal))
        error.line(printer.words)
        return report.violations.isEmpty
    }

    private func verifiedDatabase() async throws -> VerifyReport {
        let settings = try await options.settings()
        let (company, keys) = (which.company, bundle.keys)
        return try await ReaderSession.run(settings) { session in
            let key = try keys.resolved(anchor: nil, settings, session.ring)
            let ledger = try company.map { LedgerID(try session.tenant($0).uuid) }
            return try await VerifyLog(pool: session.pool, request: VerifyRequest(key: key, ledger: ledger)).run()
        }
    }
}
