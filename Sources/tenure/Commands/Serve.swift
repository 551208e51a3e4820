import ArgumentParser
import Foundation
import Logging
import ServiceLifecycle

/// Serves the API until it is asked to stop.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve the API.",
        discussion: """
            Needs TENURE_DATABASE_URL (role tenure_app), TENURE_READER_DATABASE_URL (role tenure_reader) and \
            TENURE_MASTER_KEY_FILE; see docs/configuration.md for the rest. The database must be migrated.

            With --development it needs nothing: it creates or adopts a private PostgreSQL, migrates it, makes keys, a \
            demo app and a demo company, and stops the PostgreSQL again at the end.
            """)

    @OptionGroup var options: SettingsOptions

    @Flag(help: "A private database, generated secrets, demo data, loopback only.")
    var development = false

    @Option(help: "The port to listen on; 8080 when nothing else is set.")
    var port: Int?

    @Option(help: "Where a development service keeps its state.")
    var stateDirectory = ".tenure"

    func run() async throws {
        let settings = try await options.settings(port.map { [.listenPort: String($0)] } ?? [:])
        if development {
            let port = try settings.number(.listenPort, in: 1...65_535, default: 8080)
            let logger = Logs.logger(level: try Logs.level(settings, default: .warning))
            try await DevelopmentService(state: StateDirectory(stateDirectory), port: port, logger: logger).run()
        } else {
            let logger = Logs.logger(level: try Logs.level(settings, default: .info))
            try await ServiceRun.run(try ServiceParts(settings), logger: logger) { ports, _ in
                Announcement(ports: ports, logger: logger)
            }
        }
    }
}

/// Says in the log that connections are accepted, and then waits for the end.
struct Announcement: Service {
    let ports: AsyncStream<Int>
    let logger: Logger

    func run() async throws {
        for await port in ports.cancelOnGracefulShutdown() {
            logger.info("accepting connections", metadata: ["port": "\(port)", "version": "\(Tenure.version)"])
        }
        try? await gracefulShutdown()
    }
}
