import ArgumentParser
import Canonical
import Credentials
import EventCoding
import Foundation
import Identity
import IdentityService
import Keys
import Ledger
import Logging
import Postgres
import PrivateFiles
import ServiceLifecycle
import Text

/// Manages the key that signs the operator's decisions.
struct OperatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator",
        abstract: "Manage the operator key, which signs apps, links, successions, domains and erasures.",
        discussion: """
            The log of an installation begins with the public half of this key. Keep the private half and a backup of \
            it where the service cannot read them; see docs/keys.md.

            Examples:
              tenure operator found --operator-key operator.key
              tenure operator show
            """, subcommands: [OperatorFound.self, OperatorShow.self])
}

/// Founds the log.
struct OperatorFound: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "found", abstract: "Create the operator key and begin the log with its public half.",
        discussion: """
            The first tenure serve and the first tenure app create do the same. Run this command before them if the \
            service must never have the key, not even once. An existing key in the file is used. The command is \
            idempotent.

            Needs TENURE_DATABASE_URL, TENURE_MASTER_KEY_FILE and TENURE_OPERATOR_KEY_FILE.

            Example:
              tenure operator found --operator-key operator.key
            """)

    @OptionGroup var options: OperatorKeyOptions

    func run() async throws {
        let settings = try await options.settings()
        guard let file = settings.operatorKeyFile else { throw CommandFailure.operatorKeyFileNeeded }
        let beginning = try await OperatorSession.withContext(settings) { context, _ in
            try await OperatorUseCases(context).beginning()
        }
        let key = try file.load().publicKey
        guard beginning?.operatorKey.bytes == key.bytes else { throw OperatorKeyError(.wrong) }
        let words = Output.standardError()
        words.line(
            "The log begins with the operator key in \(file.path). Keep a copy of that file where the database's")
        words.line("backups are not, and give auditors the public half for tenure verify --operator:")
        try Output.standardOutput().line(key.base64)
    }
}

/// Prints the public half of the operator key.
struct OperatorShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the public operator key with which the log begins.",
        discussion: """
            Needs TENURE_READER_DATABASE_URL.

            Example:
              tenure operator show --json
            """)

    @OptionGroup var options: SettingsOptions

    @Flag(help: "Print a JSON object that includes the fingerprint.")
    var json = false

    func run() async throws {
        let settings = try await options.settings()
        let beginning = try await ReaderSession.run(settings) { session in
            try await LogBeginning.read(
                LedgerReader(pool: session.pool, codes: session.codes, storesTiles: false))
        }
        guard let beginning else {
            throw CommandFailure(
                .notFound, "the log names no operator key yet",
                remedy: "Run tenure operator found, or start the service.")
        }
        let key = try OperatorPublicKey(bytes: beginning.operatorKey.bytes)
        let output = Output.standardOutput()
        guard json else { return try output.line(key.base64) }
        try output.write(
            JSONLines.line(["operatorKey": .string(key.base64), "fingerprint": .string(key.fingerprint)]))
    }
}

/// The options of every command that signs with the operator key.
struct OperatorKeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The file of the operator key, which signs the decision. Default: TENURE_OPERATOR_KEY_FILE.",
            valueName: "file"))
    var operatorKey: String?

    @OptionGroup var options: SettingsOptions

    /// Loads the settings. Flags override them.
    func settings(_ flags: [Settings.Name: String] = [:]) async throws -> Settings {
        let own: [Settings.Name: String] = operatorKey.map { [.operatorKeyFile: $0] } ?? [:]
        return try await options.settings(own.merging(flags) { _, given in given })
    }
}

/// The file of the operator key: the private scalar in hexadecimal and a newline, mode 0600.
///
/// The operator's commands read it. The service writes it at the first start and never reads it.
struct OperatorKeyFile: Sendable {
    let path: String

    /// Creates a key and writes it atomically and durably with mode 0600.
    ///
    /// - Throws: ``CommandFailure`` if something exists at the path.
    func create() throws -> OperatorKey {
        let key = try OperatorKey.generate()
        let isNew: Bool
        do throws(PrivateFileError) {
            isNew = try PrivateFile.create(path, Array(key.text.utf8), .secret)
        } catch {
            throw CommandFailure(.notPermitted, "\(path) \(error.reason)", remedy: error.remedy)
        }
        guard isNew else {
            throw CommandFailure(
                .failure, "\(path) exists and is never overwritten, and the log names no operator key yet",
                remedy: """
                    If a first start was interrupted, use that key: tenure operator found --operator-key \(path). \
                    Otherwise name another file.
                    """)
        }
        return key
    }

    /// Creates a key for the first start of a service, and discards its private half.
    func createForService() throws -> NewOperatorKey {
        let key = try create().publicKey
        return NewOperatorKey(key) { remove() }
    }

