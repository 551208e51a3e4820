import ArgumentParser
import Foundation
import FoundationEssentials
import Identity
import IdentityService
import Keys
import Ledger
import Logging
import Postgres

/// Prints an anchor, which an auditor stores elsewhere.
struct AnchorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "anchor",
        abstract: "Print the newest anchor of the log: its key and the signed checkpoint of the system ledger.",
        discussion: """
            Store it where those who can change the database cannot change it. tenure verify --anchor compares the log \
            with it. New entries are covered by the next signed checkpoint; the service signs one per second.

            Needs TENURE_READER_DATABASE_URL, and TENURE_MASTER_KEY_FILE or --key; --seal needs TENURE_DATABASE_URL too.

            Examples:
              tenure anchor --output /mnt/elsewhere/tenure.anchor
              tenure anchor --key-only
            """)

    @OptionGroup var options: SettingsOptions
    @OptionGroup var keys: LogKeyOptions

    @Option(
        help: ArgumentHelp(
            "Write to a file, atomically. An anchor in it is replaced only if the log contains it.", valueName: "file"))
    var output: String?

    @Flag(help: "Sign a checkpoint of all earlier entries now, without waiting for the service.")
    var seal = false

    @Flag(help: "Print only the public key.")
    var keyOnly = false

    @Option(help: "Print the checkpoint of this company's ledger instead.")
    var company: String?

    func validate() throws {
        guard output == nil || (company == nil && !keyOnly) else {
            throw ValidationError("--output applies to the anchor only.")
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
            let reader = session.reader
            guard let checkpoint = try await reader.checkpoint(ledger) else {
                throw CommandFailure(
                    .notFound, "no checkpoint is signed yet",
                    remedy: "Start the service, or pass --seal to sign one now.")
            }
            guard company == nil else {
                try checkpoint.verify(key)
                return checkpoint.note.text
            }
            let anchor = try Anchor(key: key, checkpoint: checkpoint)
            guard let output else { return anchor.text }
            let keeper = AnchorKeeper(
                AnchorFile(path: output), tree: LedgerHashes(reader: reader, ledger: .system))
            if try await keeper.keep(anchor) != anchor {
                Output.standardError().line("\(output) holds a later anchor of this log, and was left as it is.")
            }
            return ""
        }
        try Output.standardOutput().write(text)
    }

    private static func seal(_ settings: Settings, _ session: ReaderSession) async throws {
        guard let ring = session.ring else {
            throw CommandFailure(.usage, "\(Settings.Name.masterKeyFile.variable) is not set")
        }
        let signer = try CheckpointSigner(
            name: settings.text(.issuer) ?? "tenure", secret: try ring.checkpointSigningKey())
        try await CommandDatabase.with(.databaseUrl, settings) { pool in
            let appender = Appender(pool: pool, codes: session.codes, logger: session.logger)
            // The task is cancelled and awaited when the scope ends.
            async let _: Void = appender.run()
            try await SignGrownLedgers(
                pool: pool, readerPool: session.pool, codes: session.codes, appender: appender, signer: signer,
                tiles: TileCodes(ring, logger: session.logger), logger: session.logger
            ).run()
        }
    }
}

/// The options that name the key of the signed checkpoints.
struct LogKeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The public key of the log (name+id+key), or a file with it. Overrides the key in the database.",
            valueName: "key|file"))
    var key: String?

    /// The key given as an option, or `nil`.
    func given() throws -> LogKey? {
        guard let key else { return nil }
        let text = key.contains("+") ? key : try Self.read(key)
        let line = text.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? ""
        guard let parsed = LogKey(line) else {
            throw CommandFailure(
                .usage, "--key is not a log key of the form name+id+key", remedy: "tenure anchor --key-only")
        }
        return parsed
    }

    /// Returns the given key, else that of the anchor, else that of the master key file.
    func resolved(anchor: Anchor?, _ settings: Settings, _ ring: KeyRing?) throws -> LogKey {
        if let key = try given() ?? anchor?.key { return key }
        guard let ring else {
            throw CommandFailure(
                .usage, "the log's public key is unknown",
                remedy: "Pass --key or --anchor, or set \(Settings.Name.masterKeyFile.variable).")
        }
        return try Self.key(of: ring, settings)
    }

    /// Returns the public key with which this installation signs checkpoints.
    static func key(of ring: KeyRing, _ settings: Settings) throws -> LogKey {
        try CheckpointSigner(
            name: settings.text(.issuer) ?? "tenure", secret: try ring.checkpointSigningKey()
        ).key
    }

    /// Reads the text of a file that the person named.
    static func read(_ path: String) throws -> String {
        do { return try String(contentsOfFile: path, encoding: .utf8) } catch {
            throw CommandFailure(.failure, "\(path) cannot be read as text")
        }
    }
}
