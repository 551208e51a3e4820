import Foundation
import PrivateFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The directory with the state of a checkout's development service.
package struct StateDirectory: Sendable, Equatable {
    /// The absolute path.
    package let path: String

    package init(_ path: String) {
        self.path = URL(fileURLWithPath: path).standardizedFileURL.path
    }

    /// The environment file, to be sourced by a shell.
    package var environmentFile: String { path + "/dev.env" }
    package var masterKeyFile: String { path + "/master-keys.json" }
    package var operatorKeyFile: String { path + "/operator.key" }
    package var clusterLink: String { path + "/cluster" }
    /// The directory of the mails that a development service would send.
    package var mailDirectory: String { path + "/mail" }
    /// The lock file, locked by the running service.
    package var lockFile: String { path + "/serve.lock" }

    /// Creates the directory with access for its owner only.
    package func prepare() throws {
        try PrivateDirectory.ensure(path, owner: (geteuid(), getegid()))
    }

    /// Updates the link to a cluster outside the directory, so that people can find it.
    package func link(to cluster: ClusterLayout) throws {
        guard cluster.base != clusterLink else { return }
        if readLink(clusterLink) == cluster.base { return }
        unlink(clusterLink)
        guard symlink(cluster.base, clusterLink) == 0 else {
            throw DevelopmentFailure(.notPermitted, "\(clusterLink) cannot be created: \(SecretFile.systemError())")
        }
    }

    private func readLink(_ path: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: path)
    }
}

/// An exclusive lock on a state directory, held while this value lives. The system releases it when the process ends in
/// any way, so a crash leaves no stale lock.
package final class StateLock: Sendable {
    package let descriptor: Int32

    /// Acquires the lock, or throws an error that names the holder.
    package init(at path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw DevelopmentFailure(.notPermitted, "\(path) cannot be opened: \(SecretFile.systemError())")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let (number, reason) = (errno, SecretFile.systemError())
            close(descriptor)
            guard number == EWOULDBLOCK else {
                throw DevelopmentFailure(.failure, "\(path) is in a directory without file locks: \(reason)")
            }
            let holder = (try? String(contentsOfFile: path, encoding: .utf8)).flatMap { Int($0) }
            throw DevelopmentFailure(
                .busy, "this checkout's service is already running" + (holder.map { " as process \($0)" } ?? ""),
                remedy: "Stop it with Ctrl-C, or give this one its own state: make run STATE=… PORT=…")
        }
        self.descriptor = descriptor
        let text = Array(String(getpid()).utf8)
        // The content only helps the message above. The lock itself is decisive.
        _ = ftruncate(descriptor, 0)
        _ = pwrite(descriptor, text, text.count, 0)
    }

    /// Unlocks explicitly, because a child process has a copy of the descriptor until its exec. Closing ours would
    /// leave the lock held in the meantime; unlocking releases it for all copies (flock(2)).
    deinit {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}

/// Files that have mode 0600 from the moment they are created.
package enum SecretFile {
    /// Creates a file with mode 0600 and opens it for writing.
    ///
    /// - Returns: The descriptor, which the caller closes.
    /// - Throws: ``DevelopmentFailure`` if the file exists or cannot be created.
    package static func create(at path: String) throws -> Int32 {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw DevelopmentFailure(.notPermitted, "\(path) cannot be written: \(systemError())")
        }
        return descriptor
    }

    /// Replaces the content of a file atomically: readers see either the old text or the new one.
    ///
    /// - Throws: ``DevelopmentFailure``.
    package static func replace(at path: String, with text: String) throws {
        do throws(PrivateFileError) { try PrivateFile.replace(path, Array(text.utf8), .secret) } catch {
            throw DevelopmentFailure(.notPermitted, "\(path) \(error.reason)", remedy: error.remedy)
        }
    }

    /// The permission bits of a file, for example 0o600; `nil` if it does not exist.
    package static func mode(of path: String) -> Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.posixPermissions] as? NSNumber)?.intValue
    }

    /// The description of the last failed system call.
    package static func systemError() -> String { String(cString: strerror(errno)) }
}

/// A directory that only one user may enter.
package enum PrivateDirectory {
    /// Creates the directory if it does not exist. Refuses a directory that belongs to another user.
    ///
    /// - Parameters:
    ///   - path: The directory. Its parent must exist.
    ///   - owner: The required owner. Only root can assign another user.
    package static func ensure(_ path: String, owner: (uid: UInt32, gid: UInt32)) throws {
        if mkdir(path, 0o700) == 0 {
            if geteuid() == 0, chown(path, owner.uid, owner.gid) != 0 {
                throw DevelopmentFailure(
                    .notPermitted, "the owner of \(path) cannot be changed: \(SecretFile.systemError())")
            }
        } else if errno != EEXIST {
            throw DevelopmentFailure(.notPermitted, "\(path) cannot be created: \(SecretFile.systemError())")
        }
        var status = stat()
        // Links are not followed: in a directory that everyone may write to, a link could lead anywhere.
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == owner.uid else {
            throw DevelopmentFailure(
                .notPermitted, "\(path) exists, but is not a directory of the expected user",
                remedy: "Inspect it with ls -ld \(path), then move it away.")
        }
        if status.st_mode & 0o077 != 0, chmod(path, 0o700) != 0 {
            throw DevelopmentFailure(.notPermitted, "\(path) stays open to other users: \(SecretFile.systemError())")
        }
    }
}
