import Foundation
import Testing

@testable import PrivateFiles

/// A directory of the test's own, removed with it.
private final class Folder: Sendable {
    let path = NSTemporaryDirectory() + "private-" + UUID().uuidString

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var file: String { path + "/secret" }
    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }

    func status(_ name: String = "secret") throws -> stat {
        var status = stat()
        try #require(lstat(path + "/" + name, &status) == 0)
        return status
    }

    func mode(_ name: String = "secret") throws -> mode_t { try status(name).st_mode & 0o7777 }
}

/// The code of the error that `work` throws.
private func code(_ work: () throws -> Void) -> PrivateFileError.Code? {
    do {
        try work()
        return nil
    } catch { return (error as? PrivateFileError)?.code }
}

extension Trait where Self == ConditionTrait {
    /// Only root can give a file to another user.
    fileprivate static var asRoot: Self { .enabled(if: geteuid() == 0, "not root: owners were NOT tried") }
}

@Suite struct PrivateFileTests {
    private static let stranger: uid_t = 54_321

    @Test func `a new file is for its owner alone and nothing else is left`() throws {
        let folder = try Folder()
        #expect(try PrivateFile.create(folder.file, [1, 2], .secret))
        #expect(try folder.mode() == 0o600)
        #expect(try PrivateFile.read(folder.file, .secret, atMost: 2) == [1, 2])
        #expect(try !PrivateFile.create(folder.file, [3], .secret))
        #expect(try PrivateFile.read(folder.file, .personal, atMost: 2) == [1, 2])
        #expect(try folder.names == ["secret"])
        #expect(code { _ = try PrivateFile.create(folder.path + "/no/secret", [1], .secret) } == .system)
    }

    @Test func `no file is accessible to others at any moment`() throws {
        let folder = try Folder()
        let (done, seen) = (NSLock(), NSLock())
        nonisolated(unsafe) var (isDone, exposed) = (false, 0)
        let watcher = Thread {
            while !done.withLock({ isDone }) {
                for name in (try? folder.names) ?? [] {
                    var status = stat()
                    guard lstat(folder.path + "/" + name, &status) == 0, status.st_mode & 0o077 != 0 else { continue }
                    seen.withLock { exposed += 1 }
                }
            }
        }
        watcher.start()
        for number in 0..<200 {
            #expect(try PrivateFile.create(folder.path + "/\(number)", [7], .personal))
            try PrivateFile.replace(folder.path + "/\(number)", [8], .personal)
            try PrivateFile.remove(folder.path + "/\(number)")
        }
        done.withLock { isDone = true }
        #expect(seen.withLock { exposed } == 0)
    }

    @Test(arguments: [0o640, 0o620, 0o604, 0o601, 0o644, 0o666] as [mode_t])
    func `a file that others can access is refused, and a replacement is private`(mode: mode_t) throws {
        let folder = try Folder()
        _ = try PrivateFile.create(folder.file, [1], .secret)
        #expect(chmod(folder.file, mode) == 0)
        for rules in [FileRules.secret, .personal] {
            #expect(code { _ = try PrivateFile.read(folder.file, rules, atMost: 9) } == .exposed)
            #expect(code { try PrivateFile.openLocked(folder.file, rules).close() } == .exposed)
        }
        #expect(try PrivateFile.read(folder.file, .evidence, atMost: 9) == [1])
        try PrivateFile.replace(folder.file, [2], .personal)
        #expect(try folder.mode() == mode & 0o700)
        #expect(try PrivateFile.read(folder.file, .personal, atMost: 9) == [2])
    }

    @Test func `a replacement keeps the mode`() throws {
        let folder = try Folder()
        _ = try PrivateFile.create(folder.file, [1], .secret)
        #expect(chmod(folder.file, 0o400) == 0)
        try PrivateFile.replace(folder.file, [2], .secret)
        #expect(try folder.mode() == 0o400)
        let file = try PrivateFile.openLocked(folder.file, .secret)
        defer { file.close() }
        try file.replace(with: [3])
        #expect(try folder.mode() == 0o400)
        #expect(try PrivateFile.read(folder.file, .secret, atMost: 1) == [3])
        #expect(try folder.names == ["secret"])
    }

