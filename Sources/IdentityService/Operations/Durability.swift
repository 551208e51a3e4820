import Ledger
import Logging
package import Postgres
import ServiceLifecycle

/// Reports whether the database keeps acknowledged transactions when it or its machine crashes.
///
/// A reply of this service promises that its events are in the log. The promise is as durable as these settings.
package struct Durability: Sendable, Equatable {
    /// A setting that is off, and its consequence.
    package struct Weakness: Sendable, Equatable {
        /// The server's name of the setting.
        package let setting: String
        /// The consequence of a crash.
        package let consequence: String
        /// Whether acknowledged events are always lost; otherwise it depends on the file system.
        package let losesEvents: Bool
    }

    /// Whether the server flushes to its disks at all.
    package var fsync: Bool
    /// The default of commits that do not choose: `off`, or one of the values that wait for the log. Commits that the
    /// service has to keep choose to wait; see `SQL.waitingCommit`.
    package var synchronousCommit: String
    /// Whether half-written pages are repaired.
    package var fullPageWrites: Bool

    /// Reads the effective settings in the sessions of a pool, including those of its role and its database.
    ///
    /// - Throws: `PostgresError`.
    package static func read(_ pool: PostgresPool) async throws -> Durability {
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT current_setting('fsync') = 'on', current_setting('synchronous_commit'),
                    current_setting('full_page_writes') = 'on'
                """)
        }
        guard let row = rows.first else { throw ProgramDefect("the settings have no row") }
        let (fsync, commit, pages) = try row.decode(Bool.self, String.self, Bool.self)
        return Durability(fsync: fsync, synchronousCommit: commit, fullPageWrites: pages)
    }

    /// The settings as gauges in the Prometheus text format: 1 for on, 0 for off.
    package var metrics: String {
        let settings = [
            ("fsync", fsync), ("full_page_writes", fullPageWrites), ("synchronous_commit", synchronousCommit != "off"),
        ]
        return """
            # HELP tenure_database_durable Database settings that protect against data loss in a crash: 1 is on.
            # TYPE tenure_database_durable gauge

            """ + settings.map { "tenure_database_durable{setting=\"\($0)\"} \($1 ? 1 : 0)\n" }.joined()
    }

    /// The settings that are off.
    package var weaknesses: [Weakness] {
        var weaknesses: [Weakness] = []
        if !fsync {
            weaknesses.append(
                Weakness(
                    setting: "fsync", consequence: "a crash of the machine loses acknowledged events, or the database",
                    losesEvents: true))
        }
        if synchronousCommit == "off" {
            weaknesses.append(
                Weakness(
                    setting: "synchronous_commit",
                    consequence:
                        "a crash of the server loses writes of other programs; the service itself waits for each "
                        + "commit that must be durable",
                    losesEvents: false))
        }
        if !fullPageWrites {
            weaknesses.append(
                Weakness(
                    setting: "full_page_writes",
                    consequence: "a crash of the machine can destroy pages, unless the file system writes them whole",
                    losesEvents: false))
        }
        return weaknesses
    }
}

/// Reads the durability settings every minute, because they may change while the service runs.
actor DurabilityWatch: Service {
    /// The time between two reads.
    static let interval: Duration = .seconds(60)

    private let pool: PostgresPool
    private let logger: Logger
    private var known: Durability?

    /// Starts with the settings that were read when the service started.
    init(pool: PostgresPool, known: Durability, logger: Logger) {
        self.pool = pool
        self.known = known
        self.logger = logger
    }

    /// Reads until the task is cancelled.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do { try await Task.sleep(for: Self.interval) } catch { return }
                await self.look()
            }
        }
    }

    /// Reads the settings now, and warns of each that was turned off since the last read.
    func look() async {
        let before = known?.weaknesses ?? []
        known = try? await Durability.read(pool)
        for weakness in known?.weaknesses ?? [] where weakness.losesEvents && !before.contains(weakness) {
            logger.warning("\(weakness.setting) is off: \(weakness.consequence)")
        }
    }

    /// The gauges of the last read; empty if the database did not answer.
    func metrics() -> String { known?.metrics ?? "" }
}
