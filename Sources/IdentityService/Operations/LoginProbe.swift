package import Keys
package import Logging
package import Postgres

/// Finds out what would make every log-in fail although the database answers reads.
///
/// A connection of a pool outlives a changed password, and reads outlive a full disk. So the probe opens a connection
/// of the application role anew, and has the server write a temporary file, which leaves no row in any table.
///
/// If the server has no further connection for the role, and the service has some, log-ins go on: that is no reason.
package struct LoginProbe: Sendable {
    /// The database, as the application role.
    private let application: PostgresConfiguration
    private let masters: MasterKeyStore
    /// The migrations that this program needs, by name.
    private let migrations: [String]
    private let pool: PostgresPool?
    private let readers: PostgresPool?
    private let logger: Logger

    /// - Parameters:
    ///   - application: The database as the application role, with time limits of a second or two.
    ///   - migrations: The names of the migrations that must have been applied.
    ///   - pool: The connections of the service.
    ///   - readers: Connections of the reader role that answer soon. They tell whether a limit of connections is
    ///     reached; without them every failed log-in is a reason.
    package init(
        application: PostgresConfiguration, masters: MasterKeyStore, migrations: [String],
        pool: PostgresPool? = nil, readers: PostgresPool? = nil, logger: Logger
    ) {
        self.pool = pool
        self.readers = readers
        self.application = application
        self.masters = masters
        self.migrations = migrations
        self.logger = logger
    }

    /// Returns the reasons why log-ins fail, each a part of the installation in words; empty if there is none.
    package func reasons() async -> [String] {
        let database = await databaseReason()
        return ([database] + [await keyReason()]).compactMap(\.self)
    }

    private func keyReason() async -> String? {
        do {
            try await masters.checkFile()
            return nil
        } catch {
            report(error, "the master key file cannot be read")
            return "the master key file cannot be read"
        }
    }

    private func databaseReason() async -> String? {
        var connection: PostgresConnection
        do {
            connection = try await PostgresConnection.connect(application, logger: logger)
        } catch {
            if let pool, let readers, let role = await role(in: pool), await isFull(role, readers) {
                return await reason(over: readers)
            }
            report(error, "the application role cannot log in")
            return "the application role cannot log in to the database"
        }
        defer { connection.close() }
        do { return try await Self.reason(migrations, on: &connection) } catch { return reason(of: error) }
    }

    /// The application role, if a connection of the pool answers or all are lent; `nil` if the service has none.
    private func role(in pool: PostgresPool) async -> String? {
        guard pool.health.idle + pool.health.lent > 0 else { return nil }
        do {
            let rows = try await ConnectionPatience.$current.withValue(ConnectionPatience(.milliseconds(200))) {
                try await pool.withConnection { try await $0.query("SELECT session_user::text") }
            }
            return try application.user ?? rows.first?.decode(String.self)
        } catch { return pool.health.lent > 0 ? application.user : nil }
    }

    /// Whether the application role, the database or the server has no connection left, or one. libpq gives no SQLSTATE
    /// for a refused connection, and its text may be in any language. A limit of 0 is no full one: it closes the door.
    private func isFull(_ role: String, _ readers: PostgresPool) async -> Bool {
        let rows = try? await readers.withConnection { connection in
            try await connection.query(
                """
                WITH a AS (SELECT usesysid, datid FROM pg_stat_activity WHERE usesysid IS NOT NULL)
                SELECT EXISTS (SELECT FROM pg_roles AS r
                    WHERE r.rolname = \(role) AND r.rolcanlogin AND (
                        NOT r.rolsuper AND r.rolconnlimit > 0
                            AND r.rolconnlimit <= 1 + (SELECT count(*) FROM a WHERE a.usesysid = r.oid)
                        OR EXISTS (SELECT FROM pg_database AS d
                            WHERE d.datname = current_database() AND d.datconnlimit > 0
                                AND d.datconnlimit <= 1 + (SELECT count(*) FROM a WHERE a.datid = d.oid))
                        OR current_setting('max_connections')::int
                            - current_setting('superuser_reserved_connections')::int
                            - coalesce(current_setting('reserved_connections', true), '0')::int
                            <= 1 + (SELECT count(*) FROM a)))
                """)
        }
        return (try? rows?.first?.decode(Bool.self)) ?? false
    }

    /// The same questions over a connection that is there.
    private func reason(over readers: PostgresPool) async -> String? {
        do {
            return try await readers.withConnection { connection in
                try await Self.reason(migrations, on: &connection)
            }
        } catch { return reason(of: error) }
    }

    private func reason(of error: any Error) -> String {
        report(error, "the database cannot write")
        return (error as? PostgresError)?.sqlState == .diskFull
            ? "the disk of the database is full" : "the database cannot write a temporary file"
    }

    /// The size of the temporary file is some 2 MB: more than what the file system keeps beside, and a millisecond or
    /// two of the server's time.
    private static func reason(
        _ migrations: [String], on connection: inout PostgresConnection
    ) async throws(PostgresError) -> String? {
        let answers = try await connection.transaction([
            "SELECT current_setting('transaction_read_only') = 'on'",
            "SELECT count(*) FROM unnest(\(migrations)) AS needed (name) JOIN public.tenure_migration USING (name)",
            "SELECT set_config('work_mem', '64kB', true)",
            "SELECT count(*) FROM generate_series(1, 40000)",
        ])
        guard try answers[0].first?.decode(Bool.self) == false else {
            return "the database does not accept writes"
        }
        guard try answers[1].first?.decode(Int64.self) == Int64(migrations.count) else {
            return "the schema of the database is older than this version; run: tenure migrate"
        }
        return nil
    }

    private func report(_ error: any Error, _ words: String) {
        logger.error("\(words)", metadata: ["error": "\(String(reflecting: error))"])
    }
}

