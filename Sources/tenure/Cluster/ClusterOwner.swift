import Foundation

/// The user to whom a private cluster belongs. PostgreSQL refuses to run as root, so root lends it to somebody else.
struct ClusterOwner: Sendable, Equatable {
    /// The user's name.
    var name: String
    var uid: UInt32
    var gid: UInt32
    /// Whether this process is root and the owner is not.
    var isOther: Bool

    /// The user that root makes when the machine has no `postgres`.
    static let madeByRoot = "tenure-dev"

    /// This user, or for root `postgres` or a system user of our own, which is made when it does not exist.
    ///
    /// - Parameter mayMakeUser: Whether that user may be made.
    static func find(mayMakeUser: Bool) async throws -> ClusterOwner {
        guard let current = SystemUser.current() else {
            throw CommandFailure(
                .unreachable, "the user of this process has no name",
                remedy: "Add the user to /etc/passwd: PostgreSQL looks it up by name.")
        }
        guard current.isRoot else {
            return ClusterOwner(name: current.name, uid: current.uid, gid: current.gid, isOther: false)
        }
        if let user = SystemUser.named("postgres") ?? SystemUser.named(madeByRoot) { return ClusterOwner(other: user) }
        guard mayMakeUser else {
            throw CommandFailure(.notFound, "there is no user yet for the private PostgreSQL; make run makes one")
        }
        let outcome = try await Program(
            "/usr/sbin/useradd",
            ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", madeByRoot])()
        guard outcome.status == 0, let user = SystemUser.named(madeByRoot) else {
            throw CommandFailure(
                .unreachable, "PostgreSQL does not run as root, and no user could be made for it",
                remedy: "Run: useradd --system \(madeByRoot)")
        }
        return ClusterOwner(other: user)
    }

    init(name: String, uid: UInt32, gid: UInt32, isOther: Bool) {
        self.name = name
        self.uid = uid
        self.gid = gid
        self.isOther = isOther
    }

    private init(other user: SystemUser) {
        self.init(name: user.name, uid: user.uid, gid: user.gid, isOther: true)
    }
}
