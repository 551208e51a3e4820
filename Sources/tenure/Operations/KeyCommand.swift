import ArgumentParser
import Canonical
import IdentityService
import Keys
import Ledger
import Logging
import Postgres

/// Manages the master keys.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Show, rotate and retire the master keys.",
        discussion: """
            A rotation adds a new version and rewraps all keys under it while the service runs. An erasure is complete \
            once the older versions are destroyed; see docs/erasure.md.
            """,
        subcommands: [KeyStatus.self, KeyRotate.self, KeyRetire.self])
}

/// Shows the versions of the master keys.
struct KeyStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the versions, the number of keys that each wraps, and the erasures that await its end.",
        discussion: "Needs TENURE_READER_DATABASE_URL and the master keys. Changes nothing.")

    @OptionGroup var options: SettingsOptions

    @Flag(help: "Print one JSON object per version.")
    var json = false

    func run() async throws {
        let settings = try await options.settings()
        let masters = try settings.masterKeyStore().keys
        let (use, erasures, rekeyings) = try await KeySession.reading(settings) { reader in
            (
                try await MasterKeyUse.count(on: reader), try await ErasureCounts.count(on: reader),
                try await RekeyingDelay.count(on: reader)
            )
        }
        let rows = Self.rows(masters, use, erasures)
        let output = Output.standardOutput()
        if json {
            for row in rows { output.write(JSONLines.line(row.json)) }
        } else {
            output.write(Self.table(rows).rendered(on: output.terminal))
        }
        let words = Output.standardError()
        words.line("\(erasures.complete(holding: masters.heldVersions)) erasures are complete.")
        if erasures.open > 0 {
            words.line("\(erasures.open) erasures are not finished: tenure erase --resume")
        }
        if rekeyings > 0 {
            words.line(
                "\(rekeyings) replaced credentials wait for their bucket's next key: a running service sees to it")
        }
        if rows.contains(where: { $0.state == .missing }) {
            throw CommandFailure(
                .failure, "the database is wrapped under a version that the master keys lack",
                remedy: "Use the master keys that this database was last used with.")
        }
    }

    /// One version of the master keys.
    struct Row: Sendable, Equatable {
        enum State: String, Sendable { case current, old, missing }

        var version: Int
        var state: State
        var count: MasterKeyUse.Count
        /// The number of erasures that are incomplete until this version is destroyed.
        var erasures: Int

        var json: JSONValue {
            .object([
                "version": .integer(Int64(version)), "state": .string(state.rawValue),
                "bucketKeys": .integer(Int64(count.buckets)), "purposeKeys": .integer(Int64(count.purposes)),
                "erasures": .integer(Int64(erasures)),
            ])
        }
    }

    /// Combines the versions in the file, their use and their erasures into rows.
    static func rows(_ masters: MasterKeys, _ use: MasterKeyUse, _ erasures: ErasureCounts) -> [Row] {
        let held = Set(masters.heldVersions)
        let versions = held.union(use.versions.keys)
        return versions.sorted().map { version in
            let state: Row.State =
                version == masters.current
                ? .current : held.contains(version) ? .old : .missing
            return Row(
                version: version, state: state, count: use.versions[version] ?? MasterKeyUse.Count(),
                erasures: held.contains(version) ? erasures.waiting(forTheEndOf: version) : 0)
        }
    }

    private static func table(_ rows: [Row]) -> Table {
        var table = Table([
            .init(title: "Version", alignment: .right), .init(title: "State"),
            .init(title: "Bucket keys", alignment: .right), .init(title: "Purpose keys", alignment: .right),
            .init(title: "Erasures waiting for its end", alignment: .right),
        ])
        for row in rows {
            table.add([
                "\(row.version)", row.state.rawValue, "\(row.count.buckets)", "\(row.count.purposes)",
                "\(row.erasures)",
            ])
        }
        return table
    }
}

