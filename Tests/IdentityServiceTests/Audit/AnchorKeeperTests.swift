import Crypto
import Foundation
import IdentityService
import Ledger
import Postgres
import Testing

/// A file with an anchor, and what replaces it.
struct AnchorKeeperTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
        "anchor-\(UUID().uuidString)")
    private let log = Log(secret: Curve25519.Signing.PrivateKey())

    private var path: String { directory.appendingPathComponent("anchor").path }

    private func inDirectory<Result>(_ body: () async throws -> Result) async throws -> Result {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await body()
    }

    private func keeper(_ log: Log) -> AnchorKeeper { AnchorKeeper(AnchorFile(path: path), tree: log) }

    private func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }

    private var text: String { get throws { try String(contentsOfFile: path, encoding: .utf8) } }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
    }

    @Test func `an anchor is read back, with and without a server`() async throws {
        try await inDirectory {
            let file = AnchorFile(path: path), anchor = try log.anchor(3)
            #expect(try file.read() == nil)
            for written in [anchor, anchor.on(ServerIdentity(system: 7, timeline: 2))] {
                #expect(try await keeper(log).keep(written) == written)
                #expect(try file.read() == written)
            }
            #expect(try names == ["anchor"], "no draft is left behind")
        }
    }

    @Test(arguments: [(1, 2), (3, 300), (256, 257), (255, 256), (300, 300), (257, 1_000)])
    func `a later checkpoint of the same log replaces an earlier one, and never the other way round`(
        earlier: Int, later: Int
    ) async throws {
        try await inDirectory {
            let (old, new) = (try log.anchor(earlier), try log.anchor(later))
            _ = try await keeper(log).keep(old)
            #expect(try await keeper(log).keep(new) == new)
            #expect(try text == new.text)
            #expect(try await keeper(log).keep(old) == new, "the later one stays")
            #expect(try text == new.text)
        }
    }

    @Test(arguments: [300, 301, 5_000])
    func `a log with other entries replaces nothing, however long it is, and its checkpoint is kept beside`(
        size: Int
    ) async throws {
        try await inDirectory {
            let restored = Log(secret: log.secret, restoredAt: 200)
            let kept = try log.anchor(300)
            _ = try await keeper(log).keep(kept)
            let other = try restored.anchor(size)
            for _ in 0..<2 {
                let error = try await #require(throws: AnchorFileError.self) {
                    _ = try await keeper(restored).keep(other)
                }
                #expect(error.code == .conflict && error.reason.contains("300 entries"), "\(error)")
                #expect(try text == kept.text)
                let beside = try #require(try names.last)
                #expect(try names == ["anchor", beside] && beside.hasPrefix("anchor.conflict-\(size)-"))
                #expect(error.remedy.contains(beside))
                let found = try Anchor(
                    parsing: String(contentsOfFile: directory.appendingPathComponent(beside).path, encoding: .utf8))
                #expect(found == other)
            }
        }
    }

    @Test func `a shorter log replaces nothing`() async throws {
        try await inDirectory {
            let kept = try log.anchor(300)
            _ = try await keeper(log).keep(kept)
            for shorter in [log.cut(at: 100), Log(secret: log.secret, restoredAt: 20).cut(at: 100)] {
                let error = try await #require(throws: AnchorFileError.self) {
                    _ = try await keeper(shorter).keep(try shorter.anchor(100))
                }
                #expect(error.code == .conflict && error.reason.contains("lacks"), "\(error)")
                #expect(try text == kept.text)
            }
        }
    }

    @Test func `a file that is gone is written again only by a log that contains what was last in it`() async throws {
        try await inDirectory {
            let kept = try await keeper(log).keep(try log.anchor(300))
            try FileManager.default.removeItem(atPath: path)
            let restored = Log(secret: log.secret, restoredAt: 200)
            await #expect(throws: AnchorFileError.self) {
                _ = try await keeper(restored).keep(try restored.anchor(400), after: kept)
            }
            #expect(!FileManager.default.fileExists(atPath: path))
            let next = try log.anchor(301)
            #expect(try await keeper(log).keep(next, after: kept) == next)
            #expect(try text == next.text)
        }
    }

    @Test func `an installation that was renamed keeps its file, and another log's file is left alone`() async throws {
        try await inDirectory {
            let kept = try log.anchor(3)
            _ = try await keeper(log).keep(kept)
            let renamed = Log(secret: log.secret, name: "renamed.example")
            _ = try await keeper(renamed).keep(try renamed.anchor(4))
            #expect(try AnchorFile(path: path).read()?.key.name == "renamed.example")

            let before = try text, other = Log(secret: Curve25519.Signing.PrivateKey())
            let error = try await #require(throws: AnchorFileError.self) {
                _ = try await keeper(other).keep(try other.anchor(5))
            }
            #expect(error.code == .unusable && error.reason.contains("another log"), "\(error)")
            #expect(try text == before)
        }
    }

    @Test(arguments: ["", "something\n", "cut", "\u{0}\u{0}\u{0}"])
    func `a file that holds no anchor is named and never replaced`(content: String) async throws {
        try await inDirectory {
            // A part of an anchor is none, whatever it still says.
            let spoilt = content == "cut" ? String(try log.anchor(3).text.dropLast(20)) : content
            try write(spoilt)
            let read = try #require(throws: AnchorFileError.self) { try AnchorFile(path: path).read() }
            let kept = try await #require(throws: AnchorFileError.self) {
                _ = try await keeper(log).keep(try log.anchor(4), after: try log.anchor(3))
            }
            for error in [read, kept] {
                #expect(error.code == .unusable && error.description.contains(path), "\(error)")
            }
            #expect(try text == spoilt)
            #expect(try names == ["anchor"])
        }
    }

    @Test func `a directory in its place is named`() async throws {
        let directory = FileManager.default.temporaryDirectory.path
        let error = try #require(throws: AnchorFileError.self) { try AnchorFile(path: directory).read() }
        #expect(error.description.contains("cannot be read"))
    }

    @Test func `a symbolic link stays, and the file that it leads to is replaced`() async throws {
        try await inDirectory {
            let target = directory.appendingPathComponent("target").path
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
            let dangling = try #require(throws: AnchorFileError.self) { try AnchorFile(path: path).read() }
            #expect(dangling.reason.contains("leads to no file"))
            try Data(try log.anchor(3).text.utf8).write(to: URL(fileURLWithPath: target))
            let next = try log.anchor(4)
            _ = try await keeper(log).keep(next)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == target)
            #expect(try String(contentsOfFile: target, encoding: .utf8) == next.text)
            #expect(try names == ["anchor", "target"])
        }
    }

    @Test func `of many writers the one with the latest checkpoint wins`() async throws {
        try await inDirectory {
            try await withThrowingTaskGroup { group in
                for number in 0..<60 {
                    group.addTask { _ = try await keeper(log).keep(try log.anchor(1 + number * 37 % 500)) }
                }
                try await group.waitForAll()
            }
            let latest = (0..<60).map { 1 + $0 * 37 % 500 }.max() ?? 0
            #expect(try AnchorFile(path: path).read() == log.anchor(latest))
            #expect(try names == ["anchor"])
        }
    }
}

