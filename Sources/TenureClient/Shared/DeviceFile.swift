import Foundation
import PrivateFiles

/// The files of this device: mode 0600, the person's own and no links, in directories of mode 0700.
enum DeviceFile {
    /// Reads a file.
    ///
    /// - Returns: The content; `nil` if there is no file.
    /// - Throws: `PrivateFileError` if the file is a link, belongs to another user, is open to others or is longer than
    ///   `maximumBytes`.
    static func read(_ path: String, maximumBytes: Int) throws(PrivateFileError) -> [UInt8]? {
        do throws(PrivateFileError) {
            return try PrivateFile.read(path, .personal, atMost: maximumBytes)
        } catch {
            guard error.code == .missing else { throw error }
            return nil
        }
    }

    /// Creates a file atomically: it is complete and on disk as soon as it is visible.
    ///
    /// - Returns: `false` if a file exists, which stays unchanged.
    static func create(_ path: String, _ bytes: [UInt8]) throws(PrivateFileError) -> Bool {
        try prepareDirectory(of: path)
        return try PrivateFile.create(path, bytes, .personal)
    }

    /// Replaces a file atomically: readers see either the old content or the new content.
    static func replace(_ path: String, _ bytes: [UInt8]) throws(PrivateFileError) {
        try prepareDirectory(of: path)
        try PrivateFile.replace(path, bytes, .personal)
    }

    /// Removes a file. Succeeds if there is none.
    static func remove(_ path: String) throws(PrivateFileError) { try PrivateFile.remove(path) }

    /// Opens a file for its lock, and creates it empty if there is none.
    static func openForLock(_ path: String) throws(PrivateFileError) -> PrivateFile {
        do throws(PrivateFileError) {
            return try PrivateFile(opening: path, .personal)
        } catch {
            guard error.code == .missing else { throw error }
            _ = try create(path, [])
            return try PrivateFile(opening: path, .personal)
        }
    }

    /// Creates the directory and refuses one that others may enter.
    private static func prepareDirectory(of path: String) throws(PrivateFileError) {
        try OwnedDirectory.prepare((path as NSString).deletingLastPathComponent, .personal)
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
