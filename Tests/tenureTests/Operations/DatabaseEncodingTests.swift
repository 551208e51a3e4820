import ArgumentParser
import Foundation
import Postgres
import TestSupport
import Testing

@testable import LocalDevelopment
@testable import tenure

/// A database that stores text in another encoding than UTF-8: the first name that has no place in it would stop views
/// and seals.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct DatabaseEncodingTests {
    /// Lends the configuration and the URL of an empty database, and drops it.
    private func with<Result>(
        _ encoding: String, _ body: (PostgresConfiguration, String) async throws -> Result
    ) async throws -> Result {
        try await TestDatabase.with { database in
            let name = database.name + "_" + encoding.lowercased()
            var admin = try await database.connect(as: .superuser)
            try await admin.execute(
                """
                CREATE DATABASE \(identifier: name) TEMPLATE template0 ENCODING \(identifier: encoding) LOCALE 'C'
                """)
            do {
                let url = database.url(as: .superuser) + "&dbname=" + name
                let result = try await body(database.configuration(as: .superuser).with(database: name), url)
                try await admin.execute("DROP DATABASE \(identifier: name) WITH (FORCE)")
                return result
            } catch {
                _ = try? await admin.execute("DROP DATABASE \(identifier: name) WITH (FORCE)")
                throw error
            }
        }
    }

    private func refusal(_ work: () async throws -> Void) async -> CommandFailure? {
        do {
            try await work()
            return nil
        } catch {
            return CommandFailure(describing: error)
        }
    }

    @Test(arguments: ["LATIN1", "EUC_JP", "SQL_ASCII"])
    func `is refused at migrate, serve and doctor with the command that makes another`(encoding: String) async throws {
        try await with(encoding) { configuration, url in
            let migrated = await refusal {
                _ = try await DatabaseMigration.run(configuration, logger: TestServer.logger())
            }
            let served = await refusal {
                try await CommandDatabase.reach(
                    configuration, .databaseUrl, patience: CommandDatabase.patienceOfService)
            }
            for failure in [migrated, served] {
                #expect(failure?.exitCode == .usage && failure?.message.contains(encoding) == true, "\(failure as Any)")
                #expect(failure?.remedy?.contains("createdb --encoding=UTF8") == true)
            }
            let directory = try TemporaryDirectory()
            let settings = try await Settings(
                flags: [:], environment: ["TENURE_DATABASE_URL": url, "TENURE_READER_DATABASE_URL": url], file: nil)
            let examination = Examination(state: StateDirectory(directory.path + "/none"), settings: settings)
            let found = await examination.findings()
            for subject in ["TENURE_DATABASE_URL", "TENURE_READER_DATABASE_URL", "schema"] {
                let finding = try #require(found.first { $0.subject == subject })
                #expect(finding.verdict == .bad && finding.detail.contains(encoding), "\(finding)")
                #expect(finding.remedy?.contains("createdb --encoding=UTF8") == true, "\(finding)")
            }
        }
    }

    @Test func `in UTF-8 is taken`() async throws {
        try await with("UTF8") { configuration, _ in
            #expect(await refusal { try await CommandDatabase.reach(configuration, .databaseUrl) } == nil)
        }
    }
}
