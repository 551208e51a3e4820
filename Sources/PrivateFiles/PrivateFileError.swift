#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The reason why a file or a directory was not used.
package struct PrivateFileError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        /// There is no file.
        case missing
        /// Users other than the owner can access it.
        case exposed
        /// It belongs to another user.
        case foreign
        /// It is a symbolic link where none is followed, or one that leads to no file.
        case link
        /// It is not a regular file, or not a directory where one is needed.
        case irregular
        /// It is longer than the caller accepts.
        case tooLarge
        /// Another process holds its lock.
        case busy
        /// The file system has no locks.
        case lockless
        /// The system refused a call.
        case system
    }

    package let code: Code
    /// The path, which is not part of the description.
    package let path: String
    /// What is wrong with the file, as the end of a sentence that the file begins.
    package let reason: String

    init(_ code: Code, _ path: String, reason: String? = nil) {
        self.code = code
        self.path = path
        self.reason = reason ?? Self.reason(code)
    }

    /// The failure of a system call, with the system's reason.
    ///
    /// - Parameter opens: Whether the call opened an existing file, so that its absence has a code of its own.
    static func system(_ call: String, _ path: String, opens: Bool = false) -> PrivateFileError {
        let number = errno
        if opens, number == ENOENT || number == ENOTDIR { return PrivateFileError(.missing, path) }
        if opens, number == ELOOP { return PrivateFileError(.link, path) }
        return PrivateFileError(.system, path, reason: "cannot be used: \(call): \(text(number))")
    }

    /// The refusal of a lock by the file system.
    static func lockless(_ path: String) -> PrivateFileError {
        PrivateFileError(.lockless, path, reason: "is in a directory without file locks (\(text(errno)))")
    }

    private static func text(_ number: Int32) -> String {
        strerror(number).map { String(cString: $0) } ?? "error \(number)"
    }

    private static func reason(_ code: Code) -> String {
        switch code {
        case .missing: "does not exist"
        case .exposed: "is accessible to users other than its owner"
        case .foreign: "belongs to another user"
        case .link: "is a symbolic link that is not followed"
        case .irregular: "is not a regular file"
        case .tooLarge: "is too large"
        case .busy: "is being changed by another process"
        case .lockless: "is in a directory without file locks"
        case .system: "cannot be used"
        }
    }

    /// What the owner of the file can do, as a sentence. It names the path.
    package var remedy: String {
        switch code {
        case .missing: "Create or restore \(path)."
        case .exposed: "Run: chmod go= '\(path)'"
        case .foreign: "Give \(path) to the user who runs this."
        case .link, .irregular: "Put a regular file at \(path)."
        case .tooLarge: "Put the right file at \(path)."
        case .busy: "Wait for the other process, then try again."
        case .lockless: "Use a directory on a file system with locks instead of that of \(path)."
        case .system: "Check \(path) and its directory."
        }
    }

    /// The reason after the words "The file".
    package var description: String { "The file \(reason)." }
}
