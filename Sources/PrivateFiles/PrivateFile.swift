#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An open file that its rules accept.
///
/// Calls block for a few system calls; ``openLocked(_:_:)`` waits up to three seconds. Close the file on every path.
///
/// ```swift
/// let file = try PrivateFile.openLocked(path, .secret)
/// defer { file.close() }
/// try file.replace(with: changed(try file.contents(atMost: 65_536)))
/// ```
package struct PrivateFile: Sendable {
    /// What a file is opened for.
    package enum Access: Sendable {
        case reading
        /// Reading, and adding to the end.
        case appending
    }

    /// The path at which the file was opened, after links if its rules follow them and it is locked.
    package let path: String
    package let descriptor: Int32
    private let rules: FileRules

    /// Opens an existing file and checks it.
    ///
    /// - Throws: ``PrivateFileError/Code/missing`` if there is none; every code of ``FileRules``.
    package init(
        opening path: String, _ rules: FileRules, for access: Access = .reading
    ) throws(PrivateFileError) {
        // O_NONBLOCK makes opening a pipe without a writer fail instead of wait.
        var flags = O_CLOEXEC | O_NONBLOCK | (access == .appending ? O_RDWR | O_APPEND : O_RDONLY)
        if !rules.followsLinks { flags |= O_NOFOLLOW }
        let descriptor = repeated { openFile(path, flags, 0) }
        guard descriptor >= 0 else { throw .system("open", path, opens: true) }
        self.path = path
        self.descriptor = descriptor
        self.rules = rules
        do throws(PrivateFileError) {
            try rules.check(try status(), path)
        } catch {
            close()
            throw error
        }
    }

    /// Opens and locks the file that the path leads to now.
    ///
    /// The previous holder of the lock may have replaced the file, and a lock on the old one protects nothing. It is
    /// then repeated.
    ///
    /// - Throws: ``PrivateFileError/Code/busy`` if another process holds the lock for three seconds, and as
    ///   ``init(opening:_:for:)``.
    package static func openLocked(_ path: String, _ rules: FileRules) throws(PrivateFileError) -> PrivateFile {
        while true {
            let file = try PrivateFile(opening: try target(of: path, rules), rules)
            do throws(PrivateFileError) {
                try file.lock()
                if try file.isStill(at: file.path) { return file }
            } catch {
                file.close()
                throw error
            }
            file.close()
        }
    }

    /// Closes the file and releases its lock. This also releases it in copies of the descriptor that a process being
    /// started holds until its exec (flock(2)).
    package func close() {
        _ = flock(descriptor, LOCK_UN)
        _ = closeFile(descriptor)
    }

    /// Takes the file's advisory lock if nobody has it. Closing the file releases it.
    ///
    /// - Parameter lock: Locks a descriptor; a test gives another function than the system's.
    /// - Returns: Whether the lock is taken; `false` if somebody else has it.
    /// - Throws: ``PrivateFileError/Code/lockless`` if the file system has no locks, so that waiting is in vain.
    package func tryLock(
        _ lock: (Int32, Int32) -> Int32 = { flock($0, $1) }
    ) throws(PrivateFileError) -> Bool {
        if repeated({ lock(descriptor, LOCK_EX | LOCK_NB) }) == 0 { return true }
        guard errno == EWOULDBLOCK else { throw .lockless(path) }
        return false
    }

    /// Takes the lock, waiting up to three seconds: another change of the file is short.
    func lock() throws(PrivateFileError) {
        for _ in 0..<300 {
            if try tryLock() { return }
            usleep(10_000)
        }
        throw PrivateFileError(.busy, path)
    }

    /// Whether the path still leads to this file.
    func isStill(at path: String) throws(PrivateFileError) -> Bool {
        var other = stat()
        guard stat(path, &other) == 0 else {
            guard errno == ENOENT else { throw .system("stat", path) }
            return false
        }
        let own = try status()
        return own.st_dev == other.st_dev && own.st_ino == other.st_ino
    }

    private func status() throws(PrivateFileError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system("stat", path) }
        return status
    }

    /// Reads everything from the start.
    ///
    /// - Parameter limit: The largest permitted number of bytes; `nil` for any.
    package func contents(atMost limit: Int?) throws(PrivateFileError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let offset = off_t(bytes.count)
            let count = repeated {
                chunk.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, offset) }
            }
            guard count >= 0 else { throw .system("read", path) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
            if let limit, bytes.count > limit { throw PrivateFileError(.tooLarge, path) }
        }
    }

    /// Adds bytes to the end of a file that is open for appending, and waits until the disk has them.
    package func append(_ bytes: [UInt8]) throws(PrivateFileError) {
        try writeAll(bytes, descriptor, path)
        guard repeated({ fsync(descriptor) }) == 0 else { throw .system("sync", path) }
    }

    /// Shortens a file that is open for appending, and waits for the disk.
    package func truncate(to count: Int) throws(PrivateFileError) {
        guard repeated({ ftruncate(descriptor, off_t(count)) }) == 0, repeated({ fsync(descriptor) }) == 0 else {
            throw .system("truncate", path)
        }
    }

    /// Replaces the file atomically. Its owner and its permissions stay; the new content is on disk when this returns.
    ///
    /// The open file stays the old one, with its lock.
    package func replace(with bytes: [UInt8]) throws(PrivateFileError) {
        try Draft.replace(path, bytes, rules, like: try status())
    }
}

/// Whole files.
extension PrivateFile {
    /// Reads a file.
    ///
    /// - Throws: As ``init(opening:_:for:)``.
    package static func read(
        _ path: String, _ rules: FileRules, atMost limit: Int
    ) throws(PrivateFileError) -> [UInt8] {
        let file = try PrivateFile(opening: path, rules)
        defer { file.close() }
        return try file.contents(atMost: limit)
    }

