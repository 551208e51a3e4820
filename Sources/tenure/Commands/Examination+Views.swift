import Foundation
import Logging
import Postgres
import Projections

extension Examination {
    /// How many stops are told one by one.
    private static let toldStops = 20

    /// How the views stand in the database of the settings, or in that of the development service.
    func views() async -> [Finding] {
        let subject = "views"
        do {
            guard let database = try await reader() else {
                return [Finding(subject: subject, verdict: .note, detail: "no database is set, and none runs here")]
            }
            let logger = Logs.logger(level: .critical)
            let lag = try await withPostgresPool(
                configuration: database, maximumConnections: 1, acquireTimeout: .seconds(5), logger: logger
            ) { pool in try await ProjectionLag.read(pool) }
            let behind = lag.events.values.max() ?? 0
            let state = Finding(
                subject: subject, verdict: behind == 0 ? .good : .note,
                detail: behind == 0 ? "as far as the log" : "\(behind) events behind the log")
            return [state] + lag.stopped.prefix(Self.toldStops).map(Self.finding)
        } catch let error as CommandFailure {
            return [Finding(subject: subject, error: error)]
        } catch {
            return [
                Finding(
                    subject: subject, verdict: .bad, detail: "could not be read: \(error)",
                    remedy: "run: tenure migrate")
            ]
        }
    }

    static func finding(_ stop: ProjectionLag.Stop) -> Finding {
        Finding(
            subject: "view \(stop.view)", verdict: .bad,
            detail: "stopped at position \(stop.position) of company \(stop.tenant): \(stop.reason)",
            remedy: "mend the cause; the event is tried again each minute")
    }

    private func reader() async throws -> PostgresConfiguration? {
        let settings = try await Settings(flags: [:], environment: ProcessInfo.processInfo.environment, file: nil)
        if let url = settings.text(.readerDatabaseUrl) { return try PostgresConfiguration(url: url) }
        guard let cluster = try? await PrivateCluster.find(stateDirectory: state.path, mayMakeUser: false),
            cluster.layout.madeByMajor != nil, try await cluster.isRunning()
        else { return nil }
        return try PostgresConfiguration(url: cluster.layout.url(role: "tenure_reader"))
    }
}
