import Foundation
import Keys
import Ledger
import Postgres
import Schema
import Synchronization
import TestSupport
import Testing
@testable import IdentityService

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)")) struct LoginProbeTests {
    private static let migrations = Schema.migrations.map(\.name)

    private static func probe(
        _ configuration: PostgresConfiguration, masters: MasterKeyStore = MasterKeyStore(.random()),
        migrations: [String] = migrations, pool: PostgresPool? = nil, readers: PostgresPool? = nil
    ) -> LoginProbe {
        LoginProbe(
            application: configuration, masters: masters, migrations: migrations, pool: pool, readers: readers,
            logger: TestServer.logger())
    }

    /// The counts of all rows that the probe could have written.
    private static func rows(_ database: TestDatabase) async throws -> Int64? {
        var connection = try await database.connect(as: .superuser)
        return try await connection.query(
            """
            SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint FROM pg_stat_user_tables
            WHERE schemaname = 'tenure' AND relname IN ('ledger', 'event')
            """
        ).first?.decode(Int64?.self)
    }

    @Test func `a usable database gives no reason, and gets no row`() async throws {
        try await TestDatabase.with { database in
            let before = try await Self.rows(database)
            #expect(await Self.probe(database.configuration(as: .application)).reasons() == [])
            #expect(try await Self.rows(database) == before)
        }
    }

    @Test func `a role that can no longer log in is named, although reads go on`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool { (pool: PostgresPool) async throws in
                #expect(try await pool.query("SELECT 1", in: [.system]).count == 1)
                let stranger = database.configuration(as: .application).with(user: "tenure_nobody")
                #expect(
                    await Self.probe(stranger).reasons() == ["the application role cannot log in to the database"])
                #expect(try await pool.query("SELECT 1", in: [.system]).count == 1)
            }
        }
    }

    @Test func `a service that has all connections of a limit is ready, and one that has none is not`() async throws {
        let cannot = ["the application role cannot log in to the database"]
        try await TestDatabase.with { database in
            let configuration = database.configuration(as: .application)
            try await database.withPool(as: .reader, maximumConnections: 1) { readers in
                try await database.withPool(maximumConnections: 1) { pool in
                    for pool in [readers, pool] { _ = try await pool.withConnection { try await $0.query("SELECT 1") } }
                    let stranger = configuration.with(user: "tenure_nobody")
                    #expect(await Self.probe(stranger, pool: pool, readers: readers).reasons() == cannot)
                    var connection = try await database.connect(as: .superuser)
                    try await connection.execute("ALTER DATABASE \(identifier: database.name) CONNECTION LIMIT 2")
                    #expect(await Self.probe(configuration).reasons() == cannot, "there is no third connection")
                    #expect(await Self.probe(configuration, pool: pool, readers: readers).reasons() == [])
                    // What else is wrong is found over the connections that there are.
                    let newer = Self.probe(
                        configuration, migrations: Self.migrations + ["m999_of_a_newer_version"], pool: pool,
                        readers: readers)
                    #expect(await newer.reasons().first?.contains("tenure migrate") == true)
                }
                try await database.withPool(maximumConnections: 1) { pool in
                    var connection = try await database.connect(as: .superuser)
                    try await connection.execute("ALTER DATABASE \(identifier: database.name) CONNECTION LIMIT 1")
                    #expect(await Self.probe(configuration, pool: pool, readers: readers).reasons() == cannot)
                }
            }
        }
    }

    @Test func `a limit of another role, or one that lets nobody in, excuses nothing`() async throws {
        let cannot = ["the application role cannot log in to the database"]
        let suffix = UUID().uuidString.prefix(8).lowercased()
        let (own, other, strong) = ("tenure_own_\(suffix)", "tenure_other_\(suffix)", "tenure_strong_\(suffix)")
        try await TestDatabase.with { database in
            var superuser = try await database.connect(as: .superuser)
            try await superuser.executeScript(
                """
                CREATE ROLE \(own) LOGIN CONNECTION LIMIT 1 IN ROLE tenure_app;
                CREATE ROLE \(other) LOGIN CONNECTION LIMIT 0 IN ROLE tenure_app;
                CREATE ROLE \(strong) LOGIN SUPERUSER CONNECTION LIMIT 1 IN ROLE tenure_app
                """)
            let configuration = database.configuration(as: .application).with(user: own)
            try await database.withPool(as: .reader, maximumConnections: 1) { readers in
                try await withPostgresPool(
                    configuration: configuration, maximumConnections: 1, logger: TestServer.logger()
                ) { pool in
                    try await pool.withConnection { _ = try await $0.query("SELECT 1") }
                    let probe = Self.probe(configuration, pool: pool, readers: readers)
                    #expect(await probe.reasons() == [], "the role's own limit is full")
                    try await superuser.executeScript("ALTER ROLE \(own) CONNECTION LIMIT 0")
                    #expect(await probe.reasons() == cannot)
                    try await superuser.executeScript("ALTER ROLE \(own) CONNECTION LIMIT 1 NOLOGIN")
                    #expect(await probe.reasons() == cannot)
                }
            }
            try await superuser.executeScript("DROP ROLE \(own), \(other), \(strong)")
        }
    }

    @Test func `a read-only database is named`() async throws {
        try await TestDatabase.with { database in
            var connection = try await database.connect(as: .superuser)
            try await connection.execute(
                "ALTER DATABASE \(identifier: database.name) SET default_transaction_read_only = on")
            #expect(
                await Self.probe(database.configuration(as: .application)).reasons()
                    == ["the database does not accept writes"])
        }
    }

    @Test func `a server that can write no file is named`() async throws {
        try await TestDatabase.with { database in
            var connection = try await database.connect(as: .superuser)
            // As near to a full disk as a role can get: no temporary file of more than 100 kB.
            try await connection.execute("ALTER DATABASE \(identifier: database.name) SET temp_file_limit = '100kB'")
            #expect(
                await Self.probe(database.configuration(as: .application)).reasons()
                    == ["the database cannot write a temporary file"])
        }
    }

    @Test func `an older schema is named, with what to do`() async throws {
        try await TestDatabase.with { database in
            let configuration = database.configuration(as: .application)
            let newer = Self.probe(configuration, migrations: Self.migrations + ["m999_of_a_newer_version"])
            #expect(
                await newer.reasons() == [
                    "the schema of the database is older than this version; run: tenure migrate"
                ])
            // A database that a newer version migrated is no reason: during an upgrade the older one serves on.
            #expect(await Self.probe(configuration, migrations: Array(Self.migrations.dropLast())).reasons() == [])
        }
    }

    @Test func `a key file that became unreadable is named beside a database that is away`() async throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("tenure-probe-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = MasterKeyFile(path: path)
        _ = try file.create()
        let masters = try MasterKeyStore(file: file)
        try await TestDatabase.with { database in
            let configuration = database.configuration(as: .application)
            #expect(await Self.probe(configuration, masters: masters).reasons() == [])
            // A mode that others may read is as unusable as none: a restart would refuse the file.
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            #expect(
                await Self.probe(configuration, masters: masters).reasons()
                    == ["the master key file cannot be read"])
            let stranger = configuration.with(user: "tenure_nobody")
            #expect(await Self.probe(stranger, masters: masters).reasons().count == 2)
            // Another installation's keys are readable, and still the wrong file.
            try FileManager.default.removeItem(atPath: path)
            _ = try MasterKeyFile(path: path).create()
            #expect(
                await Self.probe(configuration, masters: masters).reasons()
                    == ["the master key file cannot be read"])
        }
    }
}

