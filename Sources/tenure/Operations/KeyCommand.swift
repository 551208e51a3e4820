import ArgumentParser
import Canonical
import Foundation
import IdentityService
import Keys
import Ledger
import Postgres

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Manages the master keys.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Create, show, rotate and retire the master keys.",
        discussion: """
            A rotation adds a new version and rewraps all keys under it while the service runs. An erasure is complete \
            once the older versions are destroyed; see docs/erasure.md.

            Examples:
              tenure key init
              tenure key status
              tenure key rotate
            """,
        subcommands: [KeyInit.self, KeyStatus.self, KeyRotate.self, KeyRetire.self])
}

/// Creates the master key file of a new installation.
struct KeyInit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Create the master key file of a new installation.",
        discussion: """
            Writes version 1 of the master keys into the file of TENURE_MASTER_KEY_FILE, with mode 0600. It never \
            overwrites a file. Run it as the user of the service, once for each database. Without this file nobody can \
            open the personal data in the database, so keep a copy apart from the backups of the database.

            Needs TENURE_MASTER_KEY_FILE. Does not look at the database.

            Examples:
              tenure key init
              runuser -u tenure -- tenure key init --config /etc/tenure/tenure.json
            """)

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let file = try (await options.settings()).masterKeyFile()
        try Self.requireUsableDirectory(of: file.path)
        let masters = try file.create()
        let words = Output.standardError()
        words.line("Version \(masters.current) of the master keys is in \(file.path), for user \(Settings.user) only.")
        words.line("Keep a copy where the backups of the database are not: without it nobody can open them.")
    }

    /// Refuses a directory that does not exist. Refuses to leave a file of root to a service that could not read it.
    ///
    /// - Parameter user: The user of this process.
    static func requireUsableDirectory(of path: String, user: UInt32 = geteuid()) throws {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let attributes = try? FileManager.default.attributesOfItem(atPath: directory)
        guard let attributes, attributes[.type] as? FileAttributeType == .typeDirectory else {
            throw CommandFailure(
                .failure, "there is no directory \(directory) for the master key file",
                remedy: "Make it, owned by the user of the service, with mode 0700.")
        }
        let owner = (attributes[.ownerAccountID] as? NSNumber)?.uint32Value ?? user
        guard user != 0 || owner == 0 else {
            let name = Settings.name(ofUser: owner)
            throw CommandFailure(
                .notPermitted, "\(directory) belongs to \(name), who could not read a file of root",
                remedy: "Run the command as that user: runuser -u \(name) -- tenure key init …")
        }
    }
}

