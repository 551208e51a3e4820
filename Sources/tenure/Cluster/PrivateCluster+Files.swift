import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension ClusterLayout {
    /// The major version of the PostgreSQL that made the data directory; `nil` when there is none.
    var madeByMajor: Int? {
        guard let text = try? String(contentsOfFile: data + "/PG_VERSION", encoding: .utf8) else { return nil }
        return Int(text.prefix(while: \.isNumber))
    }
}

extension PrivateCluster {
    /// Makes the directories of the cluster, each closed to everybody but its owner.
    func prepareDirectories() throws {
        if owner.isOther, mkdir(ClusterLayout.directoryOfRoot, 0o755) != 0, errno != EEXIST {
            throw CommandFailure(
                .notPermitted, "\(ClusterLayout.directoryOfRoot) cannot be made: \(SecretFile.systemError())")
        }
        for path in [layout.base, layout.socketDirectory] {
            try PrivateDirectory.ensure(path, owner: (owner.uid, owner.gid))
        }
    }

    /// Writes the files that make the cluster private. They follow the checkout when it is moved.
    func writeSettings() throws {
        try write(ClusterSettings.server(socketDirectory: layout.socketDirectory), to: layout.data + "/tenure.conf")
        try write(ClusterSettings.access, to: layout.data + "/pg_hba.conf")
        let users = owner.isOther ? ["root", owner.name] : [owner.name]
        try write(ClusterSettings.users(users), to: layout.data + "/pg_ident.conf")
    }

    /// Writes a file that belongs to the cluster's owner.
    func write(_ text: String, to path: String) throws {
        try SecretFile.replace(at: path, with: text)
        try give(path)
    }

    /// Adds to a file that belongs to the cluster's owner.
    func append(_ text: String, to path: String) throws {
        let old = try String(contentsOfFile: path, encoding: .utf8)
        try write(old + text, to: path)
    }

    private func give(_ path: String) throws {
        guard owner.isOther else { return }
        guard lchown(path, owner.uid, owner.gid) == 0 else {
            throw CommandFailure(.notPermitted, "\(path) cannot be given to \(owner.name): \(SecretFile.systemError())")
        }
    }
}
