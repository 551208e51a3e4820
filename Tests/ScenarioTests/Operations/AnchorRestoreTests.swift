import Foundation
import IdentityService
import Keys
import Ledger
import Postgres
import TenureAPI
import Testing
import TestSupport

/// A log restored from an older backup, which has outgrown the newest anchor that was kept of it.
@Suite(.onServer)
struct `A restored log that outgrew the kept anchor` {
    @Test func `does not start the service, and leaves the file as it was`() async throws {
        try await inTurnWithAnchor { world, files, kept in
            try await world.restored(kept.backup) { copy in
                try await kept.outgrow(copy, world)
                await #expect(throws: AnchorFileError.self) {
                    try await RunningInstance.with(copy, kept.options(kept.file), kept.store, CollectedLog()) {
                        instance in
                        // A service that starts all the same appends, seals and replaces the file.
                        _ = try await instance.commands.createApp(name: "after the start", roles: [.access])
                        try await world.until { try kept.isReplaced }
                    }
                }
                #expect(try !kept.isReplaced, "the evidence is overwritten")
                let other = try #require(try files.others(beside: "evidence").first, "the other checkpoint is not kept")
                let anchor = try Anchor(parsing: other)
                #expect(anchor.checkpoint.checkpoint.size > kept.size)
            }
        }
    }

    @Test func `is not written over it by tenure anchor`() async throws {
        try await inTurnWithAnchor { world, files, kept in
            try await world.restored(kept.backup) { copy in
                try await kept.outgrow(copy, world)
                let run = try await ChildProcess(
                    "tenure", ["anchor", "--output", kept.file],
                    environment: [
                        "TENURE_READER_DATABASE_URL": copy.url(as: .reader),
                        "TENURE_MASTER_KEY_FILE": world.keyFile.path, "SWIFT_BACKTRACE": "enable=no",
                    ], keepsErrors: true
                ).finish()
                #expect(run.status == 3, "\(run)")
                #expect(try !kept.isReplaced, "the evidence is overwritten")
                #expect(try files.others(beside: "evidence").count == 1)
            }
        }
    }

    @Test func `on a full disk leaves the earlier anchor, and nothing half written`() async throws {
        try await inTurnWithAnchor { world, files, kept in
            try await world.until {
                try (AnchorFile(path: files.path("anchor")).read()?.checkpoint.checkpoint.size ?? 0) >= kept.size
            }
            _ = try await world.makeApp(name: "one more")
            try await world.until {
                try (AnchorFile(path: files.path("anchor")).read()?.checkpoint.checkpoint.size ?? 0) > kept.size
            }
            let run = try await world.withoutSpace(["anchor", "--output", kept.file])
            #expect(run.status == 1 && run.lines.joined().contains("cannot be written"), "\(run)")
            #expect(try !kept.isReplaced)
            #expect(try files.names(beside: "evidence") == ["anchor", "evidence"], "no draft is left behind")
            let again = try await world.tenure(["anchor", "--output", kept.file])
            #expect(again.status == 0, "\(again)")
            #expect(try kept.isReplaced)
        }
    }

    /// The anchor of a world that went on after its backup, copied to a file that nobody else writes.
    private struct KeptAnchor: Sendable {
        let backup: [BackedUpTable]
        let file: String
        let text: String
        let size: Int64
        let store: MasterKeyStore

        /// Whether the file has another text than at the beginning.
        var isReplaced: Bool { get throws { try String(contentsOfFile: file, encoding: .utf8) != text } }

        func options(_ anchorFile: String?) -> WorldOptions {
            var options = WorldOptions()
            options.anchorFile = anchorFile
            return options
        }

        /// Lets a service that knows no anchor append to the copy and sign it beyond the anchor's size.
        func outgrow(_ copy: TestDatabase, _ world: TenureWorld) async throws {
            try await RunningInstance.with(copy, options(nil), store, CollectedLog()) { instance in
                for number in 0..<12 {
                    _ = try await instance.commands.createApp(name: "app \(number)", roles: [.access])
                }
                try await world.until {
                    let checkpoint = try await copy.withPool(as: .reader) { pool in
                        try await LedgerReader(pool: pool, codes: .unchecked, storesTiles: false).checkpoint(.system)
                    }
                    return (checkpoint?.checkpoint.size ?? 0) > size
                }
            }
        }
    }

    private func inTurnWithAnchor(
        _ body: (TenureWorld, TemporaryFiles, KeptAnchor) async throws -> Void
    ) async throws {
        let files = try TemporaryFiles()
        defer { files.remove() }
        var options = WorldOptions()
        options.anchorFile = files.path("anchor")
        try await inTurn(options) { world in
            _ = try await world.client.found("anchored.example")
            let backup = try await world.backup()
            let restored = try await world.number(
                "SELECT size FROM tenure.ledger WHERE ledger_id = \(LedgerID.system.uuid)")
            _ = try await world.makeApp(name: "after the backup")
            let running = AnchorFile(path: files.path("anchor"))
            try await world.until { try (running.read()?.checkpoint.checkpoint.size ?? 0) > restored + 2 }
            let anchor = try #require(try running.read())
            try anchor.text.write(toFile: files.path("evidence"), atomically: true, encoding: .utf8)
            try await body(
                world, files,
                KeptAnchor(
                    backup: backup, file: files.path("evidence"), text: anchor.text,
                    size: anchor.checkpoint.checkpoint.size, store: MasterKeyStore(try world.keyFile.load())))
        }
    }
}