/// Shows the versions of the master keys.
struct KeyStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the versions, the number of keys that each wraps, and the erasures that await its end.",
        discussion: """
            Needs TENURE_READER_DATABASE_URL and the master keys. Changes nothing.

            With --tokens it lists the keys that sign access tokens and ID tokens instead.

            Examples:
              tenure key status
              tenure key status --tokens
            """)

    @OptionGroup var options: SettingsOptions

    @Flag(help: "Print one JSON object per version, or per key.")
    var json = false

    @Flag(help: "List the keys that sign tokens.")
    var tokens = false

    func run() async throws {
        let settings = try await options.settings()
        guard !tokens else { return try await TokenKeyList(settings: settings, json: json).run() }
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
            for row in rows { try output.write(JSONLines.line(row.json)) }
        } else {
            try output.write(Self.table(rows).rendered(on: output.terminal))
        }
        let words = Output.standardError()
        let complete = erasures.complete(holding: masters.heldVersions)
        words.line("\(Noun.erasure.counted(complete, "is", "are")) complete.")
        if erasures.open > 0 {
            words.line("\(Noun.erasure.counted(erasures.open, "is", "are")) not finished: tenure erase --resume")
        }
        if rekeyings > 0 {
            words.line(
                Noun("replaced credential").counted(rekeyings, "waits", "wait")
                    + " for the bucket's next key: a running service sees to it")
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

            With --tokens it replaces the keys that sign access tokens and ID tokens instead. The new keys are \
            published at once and sign fifteen minutes later; nobody is logged out. Add --compromised if somebody else \
            may know the old keys: they are deleted, and the command ends ten seconds later, when no running process \
            uses them any more. Either is an event.

            With --pages it replaces the secret that the pages act with, and the key that they vouch with. The operator \
            key signs that. Sessions go on, unless --compromised ends those that the old secret opened.

            With --events it replaces the key of the codes by which the service knows its own events, if somebody else \
            may know it. Stop all processes of the service first. Events of before stay valid; the log records where \
            they end. Needs TENURE_READER_DATABASE_URL too. Rotate the master key afterwards: it opens the old key.

            Needs TENURE_DATABASE_URL and TENURE_MASTER_KEY_FILE.

            Examples:
              tenure key rotate --prepare
              tenure key rotate
            """)

    @OptionGroup var options: OperatorKeyOptions

    @Flag(help: "Only add the version to the file.")
    var prepare = false

    @Flag(help: "Replace the keys that sign access tokens and ID tokens.")
    var tokens = false

    @Flag(help: "Replace the secret that the pages act with.")
    var pages = false

    @Flag(help: "Replace the key of the codes of events, while nothing serves.")
    var events = false

    @Flag(help: "With --tokens: stop using the old keys at once. With --pages: end the sessions of the old secret.")
    var compromised = false

    func validate() throws {
        if compromised && !tokens && !pages { throw ValidationError("--compromised needs --tokens or --pages.") }
        if prepare && tokens { throw ValidationError("--prepare is about master keys; leave out --tokens.") }
        if prepare && pages { throw ValidationError("--prepare is about master keys; leave out --pages.") }
        if prepare && events { throw ValidationError("--prepare is about master keys; leave out --events.") }
        if [tokens, pages, events].count(where: \.self) > 1 {
            throw ValidationError("Replace one thing at a time: --tokens, --pages or --events.")
        }
        if options.operatorKey != nil && !pages { throw ValidationError("Only --pages takes --operator-key.") }
    }

    func run() async throws {
        let settings = try await options.settings()
        guard !tokens else { return try await TokenKeyReplacement(settings: settings).run(atOnce: compromised) }
        guard !pages else { return try await rotatePages(settings) }
        guard !events else { return try await replaceEventsKey(settings) }
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
            words.line("\(Noun.key.counted(count, "is", "are")) wrapped under version \(masters.current) now.")
            for version in masters.heldVersions where version != masters.current {
                words.line("Nothing is wrapped under version \(version): tenure key retire \(version)")
            }
        }
    }
}

extension KeyRotate {
    private func replaceEventsKey(_ settings: Settings) async throws {
        let masters = try settings.masterKeyStore()
        let count = try await KeySession.run(settings) { pool in
            try await KeySession.reading(settings) { readers in
                do {
                    return try await ReplaceEventsKey(pool: pool, readers: readers, masters: masters).run()
                } catch is ReplaceEventsKey.StillServed {
                    throw CommandFailure(
                        .failure, "other processes are connected to the database; nothing was changed",
                        remedy: "Stop all processes of the service, and run it again.")
                }
            }
        }
        let words = Output.standardError()
        words.line("The codes of events have a new key. Those of \(Noun.ledger.counted(count)) stay valid up to here.")
        words.line("Start the service again, then run tenure key rotate: the old master key opens the old key.")
    }

    /// Replaces the secret of the pages.
    private func rotatePages(_ settings: Settings) async throws {
        let atOnce = compromised
        let pages = try await OperatorSession.run(settings) { try await $0.rotatePages(atOnce: atOnce) }
        let words = Output.standardError()
        words.line("The pages act with secret \(pages.secretId.lowercased) now. Running services use it at once.")
        words.line(
            atOnce
                ? "The old secret is revoked, and the sessions that it opened have ended."
                : "The old secret is retired. The sessions that it opened go on.")
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

            Example:
              tenure key retire 1
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
        try Self.requireRetirable(version, in: try file.load(), path: file.path)
        if !yes {
            words.line("Backups that are wrapped under version \(version) can then never be opened again.")
            try Confirmation.ask("Type the version to destroy it: ", expecting: "\(version)", words)
        }
        try await KeySession.run(settings) { pool in try await MasterKeyRotation.retire(version, file, on: pool) }
        words.line("Version \(version) is gone from \(file.path). Copies of the file still have it: destroy them too.")
        words.line("Running processes remember it until they are restarted.")
    }

    /// Refuses a version that the file does not have, and the current one, before anything is asked.
    static func requireRetirable(_ version: Int, in masters: MasterKeys, path: String) throws {
        let held = masters.heldVersions.sorted().map(String.init).joined(separator: ", ")
        guard masters.heldVersions.contains(version) else {
            throw CommandFailure(
                .notFound, "\(path) has no version \(version); it has \(held)",
                remedy: "Nothing was changed. Run tenure key status for the versions and their use.")
        }
        guard version != masters.current else {
            throw CommandFailure(
                .failure, "version \(version) is the current one, which wraps new keys",
                remedy: "Run tenure key rotate first.")
        }
    }
}

/// The resources of the commands about master keys: connections of the application role, for the duration of the
/// command.
enum KeySession {
    static func run<Result: Sendable>(
        _ settings: Settings, _ body: @Sendable @escaping (PostgresPool) async throws -> Result
    ) async throws -> Result {
        try await with(.databaseUrl, settings) { pool in
            try await DatabaseRole.application.check(pool)
            return try await body(pool)
        }
    }

    /// Runs `body` with connections of the reader role, the only one that sees all tenants.
    static func reading<Result: Sendable>(
        _ settings: Settings, _ body: @Sendable @escaping (PostgresPool) async throws -> Result
    ) async throws -> Result {
        try await with(.readerDatabaseUrl, settings) { pool in
            try await DatabaseRole.reader.check(pool)
            return try await body(pool)
        }
    }

    private static func with<Result: Sendable>(
        _ database: Settings.Name, _ settings: Settings,
        _ body: @Sendable @escaping (PostgresPool) async throws -> Result
    ) async throws -> Result {
        try await Interruption.stopping {
            try await CommandDatabase.with(database, settings, maximumConnections: 2, body)
        }
    }
}
