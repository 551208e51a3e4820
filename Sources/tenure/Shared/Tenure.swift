import ArgumentParser
import Dispatch
import Foundation

/// The root of the command line.
struct Tenure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tenure",
        abstract: "A self-hosted identity service for applications that serve many companies.",
        discussion: """
            Data goes to standard output, messages and progress to standard error. Settings come from flags, then from \
            the environment (TENURE_*), then from the file of --config.

            Exit codes: 0 done, 1 failed, 2 cancelled, 3 integrity violation, 4 not permitted, 5 drift between log and \
            projection, 6 not found, 64 usage, 69 unreachable, 75 busy.

            Examples:
              tenure serve --development
              tenure replay --company harbour.example --as-of yesterday
            """,
        version: Tenure.version,
        subcommands: [
            Serve.self, Migrate.self, AppCommand.self, CompanyCommand.self, Replay.self, RebuildViews.self,
            VerifyCommand.self, AnchorCommand.self, Erase.self, RestoreCommand.self, KeyCommand.self,
            LedgerCommand.self, MailCommand.self, PagesCommand.self, PasskeyCommand.self,
            OperatorCommand.self, MPinAuthorityCommand.self, ClientCommand.self, GrantCommand.self, StatusCommand.self,
            Doctor.self,
        ])

    /// The version that the banner, `--version` and `/healthz` show.
    static let version = "0.1.0"
}

/// Runs the command of the arguments and converts its error to a message and an exit code.
@main
struct Main {
    static func main() async {
        StandardDescriptors.prepare()
        CrashLine.prepare()
        ProxyVariables.restrict()
        do {
            var command = try parsed(Array(CommandLine.arguments.dropFirst()))
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            try Output.closeStandardOutput()
        } catch {
            end(with: error)
        }
    }

    /// Reports an error and ends the process.
    private static func end(with error: any Error) -> Never {
        if let failure = CommandFailure(describing: error) {
            Output.standardError().line(failure.description)
            Tenure.exit(withError: failure.exitCode)
        }
        // The argument parser prints these texts itself, but would not notice that help was not written, and would fail
        // at a width that leaves no room for them.
        let text = Tenure.fullMessage(for: error, columns: columns(Terminal(descriptor: 1)))
        let exitCode = Tenure.exitCode(for: error)
        guard exitCode == .success else {
            if !text.isEmpty { Output.standardError().line(text) }
            Tenure.exit(withError: exitCode)
        }
        do {
            if !text.isEmpty { try Output.standardOutput().line(text) }
            try Output.closeStandardOutput()
        } catch {
            end(with: error)
        }
        Tenure.exit()
    }

    /// The width of help: that of the terminal, or what its indentation needs.
    static func columns(_ terminal: Terminal) -> Int { max(40, terminal.width) }

    /// Parses the command line. A mistyped command gets suggestions, which the argument parser has for options only.
    ///
    /// Bytes that are not UTF-8 are refused: the system's library made U+FFFD of them, and names would become others.
    static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
        if let index = arguments.firstIndex(where: { $0.unicodeScalars.contains("\u{FFFD}") }) {
            throw CommandFailure(
                .usage, "argument \(index + 1) has bytes that are not UTF-8",
                remedy: "Write it in UTF-8; locale charmap names what this shell writes.")
        }
        do { return try Tenure.parseAsRoot(arguments) } catch {
            guard Tenure.exitCode(for: error) == .validationFailure, let unknown = UnknownCommand(arguments) else {
                throw error
            }
            throw unknown.failure
        }
    }
}

/// The exit codes of `tenure`. Scripts rely on them, so a number never changes its meaning.
extension ExitCode {
    /// 2: the person or a signal stopped the command before it was done.
    static let cancelled = ExitCode(2)
    /// 3: an entry, a hash, a signature or a checkpoint is inconsistent.
    static let integrityViolation = ExitCode(3)
    /// 4: the caller lacks the authority.
    static let notPermitted = ExitCode(4)
    /// 5: a read model differs from the log.
    static let drift = ExitCode(5)
    /// 6: the named tenant, employee, app or position does not exist.
    static let notFound = ExitCode(6)
    /// 64: the arguments are invalid (`EX_USAGE`).
    static let usage = ExitCode(64)
    /// 69: a required server or program is unreachable (`EX_UNAVAILABLE`).
    static let unreachable = ExitCode(69)
    /// 75: another process is doing the same; try again (`EX_TEMPFAIL`).
    static let busy = ExitCode(75)
}

/// Turns the first SIGINT or SIGTERM into cancellation, so that a command can end its transaction and report.
enum Interruption {
    /// Runs `body`. Throws a failure with exit code 2 if a signal stopped it.
    static func stopping<Result: Sendable>(
        _ body: @Sendable @escaping () async throws -> Result
    ) async throws -> Result {
        let task = Task { try await body() }
        let sources = [SIGINT, SIGTERM].map { number in
            // The default action would end the process before the source is called.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { task.cancel() }
            source.resume()
            return source
        }
        defer {
            for source in sources { source.cancel() }
            for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        }
        do { return try await task.value } catch {
            guard task.isCancelled else { throw error }
            throw CommandFailure(.cancelled, "the command was stopped before the end")
        }
    }
}