    /// Reads the key.
    ///
    /// - Throws: ``CommandFailure`` if the file is missing, is accessible to others, or contains no key.
    func load() throws -> OperatorKey {
        let bytes: [UInt8]
        do throws(PrivateFileError) {
            bytes = try PrivateFile.read(path, .secret, atMost: 4_096)
        } catch {
            switch error.code {
            case .missing:
                throw CommandFailure(
                    .failure, "there is no operator key file at \(path)",
                    remedy: "Restore it from your copy. See docs/keys.md if the key is lost.")
            case .exposed:
                throw CommandFailure(
                    .failure, "users other than its owner can access \(path)",
                    remedy: "Run: chmod 600 \(ShellWord.quoteIfNeeded(path))")
            default: throw CommandFailure(.failure, "\(path) \(error.reason)", remedy: error.remedy)
            }
        }
        guard let key = try? OperatorKey(text: String(decoding: bytes, as: UTF8.self)) else {
            throw CommandFailure(
                .failure, "\(path) does not contain an operator key", remedy: "Restore it from your copy.")
        }
        return key
    }

    /// Parses the public key to pin: base64 text, or a file with the public or the private key.
    static func publicKey(given text: String) throws -> OperatorPublicKey {
        if let key = try? OperatorPublicKey(base64: text) { return key }
        guard let contents = try? String(contentsOfFile: text, encoding: .utf8) else {
            throw CommandFailure(.usage, "--operator is neither a key nor a file", remedy: "tenure operator show")
        }
        if let key = try? OperatorKey(text: contents) { return key.publicKey }
        if let key = try? OperatorPublicKey(base64: contents.trimmingCharacters(in: .whitespacesAndNewlines)) {
            return key
        }
        throw CommandFailure(.usage, "\(text) does not contain an operator key", remedy: "tenure operator show")
    }

    /// Removes the file if its key founded no log.
    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Whether something exists at the path.
    var exists: Bool { FileManager.default.fileExists(atPath: path) }
}

/// The resources of an operator's command, running for the duration of the command.
enum OperatorSession {
    /// Runs `body` with the operator's commands, over the configured database and master keys.
    static func run<Result: Sendable>(
        _ settings: Settings, _ body: @Sendable @escaping (OperatorUseCases) async throws -> Result
    ) async throws -> Result {
        let signer = settings.operatorSigner
        return try await withContext(settings) { context, _ in
            try await body(OperatorUseCases(context, signer: signer))
        }
    }

    /// Runs `body` with the context of the operator's commands and the master keys.
    static func withContext<Result: Sendable>(
        _ settings: Settings, _ body: @Sendable @escaping (ServiceContext, MasterKeyStore) async throws -> Result
    ) async throws -> Result {
        let hint = "For the service of make run: . .tenure/dev.env"
        let masters = try settings.masterKeyStore(remedy: hint)
        let logger = try Logs.logger(settings, default: .warning)
        return try await CommandDatabase.with(.databaseUrl, settings, remedy: hint) { pool in
            try await DatabaseRole.application.check(pool)
            let ring = try await KeyRing.load(from: pool, masters: masters)
            let codes = EventCodes(ring), appender = Appender(pool: pool, codes: codes, logger: logger)
            if try await Founding.run(settings.operatorKeyFile, ring, on: pool) {
                logger.notice("the log begins", metadata: ["operatorKey": "\(settings.text(.operatorKeyFile) ?? "")"])
            }
            let context = ServiceContext(
                pool: pool, appender: appender, reader: LedgerReader(pool: pool, codes: codes),
                ring: ring,
                personKeys: PersonKeys(pool: pool, masters: masters), seeds: OPRFSeeds(pool: pool, masters: masters),
                compute: ComputePool(threads: 1, waiting: 1), evaluations: ComputePool(threads: 1, waiting: 1),
                settings: ServiceSettings(), logger: logger)
            try await context.reader.refreshDisowned()
            // The task is cancelled and awaited when the scope ends.
            async let _: Void = appender.run()
            return try await body(context, masters)
        }
    }
}

/// Founds the log with the operator's public key, for commands that run before the first start.
enum Founding {
    /// Founds the log, unless it is founded or no operator key file is configured. In the latter case signing fails
    /// later with an explanation.
    ///
    /// Uses the key in the file if there is one, because the operator runs the command. Creates one otherwise.
    ///
    /// - Returns: Whether this call founded the log.
    /// - Throws: ``CommandFailure`` if the file cannot be used, and `KeysError` if the log was written with other keys.
    static func run(_ file: OperatorKeyFile?, _ ring: KeyRing, on pool: PostgresPool) async throws -> Bool {
        let reader = LedgerReader(pool: pool, codes: EventCodes(ring))
        guard try await LogBeginning.read(reader, by: ring) == nil, let file else { return false }
        let (key, isNew) = file.exists ? (try file.load(), false) : (try file.create(), true)
        do { try await LogBeginning.found(key.publicKey, by: ring, on: pool) } catch let error as OperatorKeyError {
            if isNew { file.remove() }
            throw error
        }
        return true
    }
}

extension CommandFailure {
    /// The error of a first start without a path for the operator key.
    static let operatorKeyFileNeeded = CommandFailure(
        .usage, "the log names no operator key yet, and \(Settings.Name.operatorKeyFile.variable) is not set",
        remedy: """
            Pass --operator-key FILE on a disk that the service does not need later. The key is created there. \
            See docs/keys.md.
            """)
}
