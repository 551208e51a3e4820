import Crypto
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A PostgreSQL server of one checkout. It has data checksums, is reachable only through a socket that its user can
/// reach, and keeps its data in a private place.
package struct PrivateCluster: Sendable {
    /// How the server was started.
    package enum Start: String, Sendable { case created, started, adopted }

    package let layout: ClusterLayout
    package let owner: ClusterOwner
    package let installation: PostgresInstallation

    /// Finds the programs and the location for a state directory. Starts nothing.
    ///
    /// - Parameters:
    ///   - stateDirectory: The absolute path of the state directory.
    ///   - mayMakeUser: Whether root may create a user to run the server.
    package static func find(stateDirectory: String, mayMakeUser: Bool = true) async throws -> PrivateCluster {
        let owner = try await ClusterOwner.find(mayMakeUser: mayMakeUser)
        let layout = ClusterLayout(stateDirectory: stateDirectory, owner: owner)
        return PrivateCluster(
            layout: layout, owner: owner, installation: try await PostgresInstallation.find(major: layout.madeByMajor))
    }

    /// Creates the cluster if there is none, starts it if it is stopped, and adopts it if it is running.
    package func start() async throws -> Start {
        try prepareDirectories()
        var start = Start.started
        if layout.madeByMajor == nil {
            try await create()
            start = .created
        }
        try writeSettings()
        if try await isRunning() {
            // A server is unusable if its socket was removed (a cleaned /tmp) or is elsewhere (a moved checkout).
            if FileManager.default.fileExists(atPath: layout.socket) {
                start = .adopted
            } else {
                try await stop()
            }
        }
        if start != .adopted { try await startServer() }
        try await bootstrap()
        return start
    }

    /// Stops the server and waits until its files are closed. Open transactions are rolled back.
    package func stop() async throws {
        let outcome = try await control(["-m", "fast", "-w", "-t", "60", "stop"])
        // pg_ctl also fails if the server was not running.
        if outcome.status != 0, try await isRunning() {
            throw DevelopmentFailure(
                .failure, "the private PostgreSQL did not stop: \(Self.lastLine(outcome.output))",
                remedy: "Read its log: \(layout.log)")
        }
    }

    /// Whether a server is running on this data directory.
    package func isRunning() async throws -> Bool { try await control(["status"]).status == 0 }

    private func create() async throws {
        let files = FileManager.default
        if files.fileExists(atPath: layout.unfinished) { try files.removeItem(atPath: layout.unfinished) }
        let outcome = try await Program(
            installation.program("initdb"),
            [
                "-D", layout.unfinished, "-U", "postgres", "--auth=peer", "--encoding=UTF8", "--locale=C",
                "--data-checksums",
            ]
        ).run(by: owner)()
        guard outcome.status == 0 else {
            throw DevelopmentFailure(.unreachable, "initdb failed: \(Self.lastLine(outcome.output))")
        }
        try append("include 'tenure.conf'\n", to: layout.unfinished + "/postgresql.conf")
        try files.moveItem(atPath: layout.unfinished, toPath: layout.data)
    }

    private func startServer() async throws {
        let outcome = try await control(["-l", layout.log, "-w", "-t", "60", "start"])
        guard outcome.status == 0 else {
            throw DevelopmentFailure(
                .unreachable, "the private PostgreSQL did not start: \(Self.lastLine(outcome.output))",
                remedy: "Read its log: \(layout.log)")
        }
    }

    private func bootstrap() async throws {
        let file = layout.base + "/bootstrap.sql"
        try write(ClusterSettings.bootstrap, to: file)
        let outcome = try await Program(
            installation.program("psql"),
            [
                "-h", layout.socketDirectory, "-p", String(ClusterLayout.port), "-U", "postgres", "-d", "postgres",
                "--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", "-f", file,
            ]
        ).run(by: owner)()
        guard outcome.status == 0 else {
            throw DevelopmentFailure(
                .unreachable,
                "the roles of the private PostgreSQL could not be created: \(Self.lastLine(outcome.output))",
                remedy: "Read its log: \(layout.log)")
        }
    }

    private func control(_ arguments: [String]) async throws -> Program.Outcome {
        try await Program(installation.program("pg_ctl"), ["-D", layout.data] + arguments).run(by: owner)()
    }

    private static func lastLine(_ output: String) -> String {
        output.split(whereSeparator: \.isNewline).last.map(String.init) ?? "it said nothing"
    }
}

extension ClusterLayout {
    /// The major version of PostgreSQL that created the data directory; `nil` if there is none.
    package var madeByMajor: Int? {
        guard let text = try? String(contentsOfFile: data + "/PG_VERSION", encoding: .utf8) else { return nil }
        return Int(text.prefix(while: \.isNumber))
    }
}

extension PrivateCluster {
    /// Creates the directories of the cluster, each accessible to its owner only.
    package func prepareDirectories() throws {
        if owner.isOther, mkdir(ClusterLayout.directoryOfRoot, 0o755) != 0, errno != EEXIST {
            throw DevelopmentFailure(
                .notPermitted, "\(ClusterLayout.directoryOfRoot) cannot be created: \(SecretFile.systemError())")
        }
        for path in [layout.base, layout.socketDirectory] {
            try PrivateDirectory.ensure(path, owner: (owner.uid, owner.gid))
        }
    }