/// Keeps the last result of a probe that costs more than a look, and asks again only while somebody wants to know.
///
/// However many callers ask, one probe runs at a time and none while the last result is fresh.
package actor ProbeMemory {
    /// The time for which a result is reused.
    static let age: Duration = .seconds(2)
    /// The time for which callers wait for a probe.
    static let patience: Duration = .milliseconds(400)
    /// The time after which a probe that has not ended is a reason by itself.
    static let limit: Duration = .seconds(3)

    private let probe: @Sendable () async -> [String]
    private let now: @Sendable () -> ContinuousClock.Instant
    private let patience: Duration
    private var known: (reasons: [String], at: ContinuousClock.Instant)?
    private var began: ContinuousClock.Instant?
    private var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    private var lastNumber: UInt64 = 0

    package init(
        patience: Duration = patience, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        probe: @escaping @Sendable () async -> [String]
    ) {
        self.probe = probe
        self.now = now
        self.patience = patience
    }

    /// Returns the reasons of a probe that began at most two seconds ago, or, if that one does not end, the last ones.
    package func reasons() async -> [String] {
        if let known, now() - known.at < Self.age { return known.reasons }
        if began == nil { begin() }
        await waitABit()
        if let began, now() - began >= Self.limit { return ["the database does not end a write"] }
        return known?.reasons ?? []
    }

    private func begin() {
        let began = now()
        self.began = began
        Task {
            let reasons = await probe()
            known = (reasons, began)
            self.began = nil
            let callers = waiting
            waiting = [:]
            for caller in callers.values { caller.resume() }
        }
    }

    private func waitABit() async {
        guard began != nil else { return }
        lastNumber += 1
        let number = lastNumber
        let limit = Task { [patience] in
            try? await Task.sleep(for: patience)
            release(number)
        }
        await withCheckedContinuation { waiting[number] = $0 }
        limit.cancel()
    }

    private func release(_ number: UInt64) { waiting.removeValue(forKey: number)?.resume() }
}
