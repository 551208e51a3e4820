import ArgumentParser
import Foundation
import Keys
import Ledger

/// How a command is told the key that signs checkpoints, and an anchor.
struct LogKeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The public key of the log, name+id+key, or a file with it; it overrides what the database says.",
            valueName: "key|file"))
    var key: String?

    /// The key that was given, or nil.
    func given() throws -> LogKey? {
        guard let key else { return nil }
        let text = key.contains("+") ? key : try Self.read(key)
        let line = text.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? ""
        guard let parsed = LogKey(line) else {
            throw CommandFailure(.usage, "--key is not a key of a log, name+id+key", remedy: "tenure anchor --key-only")
        }
        return parsed
    }

    /// The key that was given, that of an anchor, or the one of the master key file.
    func resolved(anchor: Anchor?, _ settings: Settings, _ ring: KeyRing?) throws -> LogKey {
        if let key = try given() ?? anchor?.key { return key }
        guard let ring else {
            throw CommandFailure(
                .usage, "the key of the log is not known",
                remedy: "Give --key or --anchor, or set \(Settings.Name.masterKeyFile.variable).")
        }
        return try Self.key(of: ring, settings)
    }

    /// The public half of the key that the installation signs with.
    static func key(of ring: KeyRing, _ settings: Settings) throws -> LogKey {
        try CheckpointSigner(
            name: settings.text(.issuer) ?? "tenure", secret: try ring.checkpointSigningKey()
        ).key
    }

    /// The text of a file of the person at the terminal.
    static func read(_ path: String) throws -> String {
        do { return try String(contentsOfFile: path, encoding: .utf8) } catch {
            throw CommandFailure(.failure, "\(path) cannot be read as text")
        }
    }
}
