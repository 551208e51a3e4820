import ArgumentParser
import Foundation
import Postgres
import Testing
import TestSupport

@testable import tenure

@Suite struct CommandDatabaseTests {
    private static let away = "postgresql://tenure_reader@/tenure?host=/nowhere&port=5432"

    private func failure(_ url: String) async throws -> CommandFailure? {
        let settings = try await Settings(
            flags: [:], environment: ["TENURE_READER_DATABASE_URL": url], file: nil)
        do {
            try await CommandDatabase.with(.readerDatabaseUrl, settings) { _ in }
            return nil
        } catch { return CommandFailure(describing: error) }
    }

    @Test func `a database that is away is one line with the setting to look at`() async throws {
        let failure = try #require(try await failure(Self.away))
        #expect(failure.exitCode == .unreachable)
        #expect(failure.description.split(separator: "\n").count == 1)
        #expect(failure.message.contains("TENURE_READER_DATABASE_URL") && failure.message.contains("/nowhere"))
        #expect(failure.message.contains("start PostgreSQL"))
        #expect(!failure.description.contains("\\u{a}") && !failure.description.contains("PostgresError"))
    }

    @Test(arguments: ["nonsense", "postgresql://[", "mysql://secret@host/db"])
    func `a malformed URL is a usage error that does not quote it`(url: String) async throws {
        let failure = try #require(try await failure(url))
        #expect(failure.exitCode == .usage)
        #expect(failure.message == "TENURE_READER_DATABASE_URL is not the URL of a database")
    }

    @Test func `a missing setting is named`() async throws {
        let failure = try #require(try await failure(""))
        #expect(failure.exitCode == .usage && failure.message.contains("TENURE_READER_DATABASE_URL is not set"))
    }

    @Test func `a service waits for its database before it gives up`() async throws {
        let configuration = try PostgresConfiguration(url: Self.away)
        let start = ContinuousClock.now
        let failure = await #expect(throws: CommandFailure.self) {
            try await CommandDatabase.reach(configuration, .databaseUrl, patience: .milliseconds(300))
        }
        #expect(failure?.exitCode == .unreachable)
        #expect(ContinuousClock.now - start >= .milliseconds(300))
    }
}

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct PresentDatabaseTests {
    @Test func `a database that answers is lent`() async throws {
        try await TestDatabase.with { database in
            let settings = try await Settings(
                flags: [:], environment: ["TENURE_READER_DATABASE_URL": database.url(as: .reader)], file: nil)
            let one = try await CommandDatabase.with(.readerDatabaseUrl, settings) { pool in
                try await pool.withConnection { connection in
                    try await connection.query("SELECT 1").first?.decode(Int32.self)
                }
            }
            #expect(one == 1)
        }
    }
}
