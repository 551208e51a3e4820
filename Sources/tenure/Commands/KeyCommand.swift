import ArgumentParser

/// Everything about the master keys.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "The master keys: what they wrap, rotating them, destroying old versions.",
        discussion: """
            A rotation makes a new version and wraps all keys under it while the service runs. Erasures are complete \
            once the versions from before them are destroyed; see docs/erasure.md.
            """,
        subcommands: [KeyStatus.self, KeyRotate.self, KeyRetire.self])
}
