#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What a file must be before it is used, and what a new one gets.
package struct FileRules: Sendable {
    /// Whose files are used.
    package enum Owner: Sendable {
        /// Files of the process's own user.
        case caller
        /// Files of the process's own user. Root uses those of every user.
        case callerOrAnyForRoot
        /// Files of every user.
        case anyone
    }

    /// The permission bits that a file may not have.
    let forbidden: mode_t
    /// The permission bits of a new file.
    let mode: mode_t
    /// Whether a symbolic link is followed; otherwise it is refused.
    let followsLinks: Bool
    /// Whose files are used.
    let owner: Owner

    /// A secret of a service or of its operator: mode 0600. Links are followed, because mounts of secrets consist of
    /// them. The operator's commands may run as root on the files of the service's user.
    package static let secret = FileRules(
        forbidden: 0o077, mode: 0o600, followsLinks: true, owner: .callerOrAnyForRoot)
    /// A secret of a person on a device: mode 0600, the person's own, and no link.
    package static let personal = FileRules(forbidden: 0o077, mode: 0o600, followsLinks: false, owner: .caller)
    /// A list that is created for its owner alone, mode 0600, and that its owner may share.
    package static let record = FileRules(forbidden: 0, mode: 0o600, followsLinks: true, owner: .anyone)
    /// Evidence that others may read, as far as the process's mask permits.
    package static let evidence = FileRules(forbidden: 0, mode: 0o644, followsLinks: true, owner: .anyone)

    /// Refuses what is not a regular file, or has the wrong owner or permissions.
    func check(_ status: stat, _ path: String) throws(PrivateFileError) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFLNK: throw PrivateFileError(.link, path)
        default: throw PrivateFileError(.irregular, path)
        }
        let isOwn = status.st_uid == geteuid()
        switch owner {
        case .caller: guard isOwn else { throw PrivateFileError(.foreign, path) }
        case .callerOrAnyForRoot: guard isOwn || geteuid() == 0 else { throw PrivateFileError(.foreign, path) }
        case .anyone: break
        }
        guard status.st_mode & forbidden == 0 else { throw PrivateFileError(.exposed, path) }
    }
}
