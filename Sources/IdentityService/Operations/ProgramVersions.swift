import Logging
package import Postgres
import ServiceLifecycle

/// What other versions of the program did to the database, and which ones serve beside this process.
///
/// During an upgrade two versions serve. Each refuses rows in a form that it does not know, so what one writes may count
/// at the other only after a restart, or never.
package struct ProgramVersions: Sendable, Equatable {
    /// The migrations and functions of a newer version, which this program does not know.
    package var unknown: [String]
    /// The names of the other versions that have connections.
    package var others: [String]

    package init(unknown: [String] = [], others: [String] = []) {
        self.unknown = unknown
        self.others = others
    }

    /// How the connections of a version that serves are named.
    package static let prefix = "tenure serve "

    /// Looks into the records of the migrator, and at the connections of the pool's role.
    ///
    /// - Parameters:
    ///   - migrations: The migrations of this program.
    ///   - revision: The revision of its functions.
    ///   - name: The name of its own connections.
    /// - Throws: `PostgresError`.
    package static func read(
        _ pool: PostgresPool, migrations: [String], revision: Int, name: String
    ) async throws -> ProgramVersions {
        let answers = try await pool.withConnection { connection in
            try await connection.pipeline([
                """
                SELECT name FROM public.tenure_migration WHERE NOT name = ANY (\(migrations))
                UNION ALL SELECT name FROM public.tenure_function WHERE revision > \(Int32(revision)) ORDER BY 1
                """,
                """
                SELECT DISTINCT application_name FROM pg_stat_activity
                WHERE datname = current_database() AND usename = current_user
                    AND starts_with(application_name, \(prefix)) AND application_name <> \(name) ORDER BY 1
                """,
            ])
        }
        return ProgramVersions(
            unknown: try answers[0].map { try $0.decode(String.self) },
            others: try answers[1].map { try $0.decode(String.self) })
    }

    /// The gauges in the Prometheus text format.
    var metrics: String {
        """
        # HELP tenure_schema_unknown Migrations and functions of the database that this program does not know.
        # TYPE tenure_schema_unknown gauge
        tenure_schema_unknown \(unknown.count)
        # HELP tenure_other_versions Other versions of the program that are connected to the database.
        # TYPE tenure_other_versions gauge
        tenure_other_versions \(others.count)

        """
    }
}

/// Looks for other versions at the start and every minute, and warns of each that is new.
actor ProgramVersionsWatch: Service {
    private static let interval: Duration = .seconds(60)

    private let logger: Logger
    private let read: @Sendable () async throws -> ProgramVersions
    private var known: ProgramVersions?

    init(logger: Logger, read: @Sendable @escaping () async throws -> ProgramVersions) {
        self.logger = logger
        self.read = read
    }

    /// Looks until the task is cancelled.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.look()
                do { try await Task.sleep(for: Self.interval) } catch { return }
            }
        }
    }

    /// Looks now. A database that does not answer says nothing new.
    func look() async {
        guard let found = try? await read() else { return }
        let before = known ?? ProgramVersions()
        known = found
        if found.unknown != before.unknown, !found.unknown.isEmpty {
            logger.warning(
                "a newer version migrated the database; start that version in place of this process",
                metadata: ["unknown": "\(found.unknown.joined(separator: ","))"])
        }
        if found.others != before.others, !found.others.isEmpty {
            logger.warning(
                """
                another version serves beside this process, which may not know what that one writes; end the older \
                one, then start the newer one again
                """,
                metadata: ["others": "\(found.others.joined(separator: ","))"])
        }
        if found.others.isEmpty, !before.others.isEmpty {
            logger.notice("no other version serves any more; start this process again if it began beside one")
        }
    }

    /// The gauges of the last look; empty before it.
    func metrics() -> String { known?.metrics ?? "" }
}
