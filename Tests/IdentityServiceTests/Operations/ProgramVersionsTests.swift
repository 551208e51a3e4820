import Logging
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import IdentityService

/// What a process says about other versions of the program, while one replaces the other.
@Suite struct ProgramVersionsTests {
    private let name = ProgramVersions.prefix + "2 1 m001", other = ProgramVersions.prefix + "1 1 m001"

    @Test(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
    func `a newer schema and processes of other versions are found`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                var superuser = try await database.connect(as: .superuser)
                let migrations = try await superuser.query("SELECT name FROM tenure_migration").map {
                    try $0.decode(String.self)
                }
                let read = { try await ProgramVersions.read(pool, migrations: migrations, revision: 999, name: name) }
                #expect(try await read() == ProgramVersions())
                try await superuser.executeScript("INSERT INTO tenure_migration VALUES ('m999_later', sha256(''))")
                var configuration = database.configuration(as: .application)
                // The last one is seen: a connection that was closed may end a little later.
                for application in [name, "tenure", other] {
                    configuration.applicationName = application
                    try await withPostgresPool(
                        configuration: configuration, maximumConnections: 1, logger: TestServer.logger()
                    ) { beside in
                        _ = try await beside.withConnection { connection in try await connection.query("SELECT 1") }
                        let others = application == other ? [other] : []
                        #expect(try await read() == ProgramVersions(unknown: ["m999_later"], others: others))
                    }
                }
                let early = try await ProgramVersions.read(pool, migrations: migrations, revision: 0, name: name)
                #expect(early.unknown.contains("require"), "functions of a later revision are unknown too")
            }
        }
    }

    @Test func `each change is logged once, and counted`() async throws {
        let lines = LoggedLines(), found = Mutex(ProgramVersions())
        let watch = ProgramVersionsWatch(logger: Logger(label: "test") { _ in lines.handler }) {
            found.withLock { $0 }
        }
        #expect(await watch.metrics() == "")
        await watch.look()
        #expect(lines.all == [])
        found.withLock { $0 = ProgramVersions(unknown: ["m002_later"], others: [other]) }
        for _ in 0..<3 { await watch.look() }
        #expect(lines.all.count == 2)
        #expect(lines.all[0].hasPrefix("warning a newer version migrated the database"))
        #expect(lines.all[0].contains("m002_later"))
        #expect(lines.all[1].hasPrefix("warning another version serves beside this process"))
        #expect(lines.all[1].contains(other))
        #expect(await watch.metrics().contains("\ntenure_schema_unknown 1\n"))
        #expect(await watch.metrics().contains("\ntenure_other_versions 1\n"))
        found.withLock { $0.others = [] }
        await watch.look()
        #expect(lines.all.count == 3 && lines.all[2].hasPrefix("notice no other version serves any more"))
        #expect(await watch.metrics().contains("\ntenure_other_versions 0\n"))
    }
}
