import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The directory of everything that a checkout's development service remembers.
struct StateDirectory: Sendable, Equatable {
    /// The absolute path.
    let path: String

    /// Names a directory, relative to the working directory unless it is absolute.
    init(_ path: String) {
        self.path = URL(fileURLWithPath: path).standardizedFileURL.path
    }

    /// The environment file, ready to be sourced.
    var environmentFile: String { path + "/dev.env" }
    /// The master keys.
    var masterKeyFile: String { path + "/master-keys.json" }
    /// Leads to the cluster, wherever it lies.
    var clusterLink: String { path + "/cluster" }
    /// Held by the running service.
    var lockFile: String { path + "/serve.lock" }

    /// Makes the directory, closed to others.
    func prepare() throws {
        try PrivateDirectory.ensure(path, owner: (geteuid(), getegid()))
    }

    /// Lets the link lead to a cluster that lies elsewhere, so that a person finds it.
    func link(to cluster: ClusterLayout) throws {
        guard cluster.base != clusterLink else { return }
        if readLink(clusterLink) == cluster.base { return }
        unlink(clusterLink)
        guard symlink(cluster.base, clusterLink) == 0 else {
            throw CommandFailure(.notPermitted, "\(clusterLink) cannot be made: \(SecretFile.systemError())")
        }
    }

    private func readLink(_ path: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: path)
    }
}
