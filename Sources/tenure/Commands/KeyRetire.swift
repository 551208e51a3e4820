import ArgumentParser
import IdentityService
import Keys

/// Destroys an old version of the master keys.
struct KeyRetire: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retire", abstract: "Destroy a version in the master key file that wraps nothing any more.",
        discussion: """
            Backups from before the rotation can never be opened again, which is what completes the erasures of that \
            time. Make a backup after the rotation first, and destroy the copies of the old file as well.

            Needs TENURE_DATABASE_URL and TENURE_MASTER_KEY_FILE.
            """)

    @Argument(help: "The version; tenure key status shows them.")
    var version: Int

    @OptionGroup var options: SettingsOptions

    @Flag(help: "Do not ask.")
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
