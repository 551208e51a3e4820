import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A directory that only one user may enter.
enum PrivateDirectory {
    /// Makes the directory when it does not exist, and refuses one that somebody else put there.
    ///
    /// - Parameters:
    ///   - path: The directory; the one above it must exist.
    ///   - owner: To whom it must belong; only root can give it to another user.
    static func ensure(_ path: String, owner: (uid: UInt32, gid: UInt32)) throws {
        if mkdir(path, 0o700) == 0 {
            if geteuid() == 0, chown(path, owner.uid, owner.gid) != 0 {
                throw CommandFailure(.notPermitted, "\(path) cannot be given away: \(SecretFile.systemError())")
            }
        } else if errno != EEXIST {
            throw CommandFailure(.notPermitted, "\(path) cannot be made: \(SecretFile.systemError())")
        }
        var status = stat()
        // Not followed: a link in a directory that everybody may write to would lead wherever its maker wants.
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == owner.uid else {
            throw CommandFailure(
                .notPermitted, "\(path) exists and is not a directory of the right user",
                remedy: "Look at it, and move it away: ls -ld \(path)")
        }
        if status.st_mode & 0o077 != 0, chmod(path, 0o700) != 0 {
            throw CommandFailure(.notPermitted, "\(path) can be entered by others: \(SecretFile.systemError())")
        }
    }
}