    /// Writes a new file completely, on disk, or not at all. It never replaces anything.
    ///
    /// - Parameter sibling: A file whose owner the new one gets if this process is root; `nil` for the process's user.
    /// - Returns: `false` if anything exists at the path.
    package static func create(
        _ path: String, _ bytes: [UInt8], _ rules: FileRules, ownedLike sibling: String? = nil
    ) throws(PrivateFileError) -> Bool {
        var owner: stat?
        if let sibling, geteuid() == 0 {
            var status = stat()
            if stat(sibling, &status) == 0 { owner = status }
        }
        return try Draft.create(path, bytes, rules, ownedLike: owner)
    }

    /// Replaces a file atomically, or creates it: readers find the old content or the new one, which is on disk when
    /// this returns.
    ///
    /// The owner stays, and so do the permissions, except those that the rules forbid.
    ///
    /// - Throws: ``PrivateFileError`` if what is at the path is a directory, has the wrong owner, or is a link that the
    ///   rules do not follow.
    package static func replace(_ path: String, _ bytes: [UInt8], _ rules: FileRules) throws(PrivateFileError) {
        let target = try target(of: path, rules, mayBeMissing: true)
        var status = stat()
        guard lstat(target, &status) == 0 else {
            guard errno == ENOENT else { throw .system("stat", path) }
            return try Draft.replace(target, bytes, rules, like: nil)
        }
        status.st_mode &= ~rules.forbidden
        try rules.check(status, path)
        try Draft.replace(target, bytes, rules, like: status)
    }

    /// Whether a path is a symbolic link, wherever it leads.
    package static func isSymbolicLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Removes a name. Succeeds if there is none.
    package static func remove(_ path: String) throws(PrivateFileError) {
        guard unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR else { throw .system("remove", path) }
    }

    /// Resolves symbolic links if the rules follow them, so that replacing a file does not replace a link to it.
    private static func target(
        of path: String, _ rules: FileRules, mayBeMissing: Bool = false
    ) throws(PrivateFileError) -> String {
        guard rules.followsLinks else { return path }
        if let resolved = realpath(path, nil) {
            defer { free(resolved) }
            return String(cString: resolved)
        }
        let failure = PrivateFileError.system("open", path, opens: true)
        guard mayBeMissing, failure.code == .missing else { throw failure }
        guard !isSymbolicLink(path) else {
            throw PrivateFileError(.link, path, reason: "is a symbolic link that leads to no file")
        }
        return path
    }
}

/// A file that is written beside its place and then put there.
private enum Draft {
    static func create(
        _ path: String, _ bytes: [UInt8], _ rules: FileRules, ownedLike owner: stat?
    ) throws(PrivateFileError) -> Bool {
        let draft = try write(bytes, beside: path, rules, owner: owner, mode: nil)
        defer { unlink(draft) }
        // Linking fails if the name exists; renaming would replace it.
        guard link(draft, path) == 0 else {
            guard errno == EEXIST else { throw .system("link", path) }
            return false
        }
        try OwnedDirectory.sync(of: path)
        return true
    }

    static func replace(
        _ path: String, _ bytes: [UInt8], _ rules: FileRules, like status: stat?
    ) throws(PrivateFileError) {
        let mode = status.map { $0.st_mode & 0o777 & ~rules.forbidden }
        let draft = try write(bytes, beside: path, rules, owner: status, mode: mode)
        guard rename(draft, path) == 0 else {
            let failure = PrivateFileError.system("rename", path)
            unlink(draft)
            throw failure
        }
        try OwnedDirectory.sync(of: path)
    }

    /// Writes a new file and returns its name. It is on disk then; after a failure nothing is left.
    private static func write(
        _ bytes: [UInt8], beside path: String, _ rules: FileRules, owner: stat?, mode: mode_t?
    ) throws(PrivateFileError) -> String {
        let draft = path + ".new." + String(UInt64.random(in: 0 ... .max), radix: 16)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = repeated { openFile(draft, flags, rules.mode) }
        guard descriptor >= 0 else { throw .system("create", path) }
        defer { _ = closeFile(descriptor) }
        do throws(PrivateFileError) {
            try keep(owner, mode, descriptor, path)
            try writeAll(bytes, descriptor, path)
            guard repeated({ fsync(descriptor) }) == 0 else { throw .system("sync", path) }
        } catch {
            unlink(draft)
            throw error
        }
        return draft
    }

    /// Gives an open file an owner and permissions.
    private static func keep(
        _ owner: stat?, _ mode: mode_t?, _ descriptor: Int32, _ path: String
    ) throws(PrivateFileError) {
        if let owner, owner.st_uid != geteuid() || owner.st_gid != getegid() {
            // Only root can give a file away. Another user keeps the group if it is one of theirs.
            let uid = geteuid() == 0 ? owner.st_uid : uid_t.max
            guard fchown(descriptor, uid, owner.st_gid) == 0 || geteuid() != 0 else { throw .system("chown", path) }
        }
        if let mode, fchmod(descriptor, mode) != 0 { throw .system("chmod", path) }
    }
}

private func writeAll(_ bytes: [UInt8], _ descriptor: Int32, _ path: String) throws(PrivateFileError) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = repeated { rest.withUnsafeBytes { writeFile(descriptor, $0.baseAddress, $0.count) } }
        guard count > 0 else { throw .system("write", path) }
        rest = rest.dropFirst(count)
    }
}

/// Repeats a call that a signal interrupted.
func repeated<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

// The functions of the system under other names, because the methods above hide them.
func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
func closeFile(_ descriptor: Int32) -> Int32 { close(descriptor) }
private func writeFile(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
