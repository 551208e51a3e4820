import EventCoding
import FoundationEssentials
@testable import Identity
import Keys
import Ledger
import Postgres
import TestSupport
import Testing

@testable import Projections

/// `tenure rebuild` and `tenure doctor` as processes of the operating system.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct RebuildProcessTests {
    private let masters = MasterKeys.random()

    /// Gives each event a code under the keys of ``masters``, as the service of the process would have.
    private func recode(_ stage: Stage) async throws {
        let codes = EventCodes(try await KeyRing.load(from: stage.pool, masters: MasterKeyStore(masters)))
        var connection = try await stage.database.connect(as: .superuser)
        for row in try await connection.query("SELECT ledger_id, position, event_id, leaf FROM tenure.event") {
            let (ledger, position, id, leaf) = try row.decode(UUID.self, Int64.self, UUID.self, [UInt8].self)
            let code = codes.code(ledger: LedgerID(ledger), id: id, leaf: leaf)
            try await connection.execute(
                """
                UPDATE tenure.event SET code = \(code) WHERE ledger_id = \(ledger) AND position = \(position)
                """)
        }
    }

    private func tenure(_ arguments: [String], _ stage: Stage) throws -> ChildProcess {
        try ChildProcess(
            "tenure", arguments,
            environment: [
                "TENURE_READER_DATABASE_URL": stage.database.url(as: .reader),
                "TENURE_MASTER_KEYS": String(decoding: masters.json(), as: UTF8.self), "SWIFT_BACKTRACE": "enable=no",
            ])
    }

    @Test func `a repeatedly killed rebuild finishes and never shows readers fewer rows`() async throws {
        try await Stage.run { stage in
            var script = CompanyScript()
            for number in 1...150 { _ = try script.register("\(number)") }
            try await stage.appendAtOnce(script)
            try await stage.following { _ in try await stage.settle(script) }
            try await recode(stage)
            let (views, tenant) = (stage.views, script.tenant)
            let reading = Task {
                var reads = 0
                while !Task.isCancelled {
                    let count = try? await views.employees(in: tenant, limit: 1_000).count
                    // Nil when the task was cancelled in the middle.
                    #expect(count == 150 || Task.isCancelled)
                    reads += 1
                }
                return reads
            }
            // Each lives for a while of its own; the machine decides in what part of its work it dies.
            for delay in [5, 60, 120, 200, 300] {
                let process = try tenure(["rebuild", "--format", "ndjson"], stage)
                try await Task.sleep(for: .milliseconds(delay))
                process.kill()
                _ = await process.finish()
                try await stage.expectEqual(script.tenant)
            }
            let (status, lines) = try await tenure(["rebuild", "--jobs", "3", "--format", "ndjson"], stage).finish()
            #expect(status == 0)
            #expect(lines.last?.contains(#""differences":0"#) ?? false)
            #expect(lines.first?.contains(#""kind":"progress""#) ?? false)
            reading.cancel()
            let reads = await reading.value
            #expect(reads > 0)
            try await stage.expectEqual(script.tenant)
            let generations = try await stage.text("SELECT DISTINCT generation::text FROM tenure.employees")
            #expect(generations.count == 1)
        }
    }

    @Test func `a dry run exits with 5 if there is a difference and with 0 otherwise`() async throws {
        try await Stage.run { stage in
            let script = try CompanyScript.eventful()
            try await stage.append(script)
            try await stage.following { _ in try await stage.settle(script) }
            try await recode(stage)
            let (equal, _) = try await tenure(["rebuild", "--dry-run"], stage).finish()
            #expect(equal == 0)
            try await stage.execute("UPDATE tenure.employees SET is_appointed = NOT is_appointed")
            let (status, lines) = try await tenure(["rebuild", "employees", "--dry-run", "--format", "ndjson"], stage)
                .finish()
            #expect(status == 5)
            #expect(lines.contains { $0.contains(#""columns":["is_appointed"]"#) })
            let (again, _) = try await tenure(["rebuild", "--dry-run"], stage).finish()
            #expect(again == 5)
        }
    }

    @Test func `rebuild and compare finish the other companies, name the damaged one, and exit with 1`()
        async throws
    {
        try await Stage.run { stage in
            let scripts = try (0..<3).map { _ in try CompanyScript.eventful() }
            for script in scripts { try await stage.append(script) }
            try await stage.following { _ in for script in scripts { try await stage.settle(script) } }
            let position = try await stage.damageRegistration(scripts[1])
            try await recode(stage)
            try await stage.execute("UPDATE tenure.employees SET is_appointed = NOT is_appointed")
            let damaged = scripts[1].tenant.description
            for arguments in [["replay", "--compare", "--json"], ["rebuild", "--format", "ndjson"]] {
                let (status, lines) = try await tenure(arguments, stage).finish()
                #expect(status == 1)
                let told = lines.filter { $0.contains(#""is_appointed""#) }
                for script in [scripts[0], scripts[2]] {
                    #expect(told.contains { $0.contains(script.tenant.description) }, "\(arguments)")
                }
                let named = lines.filter { $0.contains("damaged") && $0.contains(damaged) }
                #expect(named.count == 1 && named[0].contains(#""position":\#(position)"#), "\(arguments)")
            }
            for script in [scripts[0], scripts[2]] { try await stage.expectEqual(script.tenant) }
        }
    }

    @Test func `tenure doctor names a stopped projection`() async throws {
        try await Stage.run { stage in
            var script = CompanyScript()
            _ = try script.register("1")
            script.addUnknown()
            try await stage.append(script)
            try await stage.following { _ in
                try await stage.waitUntil { $0.stopped.count == ProjectionName.all.count }
            }
            let (status, lines) = try await tenure(["doctor", "--json"], stage).finish()
            #expect(status == 1)
            let position = "stopped at position \(script.events.count) of company \(script.tenant)"
            #expect(lines.contains { $0.contains(position) && $0.contains("view employees") })
        }
    }
}
