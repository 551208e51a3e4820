#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An open file that only its owner may access, with the system calls that a D-TA needs.
///
/// Symbolic links are followed, because mounts of secrets consist of them.
struct MPinPrivateFile: Sendable {
    private static let largest = 65_536

    let descriptor: Int32
    private let path: String

    /// Opens an existing file.
    ///
    /// - Throws: ``MPinAuthorityError/Code/missing``, ``MPinAuthorityError/Code/unusable``, and
    ///   ``MPinAuthorityError/Code/exposed`` with a remedy that names the command to run.
    init(opening path: String, appending: Bool = false) throws(MPinAuthorityError) {
        // O_NONBLOCK makes opening a pipe without a writer fail instead of wait.
        let access = appending ? O_RDWR | O_APPEND : O_RDONLY
        descriptor = Self.repeated { openFile(path, access | O_CLOEXEC | O_NONBLOCK, 0) }
        self.path = path
        guard descriptor >= 0 else { throw Self.failure("open", path) }
        do throws(MPinAuthorityError) {
            try check()
        } catch {
            close()
            throw error
        }
    }

    private init(creating path: String) throws(MPinAuthorityError) {
        descriptor = Self.repeated { openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600) }
        self.path = path
        guard descriptor >= 0 else { throw Self.failure("open", path) }
    }

    private func check() throws(MPinAuthorityError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure("stat", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw MPinAuthorityError(.unusable, "\(path) is not a regular file")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw MPinAuthorityError(
                .exposed, "users other than its owner can access \(path)", remedy: "Run: chmod 600 '\(path)'")
        }
    }

    func close() {
        _ = flock(descriptor, LOCK_UN)
        _ = closeFile(descriptor)
    }

    /// Locks the file until it is closed. Returns `false` if another process holds the lock.
    func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    /// Reads everything from the start.
    ///
    /// - Parameter limit: The largest permitted number of bytes; `nil` for any.
    func contents(atMost limit: Int? = MPinPrivateFile.largest) throws(MPinAuthorityError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: Self.largest)
        while true {
            let offset = off_t(bytes.count)
            let count = Self.repeated {
                chunk.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, offset) }
            }
            guard count >= 0 else { throw Self.failure("read", path) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
            if let limit, bytes.count > limit { throw MPinAuthorityError(.malformed, "\(path) is too large") }
        }
    }

    /// Writes bytes at the current place and waits until they are on the disk.
    func write(_ bytes: [UInt8]) throws(MPinAuthorityError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Self.repeated { rest.withUnsafeBytes { writeFile(descriptor, $0.baseAddress, $0.count) } }
            guard count > 0 else { throw Self.failure("write", path) }
            rest = rest.dropFirst(count)
        }
        guard Self.repeated({ Int(fsync(descriptor)) }) == 0 else { throw Self.failure("sync", path) }
    }

    /// Shortens the file.
    func truncate(to count: Int) throws(MPinAuthorityError) {
        guard ftruncate(descriptor, off_t(count)) == 0, fsync(descriptor) == 0 else {
            throw Self.failure("truncate", path)
        }
    }

    fileprivate static func failure(_ call: String, _ path: String) -> MPinAuthorityError {
        let number = errno
        if call == "open", number == ENOENT || number == ENOTDIR {
            return MPinAuthorityError(.missing, "there is no file \(path)")
        }
        let text = strerror(number).map { String(cString: $0) } ?? "error \(number)"
        return MPinAuthorityError(
            .unusable, "\(path) cannot be used: \(call): \(text)", remedy: "Check the file and its directory.")
    }

    /// Repeats a call that a signal interrupted.
    private static func repeated<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}

extension MPinPrivateFile {
    /// Reads a whole file.
    static func read(_ path: String) throws(MPinAuthorityError) -> [UInt8] {
        let file = try MPinPrivateFile(opening: path)
        defer { file.close() }
        return try file.contents()
    }

    /// Writes a file completely, on disk, with mode 0600, or not at all.
    ///
    /// It writes a new file beside the path and then links it to the path, which fails if the path exists.
    ///
    /// - Throws: ``MPinAuthorityError/Code/exists`` if anything exists at the path.
    static func create(_ path: String, _ bytes: [UInt8]) throws(MPinAuthorityError) {
        let draft = path + ".new.\(UInt64.random(in: 0 ... .max))"
        let file = try MPinPrivateFile(creating: draft)
        defer {
            file.close()
            unlink(draft)
        }
        try file.write(bytes)
        guard link(draft, path) == 0 else {
            guard errno == EEXIST else { throw failure("link", path) }
            throw MPinAuthorityError(.exists, "\(path) exists and is never overwritten")
        }
        let directory = Self.parent(of: path)
        let descriptor = openFile(directory, O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw failure("open", directory) }
        defer { _ = closeFile(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("sync", directory) }
    }

    /// Creates a directory with mode 0700 if there is none, and checks one that exists.
    ///
    /// - Parameter creates: Whether a missing directory is created; its parent must exist.
    static func prepareDirectory(_ path: String, creates: Bool) throws(MPinAuthorityError) {
        if creates, mkdir(path, 0o700) != 0, errno != EEXIST { throw failure("mkdir", path) }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw MPinAuthorityError(
                .missing, "there is no directory \(path)",
                remedy: "Create the D-TA: tenure dta init --directory '\(path)'")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw MPinAuthorityError(
                .exposed, "users other than its owner can access \(path)", remedy: "Run: chmod 700 '\(path)'")
        }
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

// The functions of the system under other names, because the methods above hide them.
private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
private func closeFile(_ descriptor: Int32) -> Int32 { close(descriptor) }
private func writeFile(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
