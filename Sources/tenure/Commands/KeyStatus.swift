import ArgumentParser
import Canonical
import IdentityService
import Keys

/// Shows the versions of the master keys.
struct KeyStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the versions, how many keys each wraps, and which erasures wait for the end of which.",
        discussion: "Needs TENURE_READER_DATABASE_URL and the master keys. Changes nothing.")

    @OptionGroup var options: SettingsOptions

    @Flag(help: "One JSON object for each version.")
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
                .failure, "the database is wrapped under a version that the master keys do not hold",
                remedy: "Use the master keys that this database was last used with.")
        }
    }

    /// One version.
    struct Row: Sendable, Equatable {
        enum State: String, Sendable { case current, old, missing }

        var version: Int
        var state: State
        var count: MasterKeyUse.Count
        /// Those that are not complete before this version is destroyed.
        var erasures: Int

        var json: JSONValue {
            .object([
                "version": .integer(Int64(version)), "state": .string(state.rawValue),
                "bucketKeys": .integer(Int64(count.buckets)), "purposeKeys": .integer(Int64(count.purposes)),
                "erasures": .integer(Int64(erasures)),
            ])
        }
    }

    /// What is held, what is in use, and what erasures name, by version.
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
