import ArgumentParser
import Foundation

/// A PostgreSQL server that belongs to one checkout: reachable through a socket that only its user can reach, with data
/// checksums, and with its data where nobody else looks.
struct PrivateCluster: Sendable {
    /// How the server came to run.
    enum Start: String, Sendable { case created, started, adopted }

    let layout: ClusterLayout
    let owner: ClusterOwner
    let installation: PostgresInstallation

    /// Finds the programs and the place for a state directory; starts nothing.
    ///
    /// - Parameters:
    ///   - stateDirectory: The absolute path of the state directory.
    ///   - mayMakeUser: Whether root may make a user to run the server as.
    static func find(stateDirectory: String, mayMakeUser: Bool = true) async throws -> PrivateCluster {
        let owner = try await ClusterOwner.find(mayMakeUser: mayMakeUser)
        let layout = ClusterLayout(stateDirectory: stateDirectory, owner: owner)
        return PrivateCluster(
            layout: layout, owner: owner, installation: try await PostgresInstallation.find(major: layout.madeByMajor))
    }

    /// Creates the cluster when there is none, starts it when it does not run, and adopts it when it does.
    func start() async throws -> Start {
        try prepareDirectories()
        var start = Start.started
        if layout.madeByMajor == nil {
            try await create()
            start = .created
        }
        try writeSettings()
        if try await isRunning() {
            // A server whose socket is gone (a cleaned /tmp) or elsewhere (a moved checkout) is of no use as it is.
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
    func stop() async throws {
        let outcome = try await control(["-m", "fast", "-w", "-t", "60", "stop"])
        // pg_ctl also fails when there was nothing to stop.
        if outcome.status != 0, try await isRunning() {
            throw CommandFailure(
                .failure, "the private PostgreSQL did not stop: \(Self.lastLine(outcome.output))",
                remedy: "Its log is \(layout.log)")
        }
    }

    /// Whether a server runs on this data directory.
    func isRunning() async throws -> Bool { try await control(["status"]).status == 0 }

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
            throw CommandFailure(.unreachable, "initdb failed: \(Self.lastLine(outcome.output))")
        }
        try append("include 'tenure.conf'\n", to: layout.unfinished + "/postgresql.conf")
        try files.moveItem(atPath: layout.unfinished, toPath: layout.data)
    }

    private func startServer() async throws {
        let outcome = try await control(["-l", layout.log, "-w", "-t", "60", "start"])
        guard outcome.status == 0 else {
            throw CommandFailure(
                .unreachable, "the private PostgreSQL did not start: \(Self.lastLine(outcome.output))",
                remedy: "Its log says why: \(layout.log)")
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
            throw CommandFailure(
                .unreachable, "the roles of the private PostgreSQL could not be made: \(Self.lastLine(outcome.output))",
                remedy: "Its log is \(layout.log)")
        }
    }

    private func control(_ arguments: [String]) async throws -> Program.Outcome {
        try await Program(installation.program("pg_ctl"), ["-D", layout.data] + arguments).run(by: owner)()
    }

    private static func lastLine(_ output: String) -> String {
        output.split(whereSeparator: \.isNewline).last.map(String.init) ?? "it said nothing"
    }
}
