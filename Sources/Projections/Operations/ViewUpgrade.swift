package import Ledger
package import Logging
package import Postgres
import ServiceLifecycle

/// Rebuilds projections that an earlier revision of the program built, while the service runs.
///
/// Until the cut-over, reads use the existing rows, to which the projector applies events by the rules of this program.
/// Afterwards no row of another revision is left, but in a ledger that cannot be rebuilt, which is logged. A running program of an earlier revision stops applying events at the
/// cut-over.
package struct ViewUpgrade: Service {
    /// The pause after a rebuild that failed.
    static let pause: Duration = .seconds(10)

    let pool: PostgresPool
    private let codes: EventCodes
    let logger: Logger

    /// An upgrade over a pool of the reader role with four spare connections.
    package init(pool: PostgresPool, codes: EventCodes, logger: Logger) {
        self.pool = pool
        self.codes = codes
        self.logger = logger
    }

    /// Rebuilds outdated projections, then waits until the task is cancelled or a graceful shutdown begins. It throws
    /// nothing.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    if try await upgrade() { break }
                } catch {
                    guard !Task.isCancelled else { break }
                    logger.warning("the projections could not be rebuilt", metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: Self.pause)
            }
            // If this service returned, the service group would end the others.
            while (try? await Task.sleep(for: .seconds(3_600))) != nil {}
        }
    }

    private func tell(_ stop: ProjectionLag.Stop) {
        logger.error(
            "a projection could not be rebuilt and keeps its rows; run tenure verify",
            metadata: [
                "view": "\(stop.view)", "ledger": "\(stop.tenant)", "position": "\(stop.position)",
                "reason": "\(stop.reason)",
            ])
    }

    /// Makes one attempt.
    ///
    /// - Returns: Whether nothing is left to do; `false` while another process is rebuilding.
    func upgrade() async throws -> Bool {
        guard try await !ViewRevisions.read(pool).outdated.isEmpty else { return true }
        var lease = LeaderLease("rebuild", pool: pool)
        guard try await lease.hold() else { return false }
        let held = lease
        let renewing = Task {
            var lease = held
            while (try? await Task.sleep(for: LeaderLease.renewal)) != nil { _ = try? await lease.hold() }
        }
        defer { renewing.cancel() }
        do {
            // Read again, because another process may have finished meanwhile.
            let outdated = try await ViewRevisions.read(pool).outdated
            if !outdated.isEmpty {
                logger.notice(
                    "projections of another revision are rebuilt", metadata: ["views": "\(outdated.sorted())"])
                let report = try await Rebuild(pool: pool, codes: codes, logger: logger).run(
                    RebuildRequest(views: outdated, jobs: 1))
                for stop in report.kept { tell(stop) }
            }
            await held.release()
            return true
        } catch {
            await held.release()
            throw error
        }
    }
}

/// The revisions of the program that built the live rows.
struct ViewRevisions: Sendable {
    /// Projections whose rows are of an earlier revision than this program.
    private(set) var outdated: Set<ProjectionName> = []
    /// Whether rows of a later revision are live, to which this program must not apply events.
    private(set) var isOutlived = false

    static func read(_ pool: PostgresPool) async throws -> ViewRevisions {
        let rows = try await pool.withConnection { connection in
            try await connection.query("SELECT projection, live_revision FROM tenure.projection_generation")
        }
        var revisions = ViewRevisions()
        for row in rows {
            let (name, revision) = try row.decode(String.self, Int32.self)
            let view = ProjectionName(rawValue: name)
            // A projection that this program does not have belongs to a later one.
            guard let model = ReadModels.named(view) else { continue }
            if revision < model.revision { revisions.outdated.insert(view) }
            if revision > model.revision { revisions.isOutlived = true }
        }
        return revisions
    }
}