    @Test(.asRoot) func `a replacement of root keeps the owner`() throws {
        let folder = try Folder()
        _ = try PrivateFile.create(folder.file, [1], .secret)
        #expect(chown(folder.file, Self.stranger, Self.stranger) == 0)
        try PrivateFile.replace(folder.file, [2], .secret)
        let file = try PrivateFile.openLocked(folder.file, .secret)
        defer { file.close() }
        try file.replace(with: [3])
        let status = try folder.status()
        #expect(status.st_uid == Self.stranger && status.st_gid == Self.stranger)
        #expect(try folder.mode() == 0o600)
        #expect(try PrivateFile.read(folder.file, .secret, atMost: 1) == [3])
    }

    @Test(.asRoot) func `a person's file of another user is neither read nor replaced`() throws {
        let folder = try Folder()
        _ = try PrivateFile.create(folder.file, [1], .personal)
        #expect(chown(folder.file, Self.stranger, Self.stranger) == 0)
        #expect(code { _ = try PrivateFile.read(folder.file, .personal, atMost: 9) } == .foreign)
        #expect(code { try PrivateFile.replace(folder.file, [2], .personal) } == .foreign)
        #expect(try PrivateFile.read(folder.file, .secret, atMost: 9) == [1], "root reads the service's file")
    }

    @Test(.asRoot) func `a new file of root can belong to the owner of another file`() throws {
        let folder = try Folder()
        _ = try PrivateFile.create(folder.file, [1], .secret)
        #expect(chown(folder.file, Self.stranger, Self.stranger) == 0)
        _ = try PrivateFile.create(folder.path + "/list", [2], .record, ownedLike: folder.file)
        #expect(try folder.status("list").st_uid == Self.stranger)
        #expect(try folder.mode("list") == 0o600)
    }

    @Test func `a link is kept by secrets and refused by a person's files`() throws {
        let folder = try Folder()
        let link = folder.path + "/link"
        _ = try PrivateFile.create(folder.file, [1], .secret)
        #expect(symlink("secret", link) == 0)
        try PrivateFile.replace(link, [2], .secret)
        let file = try PrivateFile.openLocked(link, .secret)
        try file.replace(with: [3])
        file.close()
        #expect(try folder.status("link").st_mode & S_IFMT == S_IFLNK)
        #expect(try PrivateFile.read(folder.file, .secret, atMost: 1) == [3])
        #expect(code { _ = try PrivateFile.read(link, .personal, atMost: 9) } == .link)
        #expect(code { try PrivateFile.replace(link, [4], .personal) } == .link)
        #expect(try !PrivateFile.create(link, [4], .secret))
        #expect(try PrivateFile.read(folder.file, .secret, atMost: 1) == [3])
    }

    @Test func `a link that leads nowhere is never replaced`() throws {
        let folder = try Folder()
        #expect(symlink("nowhere", folder.file) == 0)
        for rules in [FileRules.secret, .personal] {
            #expect(code { try PrivateFile.replace(folder.file, [1], rules) } == .link)
        }
        #expect(code { _ = try PrivateFile.read(folder.file, .secret, atMost: 9) } == .missing)
        #expect(try folder.names == ["secret"])
    }

    @Test func `what is no regular file is refused without waiting`() throws {
        let folder = try Folder()
        #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
        for path in [folder.path, folder.path + "/pipe"] {
            #expect(code { _ = try PrivateFile.read(path, .secret, atMost: 9) } == .irregular)
            #expect(code { try PrivateFile.replace(path, [1], .secret) } == .irregular)
        }
        #expect(code { _ = try PrivateFile.read(folder.file, .secret, atMost: 9) } == .missing)
        #expect(code { _ = try PrivateFile.read(folder.path + "/pipe/x", .secret, atMost: 9) } == .missing)
    }

    @Test func `a file that is too long is refused`() throws {
        let folder = try Folder()
        _ = try PrivateFile.create(folder.file, Array(repeating: 1, count: 100_000), .secret)
        #expect(code { _ = try PrivateFile.read(folder.file, .secret, atMost: 99_999) } == .tooLarge)
        #expect(try PrivateFile.read(folder.file, .secret, atMost: 100_000).count == 100_000)
    }

