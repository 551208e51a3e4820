import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Files that only their owner may read. They have that mode from the first moment, not only after a `chmod`.
enum SecretFile {
    /// Makes a new file with mode 0600 and opens it for writing.
    ///
    /// - Returns: The descriptor, which the caller closes.
    /// - Throws: ``CommandFailure`` when it exists or cannot be made.
    static func create(at path: String) throws -> Int32 {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure(.notPermitted, "\(path) cannot be written: \(systemError())")
        }
        return descriptor
    }

    /// Puts `text` in the place of whatever the file held; a reader sees the old text or the new one.
    static func replace(at path: String, with text: String) throws {
        let temporary = path + ".\(UUID().uuidString).new"
        let handle = FileHandle(fileDescriptor: try create(at: temporary), closeOnDealloc: true)
        do {
            try handle.write(contentsOf: Data(text.utf8))
            try handle.synchronize()
            guard rename(temporary, path) == 0 else {
                throw CommandFailure(.notPermitted, "\(path) cannot be replaced: \(systemError())")
            }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Who may do what with the file, for example 0o600; `nil` when it does not exist.
    static func mode(of path: String) -> Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.posixPermissions] as? NSNumber)?.intValue
    }

    /// The reason of the last failed call of the system.
    static func systemError() -> String { String(cString: strerror(errno)) }
}