@Suite struct ProbeMemoryTests {
    private final class Clock: Sendable {
        let time = Mutex(ContinuousClock.Instant.now)
        func pass(_ duration: Duration) { time.withLock { $0 += duration } }
        var now: @Sendable () -> ContinuousClock.Instant { { self.time.withLock { $0 } } }
    }

    @Test func `one probe runs in two seconds, however many ask`() async {
        let clock = Clock(), count = Mutex(0)
        let memory = ProbeMemory(now: clock.now) {
            count.withLock { $0 += 1 }
            return ["full"]
        }
        await withTaskGroup(of: [String].self) { group in
            for _ in 0..<50 { group.addTask { await memory.reasons() } }
            for await reasons in group { #expect(reasons == ["full"]) }
        }
        clock.pass(ProbeMemory.age - .milliseconds(1))
        _ = await memory.reasons()
        #expect(count.withLock { $0 } == 1)
        clock.pass(.milliseconds(1))
        _ = await memory.reasons()
        #expect(count.withLock { $0 } == 2)
    }

    @Test(.timeLimit(.minutes(1))) func `a probe that does not end becomes the reason`() async {
        let clock = Clock(), (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let memory = ProbeMemory(patience: .milliseconds(10), now: clock.now) {
            for await _ in gate { break }
            return []
        }
        #expect(await memory.reasons() == [])
        clock.pass(ProbeMemory.limit)
        #expect(await memory.reasons() == ["the database does not end a write"])
        opener.yield()
        opener.finish()
        while await !memory.reasons().isEmpty { await Task.yield() }
    }

    @Test func `a change shows within five seconds`() {
        #expect(ProbeMemory.age + ProbeMemory.limit <= .seconds(5))
        #expect(ProbeMemory.patience < Readiness.patience)
    }
}