    @Test func `a lock has one holder, and a replaced file is noticed`() throws {
        let folder = try Folder()
        _ = try PrivateFile.create(folder.file, [1], .secret)
        let first = try PrivateFile.openLocked(folder.file, .secret)
        let second = try PrivateFile(opening: folder.file, .secret)
        defer { second.close() }
        #expect(try !second.tryLock())
        #expect(code { try second.lock() } == .busy)
        #expect(try first.isStill(at: folder.file))
        try first.replace(with: [2])
        #expect(try !first.isStill(at: folder.file))
        // Another process that is starting has a copy of the descriptor.
        let copy = dup(first.descriptor)
        defer { close(copy) }
        first.close()
        #expect(try second.tryLock())
        let third = try PrivateFile.openLocked(folder.file, .secret)
        defer { third.close() }
        #expect(try third.contents(atMost: 9) == [2])
    }

    @Test(arguments: [ENOLCK, EOPNOTSUPP, ENOSYS, EIO])
    func `a file system without locks is told from a lock that somebody has`(number: Int32) throws {
        let folder = try Folder()
        _ = try PrivateFile.create(folder.file, [1], .secret)
        let file = try PrivateFile(opening: folder.file, .secret)
        defer { file.close() }
        func lock(_ number: Int32) throws -> Bool {
            try file.tryLock { _, _ in
                errno = number
                return -1
            }
        }
        #expect(try !lock(EWOULDBLOCK))
        #expect(code { _ = try lock(number) } == .lockless)
    }

    @Test func `appending and shortening change the end only`() throws {
        let folder = try Folder()
        _ = try PrivateFile.create(folder.file, [1, 2], .secret)
        let file = try PrivateFile(opening: folder.file, .secret, for: .appending)
        defer { file.close() }
        try file.append([3])
        #expect(try file.contents(atMost: nil) == [1, 2, 3])
        try file.truncate(to: 1)
        try file.append([4])
        #expect(try file.contents(atMost: nil) == [1, 4])
        let reader = try PrivateFile(opening: folder.file, .secret)
        defer { reader.close() }
        #expect(code { try reader.append([5]) } == .system)
    }

    @Test func `a description has no path, and a remedy names it`() throws {
        let folder = try Folder()
        _ = try PrivateFile.create(folder.file, [1], .secret)
        #expect(chmod(folder.file, 0o644) == 0)
        let error = #expect(throws: PrivateFileError.self) { try PrivateFile(opening: folder.file, .secret) }
        #expect(error?.description == "The file is accessible to users other than its owner.")
        #expect(error?.remedy == "Run: chmod go= '\(folder.file)'")
    }
}

@Suite struct OwnedDirectoryTests {
    @Test func `missing directories are created for their owner alone`() throws {
        let folder = try Folder()
        try OwnedDirectory.prepare(folder.path + "/a/b", .personal)
        try OwnedDirectory.prepare(folder.path + "/a/b", .personal)
        #expect(try folder.mode("a") == 0o700)
        #expect(try folder.mode("a/b") == 0o700)
    }

    @Test func `a directory that others may enter, a link and a file are refused`() throws {
        let folder = try Folder()
        try OwnedDirectory.prepare(folder.path + "/a", .personal)
        #expect(symlink("a", folder.path + "/link") == 0)
        #expect(code { try OwnedDirectory.check(folder.path + "/link", .personal) } == .link)
        #expect(code { try OwnedDirectory.check(folder.path + "/link", .secret) } == nil)
        #expect(chmod(folder.path + "/a", 0o750) == 0)
        #expect(code { try OwnedDirectory.prepare(folder.path + "/a", .personal) } == .exposed)
        _ = try PrivateFile.create(folder.file, [1], .secret)
        #expect(code { try OwnedDirectory.prepare(folder.file, .personal) } == .irregular)
        #expect(code { try OwnedDirectory.check(folder.path + "/none", .secret) } == .missing)
    }
}
