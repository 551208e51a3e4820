public import Logging

/// Remembers the newest server seen, and keeps sessions away from servers behind it, such as an old primary that returns
/// after a failover.
///
/// ```swift
/// let newest = NewestServer()
/// configuration.newestServer = newest
/// await newest.probe([configuration], logger: logger)      // a fresh process looks at all hosts before it takes one
/// let pool = PostgresPool(configuration: configuration, maximumConnections: 8, logger: logger)
/// ```
///
/// All configurations that share one instance share its memory. Each new session is judged before anyone uses it. A
/// server is refused with ``PostgresError/Code/serverBehind`` if a newer timeline of the same cluster was seen, or if it
/// lacks what ``Progress`` requires; the next host of the URL is tried then. Sessions on an older timeline are closed at
/// their next use.
public final class NewestServer: Sendable {
    /// A number that grows with what a server has recorded.
    public struct Progress: Sendable {
        /// The statements that read it, sent in one round trip. The last one returns the number in one row.
        public var statements: [SQL]
        /// What to do about a server that lacks some, for the error's description.
        public var remedy: String

        /// Each parameter sets the property of the same name.
        public init(_ statements: [SQL], remedy: String) {
            self.statements = statements
            self.remedy = remedy
        }
    }

    let memory: Lock<ServerMemory>
    private let progress: Progress?

    /// A memory that begins with what an earlier process kept.
    ///
    /// - Parameters:
    ///   - identity: The newest primary known.
    ///   - progress: How progress is read; without it only timelines are compared.
    ///   - required: The progress that a server must have.
    public init(_ identity: ServerIdentity? = nil, progress: Progress? = nil, requiring required: Int64 = 0) {
        self.progress = progress
        memory = Lock(ServerMemory(newest: identity, progress: required))
    }

    /// The primary that was admitted last or given at the beginning; `nil` if there was none.
    public var identity: ServerIdentity? { memory.withLock { $0.newest } }

    /// Requires at least this progress of every server from now on.
    public func require(progress: Int64) { memory.withLock { $0.require(progress: progress) } }

    /// Looks once at every host of the configurations and remembers the newest. A host that cannot be reached is
    /// passed over.
    ///
    /// It returns after at most the longest connect timeout. A configuration with a single host is not looked at,
    /// because there is nothing to choose.
    public func probe(_ configurations: [PostgresConfiguration], logger: Logger) async {
        await withDiscardingTaskGroup { group in
            for configuration in configurations {
                let hosts = configuration.eachHost
                guard hosts.count > 1 else { continue }
                for host in hosts {
                    var host = host
                    host.newestServer = self
                    host.connectTimeout = configuration.connectTimeout / hosts.count
                    group.addTask { [host] in
                        do { _ = try await PostgresConnection.connect(host, logger: logger) } catch {
                            logger.debug("a host of the database was passed over", metadata: ["error": "\(error)"])
                        }
                    }
                }
            }
        }
    }

    /// Judges the server of a new session, and returns who it is; `nil` if the role may not ask.
    ///
    /// - Throws: ``PostgresError/Code/serverBehind``, and the errors of the session.
    func admit(_ connection: inout PostgresConnection) async throws(PostgresError) -> ServerIdentity? {
        guard var seen = try await Self.look(&connection) else { return nil }
        if !seen.isInRecovery { seen.progress = try await readProgress(&connection) }
        let reason: String
        switch memory.withLock({ $0.judge(seen) }) {
        case .current: return seen.identity
        case .olderTimeline(let newest):
            reason =
                "it is on timeline \(seen.identity.timeline), and timeline \(newest) of the same cluster was seen. "
                + "Rebuild it with pg_rewind or pg_basebackup as a standby of the new primary, and remove it from the "
                + "URL until then"
        case .lacksProgress(let required):
            reason = "it has recorded \(seen.progress ?? 0) of at least \(required). \(progress?.remedy ?? "")"
        }
        var error = PostgresError(.serverBehind, "the database server is behind: \(reason)")
        error.isConnectionLost = true
        throw error
    }

    /// Whether no newer timeline was seen since a session was admitted.
    func isCurrent(_ identity: ServerIdentity) -> Bool { memory.withLock { $0.isCurrent(identity) } }

    /// The control file of a primary may name the timeline before its promotion, so the write-ahead log is asked.
    private static func look(_ connection: inout PostgresConnection) async throws(PostgresError) -> SeenServer? {
        do throws(PostgresError) {
            let rows = try await connection.query(
                """
                SELECT system_identifier, pg_is_in_recovery(), CASE WHEN pg_is_in_recovery()
                    THEN (SELECT timeline_id::bigint FROM pg_control_checkpoint())
                    ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint END
                FROM pg_control_system()
                """)
            guard let row = rows.first else { return nil }
            let (system, isInRecovery, timeline) = try row.decode(Int64.self, Bool.self, Int64.self)
            return SeenServer(
                identity: ServerIdentity(system: system, timeline: timeline), isInRecovery: isInRecovery)
        } catch {
            guard error.sqlState == .insufficientPrivilege else { throw error }
            connection.session.logger.warning(
                "the role may not read the server's timeline, so a returning old primary is not recognised by it",
                metadata: ["error": "\(error)"])
            return nil
        }
    }

    private func readProgress(_ connection: inout PostgresConnection) async throws(PostgresError) -> Int64? {
        guard let progress else { return nil }
        do throws(PostgresError) {
            return try await connection.transaction(progress.statements).last?.first?.decode(Int64.self)
        } catch {
            // The table or its schema does not exist, or the role may not read it: the caller finds that out itself.
            guard let kind = error.sqlState?.classCode, ["42", "3F"].contains(kind) else { throw error }
            return nil
        }
    }
}
