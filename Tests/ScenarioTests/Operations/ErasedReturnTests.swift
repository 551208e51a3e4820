import Foundation
import IdentityService
import Keys
import TestSupport
import Testing

/// A database restored from before an erasure, with the erase list of today beside the keys.
@Suite(.onServer)
struct `A service on a backup from before an erasure` {
    @Test func `refuses to start until the erase list is reapplied`() async throws {
        try await inTurn { world in
            let client = try world.client
            let company = "returned.example"
            _ = try await client.found(company)
            let leaver = try await client.join(Person("leaver", at: company))
            let backup = try await world.backup()
            let later = try await client.join(Person("later", at: company))
            try await world.erase(later.person)

            // Somebody who came after the backup is not in it: the list alone refuses nothing.
            try await world.restored(backup) { copy in
                let hasStarted = try await starts(world, on: copy)
                #expect(hasStarted, "nobody is back")
            }
            try await world.erasing { erasure in
                _ = try await erasure.run(try await erasure.plan(email: leaver.person.email))
            }
            try await world.restored(backup) { copy in
                let refused = try await command(["serve"], world, on: copy)
                #expect(refused.status == 1, "\(refused)")
                let words = refused.lines.joined(separator: "\n")
                #expect(words.contains("2 of the persons on the erase list"), "\(words)")
                #expect(words.contains("tenure erase --reapply"), "\(words)")
                #expect(!words.contains("leaver"), "no name is told")

                #expect(try await command(["erase", "--reapply"], world, on: copy).status == 0)
                #expect(try await starts(world, on: copy))
            }
            // The live database has nobody back.
            #expect(try await starts(world, on: world.database))
        }
    }

    @Test func `refuses to start with an erase list that it cannot read`() async throws {
        try await inTurn { world in
            try Data("no list\n".utf8).write(to: URL(fileURLWithPath: world.eraseList.path))
            let refused = try await command(["serve"], world, on: world.database)
            #expect(refused.status == 1, "\(refused)")
            #expect(refused.lines.joined().contains(world.eraseList.path), "\(refused)")
        }
    }

    /// Whether `tenure serve` becomes ready.
    private func starts(_ world: TenureWorld, on database: TestDatabase) async throws -> Bool {
        let port = try TCPConnection.freePort()
        let process = try serving(world, ["serve"], on: database, port: port)
        defer { process.kill() }
        let client = try Client(try #require(URL(string: "http://127.0.0.1:\(port)")), world.app)
        for _ in 0..<600 where process.isAlive {
            if let ready = try? await client.send(HTTPRequest("GET", "/readyz")), ready.status == 200 { return true }
            try await Task.sleep(for: .milliseconds(100))
        }
        return false
    }

    /// Runs a command to its end; one that serves is ended.
    private func command(
        _ arguments: [String], _ world: TenureWorld, on database: TestDatabase
    ) async throws -> (status: Int32, lines: [String]) {
        let process = try serving(world, arguments, on: database)
        let watch = Task {
            // Far longer than a start takes: a service that refuses ends by itself.
            try await Task.sleep(for: .seconds(20))
            process.kill()
        }
        defer { watch.cancel() }
        return await process.finish()
    }

    private func serving(
        _ world: TenureWorld, _ arguments: [String], on database: TestDatabase, port: UInt16 = 0
    ) throws -> ChildProcess {
        try ChildProcess(
            "tenure", arguments,
            environment: [
                "TENURE_DATABASE_URL": database.url(as: .application),
                "TENURE_READER_DATABASE_URL": database.url(as: .reader),
                "TENURE_MASTER_KEY_FILE": world.keyFile.path, "TENURE_OPERATOR_KEY_FILE": world.operatorKeyFile,
                "TENURE_LISTEN_PORT": String(port), "SWIFT_BACKTRACE": "enable=no",
            ], keepsErrors: true)
    }
}
