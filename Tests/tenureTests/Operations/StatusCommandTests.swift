import Foundation
import Keys
import Postgres
import Testing
import TestSupport

@testable import LocalDevelopment
@testable import tenure

@Suite struct ServiceExaminationTests {
    private struct Silence: Error {}

    /// Examines a service that gives these answers; any other path is silent.
    private func findings(_ answers: [String: (Int, String)]) async -> ([Finding], answers: Bool) {
        await ServiceExamination(address: "http://id.example") { url in
            guard let (status, body) = answers[url.path] else { throw Silence() }
            return (status, Array(body.utf8))
        }.findings()
    }

    @Test func `a ready service is good`() async {
        let (found, answers) = await findings([
            "/healthz": (200, #"{"status":"ok"}"#), "/readyz": (200, #"{"status":"ready"}"#),
        ])
        #expect(answers)
        #expect(found.map(\.subject) == ["service", "readiness"])
        #expect(found.allSatisfy { $0.verdict == .good })
    }

    @Test func `a service that does not answer is bad, with what to do`() async {
        let (found, answers) = await findings([:])
        #expect(!answers)
        #expect(found.map(\.verdict) == [.bad])
        #expect(found.allSatisfy { $0.detail == "http://id.example does not answer" && $0.remedy != nil })
    }

    @Test(arguments: [(404, "not here"), (200, "<html>"), (200, #"{"status":"fine"}"#)])
    func `another program at the address is told apart`(status: Int, body: String) async {
        let (found, answers) = await findings(["/healthz": (status, body)])
        #expect(!answers)
        #expect(found.first?.detail.hasSuffix("is not a Tenure service") == true)
    }

    @Test func `what the service misses is shown`() async {
        let problem = """
            {"type":"/docs","title":"The service is unavailable.","status":503,"detail":"Try again.","instance":"/x",\
            "code":"service.unavailable","requestId":"r","errors":[{"detail":"the database does not answer"}]}
            """
        let (found, answers) = await findings(["/healthz": (200, #"{"status":"ok"}"#), "/readyz": (503, problem)])
        #expect(answers)
        #expect(found.last?.verdict == .bad)
        #expect(found.last?.detail == "not ready: the database does not answer")
    }

    @Test func `a stopped projection degrades the service`() async {
        let (found, _) = await findings([
            "/healthz": (200, #"{"status":"ok"}"#),
            "/readyz": (200, #"{"status":"degraded","stoppedViews":[{"companies":1,"view":"tenants"}]}"#),
        ])
        #expect(found.last?.verdict == .bad && found.last?.detail == "degraded: a projection has stopped")
    }

    @Test func `what degrades the service is named`() async {
        let (found, _) = await findings([
            "/healthz": (200, #"{"status":"ok"}"#),
            "/readyz": (200, #"{"clocks":["2 ledgers are ahead"],"seals":["a ledger rests"],"status":"degraded"}"#),
        ])
        #expect(found.last?.detail == "degraded: a ledger rests, 2 ledgers are ahead")
        #expect(found.last?.verdict == .bad)
    }

    @Test func `the address comes from the flag, then the public URL, then the development service, then the port`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let state = StateDirectory(directory.path)
        let address = { (environment: [String: String]) in
            try StatusCommand.address(try await Settings(flags: [:], environment: environment, file: nil), state)
        }
        #expect(try await address([:]) == "http://127.0.0.1:8080")
        #expect(try await address(["TENURE_LISTEN_PORT": "9000"]) == "http://127.0.0.1:9000")
        try SecretFile.replace(at: state.environmentFile, with: DevelopmentEnvironmentTests.sample.text)
        #expect(try await address(["TENURE_LISTEN_PORT": "9000"]) == "http://127.0.0.1:8080")
        #expect(try await address(["TENURE_PUBLIC_URL": "https://id.example/"]) == "https://id.example")
        #expect(
            try await address(["TENURE_PUBLIC_URL": "https://id.example", "TENURE_URL": "http://a:1"]) == "http://a:1")
        await #expect(throws: CommandFailure.self) { try await address(["TENURE_URL": "id.example"]) }
    }
}

@Suite struct AnchorFindingTests {
    @Test func `an anchor that covers the system ledger is good, and one that is behind is a note`() {
        #expect(Examination.finding(anchor: 10, of: 10).verdict == .good)
        #expect(Examination.finding(anchor: 9, of: 10).verdict == .note)
        #expect(Examination.finding(anchor: 9, of: 10).detail == "covers 9 of 10 events of the system ledger")
        #expect(Examination.finding(anchor: nil, of: 1).verdict == .bad)
    }
}

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct DatabaseStatusTests {
    private func findings(_ url: String) async throws -> [Finding] {
        let settings = try await Settings(
            flags: [:], environment: ["TENURE_READER_DATABASE_URL": url], file: nil)
        let directory = try TemporaryDirectory()
        return await Examination(state: StateDirectory(directory.path), settings: settings).database()
    }

    @Test func `a migrated database shows its version, schema, projections and checkpoints`() async throws {
        try await TestDatabase.with { database in
            let found = try await findings(database.url(as: .reader))
            #expect(
                found.map(\.subject) == [
                    "database", "schema", "views", "seals", "clocks", "anchor", "pages", "mails",
                ])
            #expect(found.prefix(3).allSatisfy { $0.verdict == .good }, "\(found)")
            #expect(found.first { $0.subject == "anchor" }?.detail == "none is signed yet")
            #expect(found.last?.detail == "none waits")
        }
    }

    @Test func `a ledger that is ahead of the clock is named, until its time is accepted`() async throws {
        try await TestDatabase.with { database in
            let settings = try await Settings(
                flags: [:], environment: ["TENURE_READER_DATABASE_URL": database.url(as: .reader)], file: nil)
            let directory = try TemporaryDirectory()
            let examination = Examination(state: StateDirectory(directory.path), settings: settings)
            #expect(await examination.clocks().map(\.verdict) == [.good])
            let id = UUID()
            var connection = try await database.connect(as: .superuser)
            try await connection.execute(
                "INSERT INTO tenure.ledger (ledger_id, size, time) VALUES (\(id), 1, now() + interval '1 hour')")
            let found = await examination.clocks()
            #expect(found.map(\.verdict) == [.bad, .bad])
            #expect(found.last?.remedy == "run: tenure ledger accept-time \(id.uuidString.lowercased())")
            try await connection.execute("UPDATE tenure.ledger SET accepted = time WHERE ledger_id = \(id)")
            #expect(await examination.clocks().map(\.verdict) == [.good])
        }
    }

    @Test func `between the migration and the first start nothing is bad, and no check makes keys`() async throws {
        try await TestDatabase.with { database in
            let directory = try TemporaryDirectory(), masters = directory.path + "/master.json"
            _ = try MasterKeyFile(path: masters).create()
            let settings = try await Settings(
                flags: [:],
                environment: [
                    "TENURE_DATABASE_URL": database.url(as: .application),
                    "TENURE_READER_DATABASE_URL": database.url(as: .reader), "TENURE_MASTER_KEY_FILE": masters,
                ], file: nil)
            let examination = Examination(state: StateDirectory(directory.path), settings: settings)
            #expect(await examination.seals().map(\.verdict) == [.good])
            #expect(await examination.rows().map(\.verdict) == [.note])
            var connection = try await database.connect(as: .superuser)
            #expect(try await connection.query("SELECT FROM tenure.purpose_key").isEmpty)
        }
    }

    @Test func `a newer schema is a note, and a missing migration is bad`() async throws {
        try await TestDatabase.with { database in
            var connection = try await database.connect(as: .superuser)
            try await connection.executeScript("INSERT INTO tenure_migration VALUES ('m999_later', sha256(''))")
            let newer = try await findings(database.url(as: .reader))
            #expect(newer.first { $0.subject == "schema" }?.verdict == .note)
            try await connection.executeScript(
                """
                DELETE FROM tenure_migration
                WHERE name IN ('m999_later', (SELECT max(name) FROM tenure_migration WHERE name < 'm999'))
                """)
            let older = try await findings(database.url(as: .reader))
            #expect(older.first { $0.subject == "schema" }?.remedy == "run: tenure migrate")
        }
    }

    @Test func `a database that is away is one finding`() async throws {
        let found = try await findings("postgresql://tenure_reader@/tenure?host=/nowhere")
        #expect(found.map(\.subject) == ["database"] && found.map(\.verdict) == [.bad])
    }
}
