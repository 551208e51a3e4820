import ArgumentParser
import Foundation
import Keys
import Logging
import Postgres

/// The whole of `make run`: a private database, keys, a demo app, a demo company, and the service.
struct DevelopmentService: Sendable {
    let state: StateDirectory
    let port: Int
    let logger: Logger
    private let started = ContinuousClock.now

    init(state: StateDirectory, port: Int, logger: Logger) {
        self.state = state
        self.port = port
        self.logger = logger
    }

    /// Serves until Ctrl-C, and stops the private database again, however serving ends.
    func run() async throws {
        try state.prepare()
        let lock = try StateLock(at: state.lockFile)
        defer { withExtendedLifetime(lock) {} }
        try LocalPort.requireFree(port)
        let cluster = try await PrivateCluster.find(stateDirectory: state.path)
        let masters = try masterKeys(for: cluster.layout)
        if cluster.layout.madeByMajor == nil { say("Creating a private PostgreSQL \(cluster.installation.major) ...") }
        let start = try await cluster.start()
        try state.link(to: cluster.layout)
        do {
            try await serve(cluster, start: start, masters: masters)
        } catch {
            try? await cluster.stop()
            throw error
        }
        say("Stopping the private PostgreSQL ...")
        try await cluster.stop()
    }

    private func serve(_ cluster: PrivateCluster, start: PrivateCluster.Start, masters: MasterKeyStore) async throws {
        let layout = cluster.layout
        _ = try await DatabaseMigration.run(
            try PostgresConfiguration(url: layout.url(role: "tenure_owner")), logger: logger)
        try await ServiceRun.run(
            try ServiceParts(cluster: layout, masters: masters, port: port), logger: logger
        ) { ports, commands in
            DevelopmentSetUp(
                state: state, cluster: cluster, start: start, commands: commands, ports: ports, started: started)
        }
        say("\nStopped serving.")
    }

    /// The master keys belong to the database: a database without them is not quietly given new ones.
    private func masterKeys(for cluster: ClusterLayout) throws -> MasterKeyStore {
        let file = MasterKeyFile(path: state.masterKeyFile)
        guard cluster.madeByMajor != nil, !FileManager.default.fileExists(atPath: state.masterKeyFile) else {
            return MasterKeyStore(try file.loadOrCreate(), file: file)
        }
        throw CommandFailure(
            .failure, "the database in \(cluster.base) exists, but its keys in \(state.masterKeyFile) are gone",
            remedy: "Put the file back, or start afresh: rm -rf \(cluster.base) \(state.path)")
    }

    private func say(_ text: String) { Output.standardError().line(text) }
}