/// The tree of a system ledger in memory, and its signer.
private struct Log: MerkleHashes {
    let secret: Curve25519.Signing.PrivateKey
    private let name: String
    private let leaves: [[UInt8]]

    /// A log of 5,000 entries; from `restoredAt` on they are others.
    init(secret: Curve25519.Signing.PrivateKey, name: String = "log.example", restoredAt: Int = .max) {
        self.init(
            secret: secret, name: name,
            leaves: (0..<5_000).map { MerkleTree.leafHash(Array("\($0 < restoredAt ? "first" : "second") \($0)".utf8)) }
        )
    }

    private init(secret: Curve25519.Signing.PrivateKey, name: String, leaves: [[UInt8]]) {
        self.secret = secret
        self.name = name
        self.leaves = leaves
    }

    /// The same log with its first entries only.
    func cut(at size: Int) -> Log { Log(secret: secret, name: name, leaves: Array(leaves.prefix(size))) }

    func anchor(_ size: Int) throws -> Anchor {
        let signer = try CheckpointSigner(name: name, secret: secret)
        return try Anchor(
            key: signer.key,
            checkpoint: try signer.sign(
                .system, size: Int64(size), root: MerkleTree.root(leaves: leaves.prefix(size))))
    }

    func hashes(level: Int, _ indices: Range<Int64>) async throws -> [[UInt8]] {
        let width = 1 << (8 * level)
        return indices.filter { (Int($0) + 1) * width <= leaves.count }.map {
            MerkleTree.root(leaves: leaves[Int($0) * width..<(Int($0) + 1) * width])
        }
    }
}
