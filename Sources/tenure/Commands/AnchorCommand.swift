import ArgumentParser
import FoundationEssentials
import Identity
import IdentityService
import Keys
import Ledger
import Logging
import Postgres

/// Prints what an auditor keeps elsewhere.
struct AnchorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "anchor",
        abstract: "Print the newest anchor of the log: its key and the signed checkpoint of the system ledger.",
        discussion: """
            Keep it where nobody who can change the database can change it; tenure verify --anchor holds the log \
            against it. What is appended is vouched for from the next seal on; the service seals once a second.

            Needs TENURE_READER_DATABASE_URL, and TENURE_MASTER_KEY_FILE or --key; --seal needs TENURE_DATABASE_URL too.
            """)

    @OptionGroup var options: SettingsOptions
    @OptionGroup var keys: LogKeyOptions

    @Option(help: ArgumentHelp("Write to a file, in one step.", valueName: "file"))
    var output: String?

    @Flag(help: "Seal what was appended before, without waiting for the service.")
    var seal = false

    @Flag(help: "Print the public key alone.")
    var keyOnly = false

    @Option(help: "Print the checkpoint of this company's ledger instead.")
    var company: String?

    func validate() throws {
        guard output == nil || (company == nil && !keyOnly) else {
            throw ValidationError("--output is for the anchor alone.")
        }
    }

    func run() async throws {
        let settings = try await options.settings()
        let (seal, keyOnly, company, keys) = (seal, keyOnly, company, keys)
        let output = output
        let text = try await ReaderSession.run(settings) { session in
            let key = try keys.resolved(anchor: nil, settings, session.ring)
            if keyOnly { return "\(key)\n" }
            if seal { try await Self.seal(settings, session) }
            let ledger = try company.map { LedgerID(try session.tenant($0).uuid) } ?? .system
            let reader = LedgerReader(pool: session.pool, storesTiles: false)
            guard let checkpoint = try await reader.checkpoint(ledger) else {
                throw CommandFailure(
                    .notFound, "nothing was sealed yet", remedy: "Does the service run? --seal seals without it.")
            }
            guard company == nil else {
                try checkpoint.verify(key)
                return checkpoint.note.text
            }
            let anchor = try Anchor(key: key, checkpoint: checkpoint)
            if let output { try AnchorFile(path: output).write(anchor) }
            return output == nil ? anchor.text : ""
        }
        Output.standardOutput().write(text)
    }

    private static func seal(_ settings: Settings, _ session: ReaderSession) async throws {
        let database = try PostgresConfiguration(url: try settings.required(.databaseUrl))
        guard let ring = session.ring else {
            throw CommandFailure(.usage, "\(Settings.Name.masterKeyFile.variable) is not set")
        }
        let signer = try CheckpointSigner(
            name: settings.text(.issuer) ?? "tenure", secret: try ring.checkpointSigningKey())
        try await withPostgresPool(configuration: database, maximumConnections: 4, logger: session.logger) { pool in
            let appender = Appender(pool: pool, logger: session.logger)
            // Cancelled and waited for when the scope is left.
            async let _: Void = appender.run()
            try await SealCheckpoints(
                pool: pool, readerPool: session.pool, appender: appender, signer: signer, logger: session.logger
            ).run()
        }
    }
}
