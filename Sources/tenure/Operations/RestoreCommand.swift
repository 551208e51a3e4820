import ArgumentParser
import Canonical
import EventCoding
import IdentityService
import Keys
import Ledger
import Postgres

/// What is left to do after a backup was restored.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Finish the restoration of a backup.",
        discussion: """
            Examples:
              tenure restore finish
            """,
        subcommands: [RestoreFinish.self])
}

/// Deletes what a running service had left in the backup, and makes claims and cutoffs by the log.
struct RestoreFinish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "finish",
        abstract: "Delete sessions and other passing rows of a restored backup, and make its claims by the log.",
        discussion: """
            A restored backup has sessions that ended since, and claims of its time. This command deletes all sessions, \
            log-ins and registrations in progress, PIN proofs and stored replies. It then makes the claims on names and \
            addresses, and the cutoffs that end sessions, what the log says. Everybody logs in again.

            Stop the service first. The command may be interrupted and repeated. Run tenure erase --reapply before it, \
            so that people who were erased since do not get their claims back.

            Needs TENURE_DATABASE_URL, TENURE_READER_DATABASE_URL and TENURE_MASTER_KEY_FILE.

            Examples:
              tenure restore finish
              tenure restore finish --yes --json
            """)

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let settings = try await options.settings()
        if !yes {
            let words = Output.standardError()
            words.line("All sessions end, and whoever is logging in has to begin again. The service must be stopped.")
            try Confirmation.ask("Type finish to go on: ", expecting: "finish", words)
        }
        let report = try await RowSession.run(settings) { reader, application, log in
            try await RowRestoration(pool: application, log: log).rebuild()
        }
        let output = Output.standardOutput()
        if json {
            try output.write(
                JSONLines.line(
                    .object([
                        "deleted": .integer(Int64(report.deleted)), "claims": .integer(Int64(report.claims)),
                        "cutoffs": .integer(Int64(report.cutoffs)), "unproved": .integer(Int64(report.unproved)),
                    ])))
            return
        }
        try output.write(
            """
            \(Noun("passing row").counted(report.deleted, "was", "were")) deleted.
            \(Noun("claim").counted(report.claims, "is", "are")) what the log says, and \
            \(Noun("cutoff").counted(report.cutoffs, "is", "are")).
            \(Noun("claim").counted(report.unproved, "was", "were")) deleted that the log does not have.

            """)
    }
}

/// The resources of commands about rows and the log: both roles, and the keys.
enum RowSession {
    static func run<Result: Sendable>(
        _ settings: Settings,
        _ body:
            @Sendable @escaping (_ reader: PostgresPool, _ application: PostgresPool, RowsOfLog) async throws -> Result
    ) async throws -> Result {
        let masters = try settings.masterKeyStore()
        return try await KeySession.reading(settings) { reader in
            try await KeySession.run(settings) { application in
                let ring = try await KeyRing.load(from: application, masters: masters)
                // Other keys would find no claim right.
                _ = try await LogBeginning.read(
                    LedgerReader(pool: reader, codes: EventCodes(ring), storesTiles: false), by: ring)
                let keys = PersonKeys(pool: application, masters: masters)
                return try await body(
                    reader, application, RowsOfLog(reader: reader, ring: ring, personKeys: keys))
            }
        }
    }
}
