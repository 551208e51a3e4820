import ArgumentParser
import Keys

/// Makes a new version of the master keys and wraps all keys under it.
struct KeyRotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Add a version to the master key file and wrap all keys under it.",
        discussion: """
            The service goes on meanwhile, and finds the new version in the file by itself. The old version stays in \
            the file until tenure key retire. A rotation that was stopped is gone on with.

            Where several machines have a copy of the file each: --prepare, copy the file to all of them, then rotate.

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
