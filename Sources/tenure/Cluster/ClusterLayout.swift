import Crypto
import Foundation

/// Where a private cluster lies.
struct ClusterLayout: Sendable, Equatable {
    /// The directory that holds all of it.
    var base: String
    /// The directory of the socket; with the socket's name short enough for an address (107 bytes).
    var socketDirectory: String

    /// The data directory.
    var data: String { base + "/data" }
    /// A data directory that is not complete yet; what an aborted start leaves is removed by the next one.
    var unfinished: String { base + "/data.new" }
    /// What the server writes.
    var log: String { base + "/log" }
    /// The number in the socket's name; there is no TCP port.
    static let port = 5432
    /// The socket itself.
    var socket: String { "\(socketDirectory)/.s.PGSQL.\(Self.port)" }

    /// Above the clusters that root lends to another user: root's own directories are closed to that user.
    static let directoryOfRoot = "/var/lib/tenure-dev"

    /// The place for the state directory of a checkout.
    ///
    /// - Parameters:
    ///   - stateDirectory: The absolute path of `.tenure`.
    ///   - owner: The owner of the cluster.
    init(stateDirectory: String, owner: ClusterOwner) {
        let hash = Self.hash(of: stateDirectory)
        base = owner.isOther ? "\(Self.directoryOfRoot)/\(hash.prefix(16))" : stateDirectory + "/cluster"
        socketDirectory = base + "/socket"
        if !Self.isSafeSocketPath(socket) { socketDirectory = "/tmp/tenure-\(hash.prefix(8))" }
    }

    /// Lower-case hex SHA-256 of a path.
    static func hash(of path: String) -> String {
        SHA256.hash(data: Data(path.utf8)).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// Whether a path fits a socket's address and needs no quoting anywhere: in a URL, in a list of directories, in the
    /// server's settings.
    static func isSafeSocketPath(_ path: String) -> Bool {
        path.utf8.count <= 107
            && path.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// The URL of a database of this cluster for a role. There is no password: the operating system says who connects.
    func url(role: String, database: String = ClusterSettings.database) -> String {
        "postgresql://\(role)@/\(database)?host=\(socketDirectory)&port=\(Self.port)"
    }
}
