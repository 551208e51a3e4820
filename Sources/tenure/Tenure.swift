import ArgumentParser

/// The root of the command line.
struct Tenure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tenure",
        abstract: "A self-hosted identity service for applications that serve many companies.",
        discussion: """
            Data goes to standard output, words and progress to standard error. Settings come from flags, then from \
            the environment (TENURE_*), then from the file of --config.

            Exit codes: 0 done, 1 failed, 2 cancelled, 3 integrity violation, 4 not permitted, 5 drift between log and \
            view, 6 not found, 64 usage, 69 unreachable, 75 busy.
            """,
        version: Tenure.version,
        subcommands: [
            Serve.self, Migrate.self, AppCommand.self, CompanyCommand.self, Replay.self, RebuildViews.self,
            VerifyCommand.self, AnchorCommand.self, Erase.self, KeyCommand.self, ClientCommand.self, Doctor.self,
        ])

    /// The version that banner, `--version` and `/healthz` show.
    static let version = "0.1.0"
}
