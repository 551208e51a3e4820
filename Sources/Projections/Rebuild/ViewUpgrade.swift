public import Logging
public import Postgres
public import ServiceLifecycle

/// Builds views anew that an earlier revision of the program has folded, while the service runs.
///
/// Until the switch reads are served from the rows there are, and the projector follows into them by the rules of this
/// program; afterwards no row is left that another revision has made. A program of an earlier revision that still runs
/// stops to follow at the switch.
public struct ViewUpgrade: Service {
    /// The pause after a rebuild that failed.
    static let pause: Duration = .seconds(10)

    let pool: PostgresPool
    let logger: Logger

    /// Over a pool of the reader role with four connections to spare.
    public init(pool: PostgresPool, logger: Logger) {
        self.pool = pool
        self.logger = logger
    }

    /// Rebuilds what is to be rebuilt, then waits until the task is cancelled or a graceful shutdown begins.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    if try await upgrade() { break }
                } catch {
                    guard !Task.isCancelled else { break }
                    logger.warning("the views could not be built anew", metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: Self.pause)
            }
            // A service that ends would end the others.
            while (try? await Task.sleep(for: .seconds(3_600))) != nil {}
        }
    }

    /// One attempt.
    ///
    /// - Returns: Whether nothing is left to do; false while another process is at it.
    func upgrade() async throws -> Bool {
        guard try await !ViewRevisions.read(pool).outdated.isEmpty else { return true }
        var lease = Lease("rebuild", pool: pool)
        guard try await lease.hold() else { return false }
        let held = lease
        let renewing = Task {
            var lease = held
            while (try? await Task.sleep(for: Lease.renewal)) != nil { _ = try? await lease.hold() }
        }
        defer { renewing.cancel() }
        do {
            // Asked again: another process may have finished in between.
            let outdated = try await ViewRevisions.read(pool).outdated
            if !outdated.isEmpty {
                logger.notice("views of another revision are built anew", metadata: ["views": "\(outdated.sorted())"])
                _ = try await Rebuild(pool: pool, logger: logger).run(RebuildRequest(views: outdated, jobs: 1))
            }
            await held.release()
            return true
        } catch {
            await held.release()
            throw error
        }
    }
}

/// Which revisions of the program have folded the live rows.
struct ViewRevisions: Sendable {
    /// Views whose rows are of an earlier revision than this program.
    private(set) var outdated: Set<ProjectionName> = []
    /// Whether rows of a later one are live, which this program must not follow into.
    private(set) var isOutlived = false

    static func read(_ pool: PostgresPool) async throws -> ViewRevisions {
        let rows = try await pool.withConnection { connection in
            try await connection.query("SELECT projection, live_revision FROM tenure.projection_generation")
        }
        var revisions = ViewRevisions()
        for row in rows {
            let (name, revision) = try row.decode(String.self, Int32.self)
            let view = ProjectionName(rawValue: name)
            // A view that this program does not have is of a later one.
            guard let model = ReadModels.named(view) else { continue }
            if revision < model.revision { revisions.outdated.insert(view) }
            if revision > model.revision { revisions.isOutlived = true }
        }
        return revisions
    }
}
