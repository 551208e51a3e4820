import Canonical

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An open file, with the system calls needed to keep a secret or a piece of evidence in it.
///
/// Every failure is a ``KeysError`` with ``KeysError/Code/masterFileUnusable`` that names the call and the system's
/// reason, except for a missing file.
package struct SystemFile: Sendable {
    package enum Purpose: Sendable {
        case reading
        /// Create a file that only its owner may read.
        case creating
        /// Create a file that others may read, as far as the process's mask permits.
        case creatingReadable
    }

    struct Status: Sendable {
        var isRegular: Bool
        var permissions: UInt32
    }

    let descriptor: Int32

    /// Opens a file, or creates one that does not exist.
    package static func open(_ path: String, _ purpose: Purpose) throws(KeysError) -> SystemFile {
        // O_NONBLOCK makes opening a pipe without a writer fail instead of wait.
        let descriptor =
            switch purpose {
            case .reading: interruptible { openFile(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0) }
            case .creating:
                interruptible { openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600) }
            case .creatingReadable:
                interruptible { openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644) }
            }
        guard descriptor >= 0 else { throw failure("open", path) }
        return SystemFile(descriptor: descriptor)
    }

    /// Closes the file and releases its lock. This also releases it in copies of the descriptor that a process being
    /// started holds until its exec (flock(2)).
    package func close() {
        _ = flock(descriptor, LOCK_UN)
        _ = closeFile(descriptor)
    }

    func status() throws(KeysError) -> Status {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure("stat") }
        return Status(isRegular: status.st_mode & S_IFMT == S_IFREG, permissions: UInt32(status.st_mode & 0o7777))
    }

    /// Whether the path still leads to this file.
    func isStill(at path: String) throws(KeysError) -> Bool {
        var own = stat()
        var other = stat()
        guard fstat(descriptor, &own) == 0, stat(path, &other) == 0 else { throw Self.failure("stat", path) }
        return own.st_dev == other.st_dev && own.st_ino == other.st_ino
    }

    /// Opens and locks the file that the path leads to now, following symbolic links.
    ///
    /// The previous holder of the lock may have replaced the file, and a lock on the old one protects nothing. It is
    /// then repeated.
    package static func openLocked(_ path: String) throws(KeysError) -> SystemFile {
        while true {
            let file = try open(path, .reading)
            do throws(KeysError) {
                try file.lock()
                if try file.isStill(at: path) { return file }
            } catch {
                file.close()
                throw error
            }
            file.close()
        }
    }

    /// Takes the file's advisory lock, waiting up to three seconds. Closing the file releases it.
    ///
    /// Waiting is worthwhile because another update of the file is short.
    func lock() throws(KeysError) {
        for _ in 0..<300 {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
            guard errno == EWOULDBLOCK || errno == EINTR else { break }
            usleep(10_000)
        }
        throw Self.failure("lock")
    }

    /// Reads the file to its end.
    package func read(atMost limit: Int) throws(KeysError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = Self.interruptible { readFile(descriptor, &chunk, chunk.count) }
            guard count >= 0 else { throw Self.failure("read") }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
            guard bytes.count <= limit else {
                throw KeysError(code: .masterFileUnusable, reason: "the master key file is too large")
            }
        }
    }

    /// Writes all bytes.
    package func write(_ bytes: [UInt8]) throws(KeysError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Self.interruptible { rest.withUnsafeBytes { writeFile(descriptor, $0.baseAddress, $0.count) } }
            guard count > 0 else { throw Self.failure("write") }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits until the disk has what was written.
    package func sync() throws(KeysError) {
        guard Self.interruptible({ Int(fsync(descriptor)) }) == 0 else { throw Self.failure("sync") }
    }

    static func failure(_ call: String, _ path: String? = nil) -> KeysError {
        let number = errno
        if call == "open", number == ENOENT {
            return KeysError(
                code: .masterFileMissing, reason: "there is no master key file",
                remedy: path.map { "expected at \($0)" })
        }
        let text = strerror(number).map { String(cString: $0) } ?? "error \(number)"
        return KeysError(
            code: .masterFileUnusable, reason: "the master key file cannot be used: \(call): \(text)",
            remedy: path.map { "check \($0) and its directory" })
    }

    /// Repeats a call that a signal interrupted.
    private static func interruptible<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}

// The functions of the system under other names, because the methods above hide them.
private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
private func closeFile(_ descriptor: Int32) -> Int32 { close(descriptor) }
private func readFile(_ descriptor: Int32, _ buffer: inout [UInt8], _ count: Int) -> Int {
    buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, min(count, $0.count)) }
}
private func writeFile(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

extension SystemFile {
    /// Links a second name to a file. Returns `false` if that name exists.
    package static func link(_ existing: String, to name: String) throws(KeysError) -> Bool {
        if linkFile(existing, name) == 0 { return true }
        if errno == EEXIST { return false }
        throw failure("link", name)
    }

    /// Renames a file, replacing any file of that name.
    package static func rename(_ existing: String, to name: String) throws(KeysError) {
        guard renameFile(existing, name) == 0 else { throw failure("rename", name) }
    }

    /// Removes a name. It is not an error if the name is already gone.
    package static func remove(_ name: String) { _ = unlink(name) }

    /// Resolves symbolic links, so that replacing a file does not replace a link to it.
    package static func resolved(_ path: String) throws(KeysError) -> String {
        guard let resolved = realpath(path, nil) else { throw failure("open", path) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Whether a path is a symbolic link, wherever it leads.
    package static func isSymbolicLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Makes a new name in a directory durable.
    package static func syncDirectory(of path: String) throws(KeysError) {
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
        let directory = try open(name.isEmpty ? "/" : name, .reading)
        defer { directory.close() }
        try directory.sync()
    }

    /// Sixteen random hexadecimal digits.
    package static func uniqueSuffix() -> String {
        var random = SystemRandomNumberGenerator()
        return Hex.encode((0..<8).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
}

// The functions of the system under other names, because the methods above hide them.
private func linkFile(_ existing: String, _ name: String) -> Int32 { link(existing, name) }
private func renameFile(_ existing: String, _ name: String) -> Int32 { rename(existing, name) }
