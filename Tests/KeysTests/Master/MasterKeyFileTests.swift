import Canonical
import Foundation
import PrivateFiles
import Testing

@testable import Keys

@Suite struct MasterKeyFileTests {
    /// A directory of the test's own, removed with it.
    private final class Directory: Sendable {
        let path: String
        init() throws {
            path = NSTemporaryDirectory() + "keys-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        deinit { try? FileManager.default.removeItem(atPath: path) }
        var file: MasterKeyFile { MasterKeyFile(path: path + "/master.json") }
        var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }
        func mode(_ mode: Int) throws {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        }
    }

    private func code(_ body: () throws -> Void) -> KeysError.Code? {
        do {
            try body()
            return nil
        } catch { return (error as? KeysError)?.code }
    }

    @Test func `a created file round-trips, is readable by its owner only, and leaves no other file`() throws {
        let directory = try Directory()
        let keys = try directory.file.create()
        #expect(try directory.file.load() == keys)
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try directory.names == ["master.json"])
    }

    @Test func `an existing file is never overwritten`() throws {
        let directory = try Directory()
        try Data("something else".utf8).write(to: URL(fileURLWithPath: directory.file.path))
        #expect(code { _ = try directory.file.create() } == .masterFileExists)
        #expect(try String(contentsOfFile: directory.file.path, encoding: .utf8) == "something else")
        try directory.mode(0o600)
        #expect(code { _ = try directory.file.loadOrCreate() } == .masterKeysInvalid)
        #expect(try String(contentsOfFile: directory.file.path, encoding: .utf8) == "something else")
        #expect(try directory.names == ["master.json"])
    }

    @Test(arguments: [0o640, 0o620, 0o610, 0o604, 0o602, 0o601, 0o644, 0o666, 0o777])
    func `a file that other users can access is refused with a remedy`(mode: Int) throws {
        let directory = try Directory()
        _ = try directory.file.create()
        try directory.mode(mode)
        let error = #expect(throws: KeysError.self) { try directory.file.load() }
        #expect(error?.code == .masterFileExposed)
        #expect(error?.remedy == "run: chmod 600 '\(directory.file.path)'")
        #expect(error?.description.contains(directory.path) == false)
        #expect(code { _ = try directory.file.loadOrCreate() } == .masterFileExposed)
        #expect(code { try directory.file.update { keys throws(KeysError) in keys } } == .masterFileExposed)
        try directory.mode(0o400)
        #expect(code { _ = try directory.file.load() } == nil)
    }

    @Test func `the mode of a link's target counts, and an update keeps the link`() throws {
        let directory = try Directory()
        let keys = try directory.file.create()
        let link = MasterKeyFile(path: directory.path + "/link")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "master.json")
        #expect(try link.load() == keys)
        #expect(code { _ = try link.create() } == .masterFileExists)
        let changed = try link.update { keys throws(KeysError) in try keys.addingVersion() }
        #expect(try directory.file.load() == changed)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == "master.json")
        try directory.mode(0o644)
        #expect(code { _ = try link.load() } == .masterFileExposed)
    }

    @Test func `a path that is no key file is refused without blocking`() throws {
        let directory = try Directory()
        #expect(code { _ = try directory.file.load() } == .masterFileMissing)
        #expect(code { _ = try MasterKeyFile(path: directory.path).load() } == .masterFileUnusable)
        #expect(code { _ = try MasterKeyFile(path: directory.path + "/no/master.json").create() } != nil)
        #expect(mkfifo(directory.path + "/pipe", 0o600) == 0)
        #expect(code { _ = try MasterKeyFile(path: directory.path + "/pipe").load() } == .masterFileUnusable)
        let large = Data(repeating: 0x20, count: 100_000)
        try large.write(to: URL(fileURLWithPath: directory.file.path))
        try directory.mode(0o600)
        #expect(code { _ = try directory.file.load() } == .masterFileUnusable)
    }

    @Test func `an update replaces the file completely or not at all`() throws {
        let directory = try Directory()
        let first = try directory.file.create()
        let second = try directory.file.update { keys throws(KeysError) in try keys.addingVersion() }
        #expect(second.heldVersions == [1, 2])
        #expect(try second.key(version: 1) == (try first.key(version: 1)))
        #expect(try directory.file.load() == second)
        #expect(
            code { try directory.file.update { keys throws(KeysError) in try keys.removing(version: 2) } }
                == .masterKeysInvalid)
        #expect(try directory.file.load() == second)
        #expect(try directory.names == ["master.json"])
    }

    @Test func `an update is refused while another process holds the lock`() throws {
        let directory = try Directory()
        _ = try directory.file.create()
        let other = try PrivateFile.openLocked(directory.file.path, .secret)
        #expect(code { try directory.file.update { keys throws(KeysError) in keys } } == .masterFileUnusable)
        other.close()
        #expect(code { try directory.file.update { keys throws(KeysError) in keys } } == nil)
    }

    @Test func `an update keeps the mode`() throws {
        let directory = try Directory()
        _ = try directory.file.create()
        try directory.mode(0o400)
        try directory.file.update { keys throws(KeysError) in try keys.addingVersion() }
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o400)
        #expect(try directory.file.load().current == 2)
    }

    @Test(.enabled(if: geteuid() == 0, "not root: the owner was NOT tried"))
    func `an update of root leaves the file to the service's user`() throws {
        let directory = try Directory()
        _ = try directory.file.create()
        let user: uid_t = 54_321
        #expect(chown(directory.file.path, user, user) == 0)
        try directory.file.update { keys throws(KeysError) in try keys.addingVersion() }
        let list = ErasureList(beside: directory.file)
        try list.add([.init(kind: .user, ledger: .random(), id: .random(), time: .now())])
        try list.add([.init(kind: .user, ledger: .random(), id: .random(), time: .now())])
        for path in [directory.file.path, list.path] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.ownerAccountID] as? Int == Int(user) && attributes[.posixPermissions] as? Int == 0o600)
        }
        #expect(try directory.file.load().current == 2)
        #expect(try list.read().count == 2)
    }

    @Test func `concurrent updates are serialized or refused, and none is lost`() async throws {
        let directory = try Directory()
        let file = directory.file
        _ = try file.create()
        let done = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    let updated = try? file.update { keys throws(KeysError) in try keys.addingVersion() }
                    return updated == nil ? 0 : 1
                }
            }
            return await group.reduce(0, +)
        }
        #expect(done >= 1)
        #expect(try file.load().heldVersions.count == 1 + done)
        #expect(try directory.names == ["master.json"])
    }

    @Test func `of two processes starting at once one creates the keys and both use them`() async throws {
        let directory = try Directory()
        let path = directory.path
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2 {
                group.addTask {
                    await #expect(processExitsWith: .success) { [path = path as String, number = number as Int] in
                        // Both say that they run and wait for each other, so that they meet at the file.
                        try Data().write(to: URL(fileURLWithPath: path + "/ready.\(number)"))
                        let deadline = ContinuousClock.now + .seconds(60)
                        while !FileManager.default.fileExists(atPath: path + "/ready.\(1 - number)") {
                            guard ContinuousClock.now < deadline else { exit(1) }
                        }
                        let keys = try MasterKeyFile(path: path + "/master.json").loadOrCreate()
                        try Data(keys.json()).write(to: URL(fileURLWithPath: path + "/result.\(number)"))
                    }
                }
            }
        }
        let results = try (0..<2).map { number in
            try Data(contentsOf: URL(fileURLWithPath: path + "/result.\(number)"))
        }
        #expect(results[0] == results[1])
        #expect(try MasterKeys(json: results[0]) == (try directory.file.load()))
        #expect(try directory.names == ["master.json", "ready.0", "ready.1", "result.0", "result.1"])
    }
}
