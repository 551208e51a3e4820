import Foundation
import IdentityService
import Logging
import Postgres
import Projections

extension Examination {
    /// How many stops are told one by one.
    private static let toldStops = 20

    /// As whom a check looks.
    enum Role: String {
        case reader = "tenure_reader"
        /// As the service does; as the reader where no other URL is set.
        case application = "tenure_app"
    }

    /// How the views stand in the database of the settings, or in that of the development service.
    func views() async -> [Finding] {
        await inDatabase("views") { pool in
            let lag = try await ProjectionLag.read(pool)
            let behind = lag.events.values.max() ?? 0
            let state = Finding(
                subject: "views", verdict: behind == 0 ? .good : .note,
                detail: behind == 0 ? "as far as the log" : "\(behind) events behind the log")
            return [state] + lag.stopped.prefix(Self.toldStops).map(Self.finding)
        }
    }

    /// Which ledgers have not been sealed although they should be.
    func seals() async -> [Finding] {
        await inDatabase("seals") { pool in Self.findings(try await SealDelay.read(pool)) }
    }

    static func findings(_ delay: SealDelay) -> [Finding] {
        guard delay.count > 0 else {
            return [Finding(subject: "seals", verdict: .good, detail: "every ledger is sealed")]
        }
        let waiting = Finding(
            subject: "seals", verdict: .bad, detail: "\(delay.count) ledgers have not been sealed for a minute",
            remedy: "start the service; if it runs, run: tenure verify")
        return [waiting]
            + delay.ledgers.map { ledger in
                Finding(
                    subject: "ledger \(ledger.id)", verdict: .bad,
                    detail: "\(ledger.sealed) of \(ledger.size) events are sealed",
                    remedy: "run: tenure verify; a ledger that is not what was sealed is not sealed again")
            }
    }

    /// Looks into the database; a note when there is none, and a finding of its own when it cannot be read.
    func inDatabase(
        _ subject: String, as role: Role = .reader, _ look: (PostgresPool) async throws -> [Finding]
    ) async -> [Finding] {
        do {
            guard let database = try await database(role) else {
                return [Finding(subject: subject, verdict: .note, detail: "no database is set, and none runs here")]
            }
            return try await withPostgresPool(
                configuration: database, maximumConnections: 1, acquireTimeout: .seconds(5),
                logger: Logs.logger(level: .critical), look)
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

    private func database(_ role: Role) async throws -> PostgresConfiguration? {
        let settings = try await Settings(flags: [:], environment: ProcessInfo.processInfo.environment, file: nil)
        let reader = settings.text(.readerDatabaseUrl), application = settings.text(.databaseUrl)
        if let url = role == .reader ? reader : application ?? reader { return try PostgresConfiguration(url: url) }
        guard let cluster = try? await PrivateCluster.find(stateDirectory: state.path, mayMakeUser: false),
            cluster.layout.madeByMajor != nil, try await cluster.isRunning()
        else { return nil }
        return try PostgresConfiguration(url: cluster.layout.url(role: role.rawValue))
    }
}
