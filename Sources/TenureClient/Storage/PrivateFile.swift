import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Files that only their owner may read (0600), in directories that only their owner may enter (0700).
enum PrivateFile {
    /// Reads a file.
    ///
    /// - Returns: `nil` when there is none.
    /// - Throws: ``StorageFailure`` when it is a link, another's, open to others or longer than `maximumBytes`.
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

    /// Makes a file that is whole from the moment it can be seen.
    ///
    /// - Returns: `false` when there was one already, which stays as it is.
    static func create(_ path: String, _ bytes: [UInt8]) throws -> Bool {
        try beside(path, bytes) { temporary in
            if link(temporary, path) == 0 { return true }
            guard errno == EEXIST else { throw StorageFailure() }
            return false
        }
    }

    /// Puts a file in the place of whatever was there; a reader sees the old one or the new one.
    static func replace(_ path: String, _ bytes: [UInt8]) throws {
        try beside(path, bytes) { temporary in
            guard rename(temporary, path) == 0 else { throw StorageFailure() }
        }
    }

    /// Removes a file; none is fine.
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

    /// Makes the directory, and refuses one that others may enter.
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
