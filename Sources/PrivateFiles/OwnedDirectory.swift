#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A directory that only its owner may enter.
package enum OwnedDirectory {
    /// Creates the directory with mode 0700 if there is none, and its parents too, and then checks it.
    ///
    /// - Throws: As ``check(_:_:)``, and ``PrivateFileError/Code/system``.
    package static func prepare(_ path: String, _ rules: FileRules) throws(PrivateFileError) {
        try create(path)
        try check(path, rules)
    }

    /// Checks that the directory exists, has the right owner and lets nobody else in.
    ///
    /// - Throws: ``PrivateFileError/Code/missing``, ``PrivateFileError/Code/link``,
    ///   ``PrivateFileError/Code/irregular``, ``PrivateFileError/Code/foreign`` or ``PrivateFileError/Code/exposed``.
    package static func check(_ path: String, _ rules: FileRules) throws(PrivateFileError) {
        var status = stat()
        guard (rules.followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else {
            throw .system("stat", path, opens: true)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw PrivateFileError(
                status.st_mode & S_IFMT == S_IFLNK ? .link : .irregular, path, reason: "is not a directory")
        }
        // The owner and the permissions are those of files.
        status.st_mode = S_IFREG | (status.st_mode & ~S_IFMT)
        try rules.check(status, path)
    }

    private static func create(_ path: String) throws(PrivateFileError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let parent = parent(of: path) else { throw .system("mkdir", path) }
        try create(parent)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .system("mkdir", path) }
    }

    /// Makes a new name in a file's directory durable.
    static func sync(of path: String) throws(PrivateFileError) {
        let directory = parent(of: path) ?? "."
        let descriptor = repeated { openFile(directory, O_RDONLY | O_CLOEXEC, 0) }
        guard descriptor >= 0 else { throw .system("open", directory) }
        defer { _ = closeFile(descriptor) }
        guard repeated({ fsync(descriptor) }) == 0 else { throw .system("sync", directory) }
    }

    /// The path without its last component; `nil` if it has one component only.
    private static func parent(of path: String) -> String? {
        guard let slash = path.utf8.dropLast().lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