/// Adds a version to the master keys and rewraps all keys under it.
struct KeyRotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Add a version to the master key file and rewrap all keys under it.",
        discussion: """
            The service keeps running and finds the new version in the file. The old version stays in the file until \
            tenure key retire. Run the command again to resume an interrupted rotation.

            If several machines have copies of the file, use --prepare, copy the file to all of them, then rotate.

            Needs TENURE_DATABASE_URL and TENURE_MASTER_KEY_FILE.
            """)

    @OptionGroup var options: SettingsOptions

    @Flag(help: "Only add the version to the file.")
    var prepare = false

    func run() async throws {
        let settings = try await options.settings()
        let file = try settings.masterKeyFile()
        let prepare = prepare
        let words = Output.standardError()
        try await KeySession.run(settings) { pool in
            let (masters, isNew) = try await MasterKeyRotation.begin(file, on: pool)
            words.line(
                isNew
                    ? "Version \(masters.current) is in \(file.path)."
                    : "Version \(masters.current) is in \(file.path) already; going on.")
            guard !prepare else {
                return words.line("Copy the file to every machine of the service, then run tenure key rotate.")
            }
            let count = try await MasterKeyRotation(masters: masters).run(on: pool)
            words.line("\(count) keys are wrapped under version \(masters.current) now.")
            for version in masters.heldVersions where version != masters.current {
                words.line("Nothing is wrapped under version \(version): tenure key retire \(version)")
            }
        }
    }
}

/// Destroys an old version of the master keys.
struct KeyRetire: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retire", abstract: "Destroy a version in the master key file that no longer wraps any key.",
        discussion: """
            Backups from before the rotation become permanently unreadable, which completes the erasures of that time. \
            First make a backup after the rotation. Destroy the copies of the old file as well.

            Needs TENURE_DATABASE_URL and TENURE_MASTER_KEY_FILE.
            """)

    @Argument(help: "The version, as tenure key status shows it.")
    var version: Int

    @OptionGroup var options: SettingsOptions

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    func run() async throws {
        let settings = try await options.settings()
        let file = try settings.masterKeyFile()
        let version = version
        let words = Output.standardError()
        if !yes {
            words.line("Backups that are wrapped under version \(version) can then never be opened again.")
            try Confirmation.ask("Type the version to destroy it: ", expecting: "\(version)", words)
        }
        try await KeySession.run(settings) { pool in try await MasterKeyRotation.retire(version, file, on: pool) }
        words.line("Version \(version) is gone from \(file.path). Copies of the file still have it: destroy them too.")
        words.line("Running processes remember it until they are restarted.")
    }
}

/// The resources of the commands about master keys: connections of the application role, for the duration of the
/// command.
enum KeySession {
    static func run<Result: Sendable>(
        _ settings: Settings, _ body: @Sendable @escaping (PostgresPool) async throws -> Result
    ) async throws -> Result {
        let hint = "For the service of make run: . .tenure/dev.env"
        let database = try PostgresConfiguration(url: try settings.required(.databaseUrl, remedy: hint))
        return try await with(database, settings) { pool in
            try await DatabaseRole.application.check(pool)
            return try await body(pool)
        }
    }

    /// Runs `body` with connections of the reader role, the only one that sees all tenants.
    static func reading<Result: Sendable>(
        _ settings: Settings, _ body: @Sendable @escaping (PostgresPool) async throws -> Result
    ) async throws -> Result {
        let hint = "For the service of make run: . .tenure/dev.env"
        let database = try PostgresConfiguration(url: try settings.required(.readerDatabaseUrl, remedy: hint))
        return try await with(database, settings) { pool in
            try await DatabaseRole.reader.check(pool)
            return try await body(pool)
        }
    }

    private static func with<Result: Sendable>(
        _ database: PostgresConfiguration, _ settings: Settings,
        _ body: @Sendable @escaping (PostgresPool) async throws -> Result
    ) async throws -> Result {
        let logger = Logs.logger(level: try Logs.level(settings, default: .warning))
        return try await Interruption.stopping {
            try await withPostgresPool(configuration: database, maximumConnections: 2, logger: logger) { pool in
                try await body(pool)
            }
        }
    }
}
