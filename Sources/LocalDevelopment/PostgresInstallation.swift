import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The server programs of one PostgreSQL version. Debian installs each version in a directory outside the `PATH`.
package struct PostgresInstallation: Sendable, Equatable {
    /// The directory with `initdb`, `pg_ctl` and `postgres`.
    package var directory: String
    /// The major version, for example 15.
    package var major: Int

    /// The oldest supported version.
    package static let oldest = 15

    /// Returns the path of a program.
    package func program(_ name: String) -> String { directory + "/" + name }

    /// Finds the newest installation, or the one of a given version. A cluster needs the version that created it.
    ///
    /// - Throws: ``DevelopmentFailure`` that names the package to install.
    package static func find(major: Int? = nil) async throws -> PostgresInstallation {
        var found: [PostgresInstallation] = []
        for directory in candidates() {
            if let version = try await version(in: directory) {
                found.append(PostgresInstallation(directory: directory, major: version))
            }
        }
        return try choose(from: found, major: major)
    }

    /// Chooses among the installations found.
    package static func choose(from found: [PostgresInstallation], major: Int?) throws -> PostgresInstallation {
        if let major {
            if let match = found.first(where: { $0.major == major }) { return match }
            throw DevelopmentFailure(
                .unreachable, "the development database was made by PostgreSQL \(major), which is not installed",
                remedy: "Run: apt-get install postgresql-\(major)   (or delete the state directory to start again)")
        }
        if let newest = found.max(by: { $0.major < $1.major }), newest.major >= oldest { return newest }
        let seen = found.map(\.major).max().map { "PostgreSQL \($0) is too old" } ?? "no PostgreSQL server was found"
        throw DevelopmentFailure(
            .unreachable, "\(seen); version \(oldest) or later is needed",
            remedy: "Run: apt-get install postgresql")
    }

    private static func candidates() -> [String] {
        let debian = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return versions.map { "\(debian)/\($0)/bin" } + path.split(separator: ":").map(String.init)
    }

    private static func version(in directory: String) async throws -> Int? {
        let programs = ["initdb", "pg_ctl", "postgres", "psql"]
        guard programs.allSatisfy({ FileManager.default.isExecutableFile(atPath: directory + "/" + $0) }) else {
            return nil
        }
        let outcome = try await Program(directory + "/postgres", ["--version"])()
        return outcome.status == 0 ? major(in: outcome.output) : nil
    }

    /// Parses the major version from `postgres (PostgreSQL) 15.18 (Debian …)`.
    package static func major(in output: String) -> Int? {
        guard let words = output.split(separator: "PostgreSQL) ").dropFirst().first else { return nil }
        return Int(words.prefix(while: \.isNumber))
    }
}

/// The operating system's user who owns a private cluster. PostgreSQL refuses to run as root, so root uses another
/// user.
package struct ClusterOwner: Sendable, Equatable {
    /// The user's name.
    package var name: String
    package var uid: UInt32
    package var gid: UInt32
    /// Whether this process is root and the owner is not.
    package var isOther: Bool

    /// The name of the user that root creates on a machine without a user `postgres`.
    package static let madeByRoot = "tenure-dev"

    /// Returns the current user. For root, returns `postgres`, or the user of this project, which is created if needed.
    ///
    /// - Parameter mayMakeUser: Whether the user may be created.
    package static func find(mayMakeUser: Bool) async throws -> ClusterOwner {
        guard let current = SystemUser.current() else {
            throw DevelopmentFailure(
                .unreachable, "the user of this process has no name",
                remedy: "Add the user to /etc/passwd: PostgreSQL looks it up by name.")
        }
        guard current.isRoot else {
            return ClusterOwner(name: current.name, uid: current.uid, gid: current.gid, isOther: false)
        }
        if let user = SystemUser.named("postgres") ?? SystemUser.named(madeByRoot) { return ClusterOwner(other: user) }
        guard mayMakeUser else {
            throw DevelopmentFailure(.notFound, "the private PostgreSQL has no user yet; make run creates one")
        }
        let outcome = try await Program(
            "/usr/sbin/useradd",
            ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", madeByRoot])()
        guard outcome.status == 0, let user = SystemUser.named(madeByRoot) else {
            throw DevelopmentFailure(
                .unreachable, "PostgreSQL does not run as root, and no user could be created for it",
                remedy: "Run: useradd --system \(madeByRoot)")
        }
        return ClusterOwner(other: user)
    }

    package init(name: String, uid: UInt32, gid: UInt32, isOther: Bool) {
        self.name = name
        self.uid = uid
        self.gid = gid
        self.isOther = isOther
    }

    private init(other user: SystemUser) {
        self.init(name: user.name, uid: user.uid, gid: user.gid, isOther: true)
    }
}

/// A user of the operating system.
package struct SystemUser: Sendable, Equatable {
    package var name: String
    package var uid: UInt32
    package var gid: UInt32

    package var isRoot: Bool { uid == 0 }

    /// Looks a user up by name; `nil` if there is none.
    package static func named(_ name: String) -> SystemUser? {
        look { getpwnam_r(name, $0, $1, $2, $3) }
    }

    /// Returns the user of this process; `nil` if the user id has no name, as in some containers.
    package static func current() -> SystemUser? {
        look { getpwuid_r(geteuid(), $0, $1, $2, $3) }
    }

    private typealias Entry = UnsafeMutablePointer<passwd>
    private typealias Text = UnsafeMutablePointer<CChar>

    /// Looks up an entry and returns copies only; pointers into the entry must not escape.
    private static func look(
        _ call: (Entry, Text, Int, UnsafeMutablePointer<Entry?>) -> Int32
    ) -> SystemUser? {
        var entry = passwd()
        var found: Entry?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
            guard let base = buffer.baseAddress, call(&entry, base, buffer.count, &found) == 0, found != nil,
                let name = entry.pw_name
            else { return nil }
            return SystemUser(name: String(cString: name), uid: entry.pw_uid, gid: entry.pw_gid)
        }
    }
}