    /// Writes the configuration files that make the cluster private. They are rewritten at each start, so a checkout
    /// can be moved.
    package func writeSettings() throws {
        try write(ClusterSettings.server(socketDirectory: layout.socketDirectory), to: layout.data + "/tenure.conf")
        try write(ClusterSettings.access, to: layout.data + "/pg_hba.conf")
        let users = owner.isOther ? ["root", owner.name] : [owner.name]
        try write(ClusterSettings.users(users), to: layout.data + "/pg_ident.conf")
    }

    /// Writes a file that belongs to the cluster's owner.
    package func write(_ text: String, to path: String) throws {
        try SecretFile.replace(at: path, with: text)
        try give(path)
    }

    /// Appends to a file that belongs to the cluster's owner.
    package func append(_ text: String, to path: String) throws {
        let old = try String(contentsOfFile: path, encoding: .utf8)
        try write(old + text, to: path)
    }

    private func give(_ path: String) throws {
        guard owner.isOther else { return }
        guard lchown(path, owner.uid, owner.gid) == 0 else {
            throw DevelopmentFailure(
                .notPermitted, "the owner of \(path) cannot be changed to \(owner.name): \(SecretFile.systemError())")
        }
    }
}

/// The locations of a private cluster's files.
package struct ClusterLayout: Sendable, Equatable {
    /// The directory of the whole cluster.
    package var base: String
    /// The directory of the socket. The socket's path must be at most 107 bytes long.
    package var socketDirectory: String

    package var data: String { base + "/data" }
    /// An incomplete data directory. The next start removes what an aborted start left.
    package var unfinished: String { base + "/data.new" }
    /// The server's log file.
    package var log: String { base + "/log" }
    /// The number in the socket's name. There is no TCP port.
    package static let port = 5432
    /// The path of the socket.
    package var socket: String { "\(socketDirectory)/.s.PGSQL.\(Self.port)" }

    /// The parent directory of clusters that root runs as another user, because that user cannot enter root's own
    /// directories.
    package static let directoryOfRoot = "/var/lib/tenure-dev"

    /// Determines the location for the state directory of a checkout.
    ///
    /// - Parameters:
    ///   - stateDirectory: The absolute path of `.tenure`.
    ///   - owner: The owner of the cluster.
    package init(stateDirectory: String, owner: ClusterOwner) {
        let hash = Self.hash(of: stateDirectory)
        base = owner.isOther ? "\(Self.directoryOfRoot)/\(hash.prefix(16))" : stateDirectory + "/cluster"
        socketDirectory = base + "/socket"
        if !Self.isSafeSocketPath(socket) { socketDirectory = "/tmp/tenure-\(hash.prefix(8))" }
    }

    /// Hashes a path with SHA-256 to lower-case hex.
    package static func hash(of path: String) -> String {
        SHA256.hash(data: Data(path.utf8)).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// Whether a path fits a socket address and needs no quoting: in a URL, in a list of directories, or in the
    /// server's settings.
    package static func isSafeSocketPath(_ path: String) -> Bool {
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

    /// Returns the URL of a database for a role. It has no password, because the server uses peer authentication.
    package func url(role: String, database: String = ClusterSettings.database) -> String {
        "postgresql://\(role)@/\(database)?host=\(socketDirectory)&port=\(Self.port)"
    }
}

/// The contents of the configuration files that make a cluster private.
package enum ClusterSettings {
    /// The name of the service's database.
    package static let database = "tenure"
    /// The roles with which the service connects.
    package static let roles = ["tenure_owner", "tenure_app", "tenure_reader"]

    /// The server's settings, read after `postgresql.conf`. All durability settings keep their safe defaults.
    package static func server(socketDirectory: String) -> String {
        """
        # Written by tenure at every start.
        listen_addresses = ''
        port = \(ClusterLayout.port)
        unix_socket_directories = '\(socketDirectory)'
        unix_socket_permissions = 0700
        max_connections = 100
        log_min_messages = warning

        """
    }

    /// The access rules: only mapped users of the operating system, and only through the socket.
    package static let access = """
        # Written by tenure at every start.
        local all all peer map=tenure

        """

    /// Maps users of the operating system to roles.
    package static func users(_ names: [String]) -> String {
        var lines = ["# Written by tenure at every start."]
        for name in names {
            for role in ["postgres"] + roles { lines.append("tenure \"\(name)\" \(role)") }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Creates the roles and the database as a superuser. Idempotent.
    package static let bootstrap =
        roles.map { role in
            """
            SELECT 'CREATE ROLE \(role) LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION'
            WHERE NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '\(role)') \\gexec

            """
        }.joined() + """
            SELECT 'CREATE DATABASE \(database) OWNER tenure_owner TEMPLATE template0 ENCODING ''UTF8'''
            WHERE NOT EXISTS (SELECT 1 FROM pg_database WHERE datname = '\(database)') \\gexec

            """
}