@Suite(.onServer)
struct `A running service` {
    @Test func `stops instead of replacing an anchor that its log does not contain`() async throws {
        let files = try TemporaryFiles()
        defer { files.remove() }
        let path = files.path("evidence")
        try await inTurn { world in
            let signer = try await world.database.withPool { pool in
                let ring = try await KeyRing.load(from: pool, masters: try world.keyFile.load())
                return try CheckpointSigner(name: "tenure", secret: try ring.checkpointSigningKey())
            }
            let root = [UInt8](repeating: 7, count: 32)
            let foreign = try Anchor(key: signer.key, checkpoint: try signer.sign(.system, size: 2, root: root))
            await #expect(throws: AnchorFileError.self) {
                try await world.withSecondInstance(changing: { $0.anchorFile = path }) { url in
                    // Whichever process finds a grown log signs it, so it grows until this one has.
                    try await world.until {
                        _ = try await world.makeApp(name: UUID().uuidString)
                        return FileManager.default.fileExists(atPath: path)
                    }
                    try foreign.text.write(toFile: path, atomically: true, encoding: .utf8)
                    try await world.until {
                        _ = try await world.makeApp(name: UUID().uuidString)
                        let text = try String(contentsOfFile: path, encoding: .utf8)
                        return try text != foreign.text || !files.others(beside: "evidence").isEmpty
                    }
                }
            }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == foreign.text, "the evidence is overwritten")
            let other = try Anchor(parsing: try #require(try files.others(beside: "evidence").first))
            #expect(other.key == signer.key)
        }
    }
}

extension TenureWorld {
    /// Runs `tenure` in a process that can write no byte to any file, as on a full disk.
    fileprivate func withoutSpace(_ arguments: [String]) async throws -> (status: Int32, lines: [String]) {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("tenure")
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"", program.path] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(
            [
                "TENURE_READER_DATABASE_URL": database.url(as: .reader), "TENURE_MASTER_KEY_FILE": keyFile.path,
                "SWIFT_BACKTRACE": "enable=no",
            ]
        ) { $1 }
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (
            process.terminationStatus, String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
        )
    }
}

extension TemporaryFiles {
    /// The names in the directory of a file, sorted.
    func names(beside name: String) throws -> [String] {
        let directory = URL(fileURLWithPath: path(name)).deletingLastPathComponent()
        return try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    }

    /// The texts of the checkpoints that were kept beside a file.
    func others(beside name: String) throws -> [String] {
        let directory = URL(fileURLWithPath: path(name)).deletingLastPathComponent()
        return try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { $0.hasPrefix("\(name).conflict-") }
            .map { try String(contentsOfFile: path($0), encoding: .utf8) }
    }
}
