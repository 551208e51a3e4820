import Foundation
import IdentityService
import Postgres
import TestSupport
import Testing

/// What an operator is told of a database that may lose what it acknowledged.
@Suite(.onServer, .serialized)
struct `A database that may lose what it acknowledged` {
    /// The lines of `tenure doctor` about durability, for a service on this database.
    private func doctor(_ world: TenureWorld) async throws -> (status: Int32, lines: [String]) {
        try await ChildProcess(
            "tenure", ["doctor", "--json"],
            environment: [
                "TENURE_DATABASE_URL": world.database.url(as: .application),
                "TENURE_READER_DATABASE_URL": world.database.url(as: .reader), "SWIFT_BACKTRACE": "enable=no",
            ]
        ).finish()
    }

    /// Changes what holds in new sessions of the service's role, in this database alone.
    private func set(_ setting: String, _ world: TenureWorld) async throws {
        try await world.superuser { connection in
            let rows = try await connection.query("SELECT current_database()")
            let name = try #require(rows.first).decode(String.self)
            try await connection.executeScript("ALTER ROLE tenure_app IN DATABASE \"\(name)\" SET \(setting)")
        }
    }

    @Test func `is named by the doctor, as the service's own sessions have it`() async throws {
        try await inTurn { world in
            try await set("synchronous_commit = on", world)
            let subject = #""subject":"synchronous_commit""#
            #expect(try await !doctor(world).lines.contains { $0.contains(subject) })
            try await set("synchronous_commit = off", world)
            let (status, lines) = try await doctor(world)
            #expect(status == 1)
            #expect(lines.contains { $0.contains(subject) && $0.contains(#""verdict":"bad""#) }, "\(lines)")
        }
    }

    @Test func `is named once in the log of a service that starts`() async throws {
        try await inTurn { world in
            let words = "synchronous_commit is off: a crash of the server loses acknowledged events"
            for (setting, count) in [("off", 1), ("on", 0)] {
                try await set("synchronous_commit = \(setting)", world)
                try await ServiceProcess.with(1, in: world, logLevel: "trace") { processes in
                    let log = await processes[0].ended()
                    #expect(log.components(separatedBy: words).count == count + 1, "\(setting)")
                }
            }
        }
    }
}
