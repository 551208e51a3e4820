import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Files of mode 0600 in directories of mode 0700.
enum PrivateFile {
    /// Reads a file.
    ///
    /// - Returns: The content; `nil` if there is no file.
    /// - Throws: ``StorageFailure`` if the file is a link, belongs to another user, is open to others or is longer than
    ///   `maximumBytes`.
    static func read(_ path: String, maximumBytes: Int) throws -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw StorageFailure() }
            return nil
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 == 0,
            status.st_uid == geteuid(), status.st_size <= off_t(maximumBytes)
        else { throw StorageFailure() }
        return try handle.read(upToCount: maximumBytes).map { Array($0) } ?? []
    }

    /// Creates a file atomically: it is complete as soon as it is visible.
    ///
    /// - Returns: `false` if a file exists, which stays unchanged.
    static func create(_ path: String, _ bytes: [UInt8]) throws -> Bool {
        try beside(path, bytes) { temporary in
            if link(temporary, path) == 0 { return true }
            guard errno == EEXIST else { throw StorageFailure() }
            return false
        }
    }

    /// Replaces a file atomically: readers see either the old content or the new content.
    static func replace(_ path: String, _ bytes: [UInt8]) throws {
        try beside(path, bytes) { temporary in
            guard rename(temporary, path) == 0 else { throw StorageFailure() }
        }
    }

    /// Removes a file. Succeeds if there is none.
    static func remove(_ path: String) throws {
        guard unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR else { throw StorageFailure() }
    }

    private static func beside<Value>(_ path: String, _ bytes: [UInt8], _ place: (String) throws -> Value) throws
        -> Value
    {
        try prepareDirectory((path as NSString).deletingLastPathComponent)
        let temporary = path + "." + UUID().uuidString
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageFailure() }
        defer { unlink(temporary) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: Data(bytes))
        try handle.synchronize()
        return try place(temporary)
    }

    /// Creates the directory and refuses one that others may enter.
    private static func prepareDirectory(_ path: String) throws {
        let parent = (path as NSString).deletingLastPathComponent
        var isDirectory: ObjCBool = false
        if !FileManager.default.fileExists(atPath: parent, isDirectory: &isDirectory) {
            try FileManager.default.createDirectory(
                atPath: parent, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw StorageFailure() }
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_mode & 0o077 == 0,
            status.st_uid == geteuid()
        else { throw StorageFailure() }
    }
}

/// The default directory for data that must survive the program.
enum DataDirectory {
    /// Returns `$XDG_DATA_HOME/tenure` or `~/.local/share/tenure` (XDG Base Directory Specification). On Apple
    /// platforms returns a directory in the app's own `Library/Application Support`.
    static func standard(environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        #if canImport(Darwin)
        return NSHomeDirectory() + "/Library/Application Support/tenure"
        #else
        // The specification requires that relative values are ignored.
        if let named = environment["XDG_DATA_HOME"], named.hasPrefix("/") { return named + "/tenure" }
        return NSHomeDirectory() + "/.local/share/tenure"
        #endif
    }
}

/// Runs work that blocks on a disk or a person on a separate thread, so that it does not block the cooperative pool.
enum BlockingWork {
    /// Runs `work` and returns its result or throws its error.
    static func run<Value: Sendable>(_ work: @Sendable @escaping () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
        }
    }
}

/// A failure of storage: the system refused an operation, or an item was not private.
struct StorageFailure: Error {}
