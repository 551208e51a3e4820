import Canonical
import FoundationEssentials
@testable import Identity
import Ledger
import Postgres
@testable import Projections
import TestSupport
import Testing

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct ProjectorTests {
    @Test func `live projections equal the fold of the log byte by byte`() async throws {
        try await Stage.run { stage in
            let script = try CompanyScript.eventful()
            try await stage.following { _ in
                try await stage.append(script)
                try await stage.settle(script)
            }
            try await stage.expectEqual(script.tenant)
            #expect(try await stage.views.position(of: script.tenant) == Int64(script.events.count))
        }
    }

    @Test func `a killed projector resumes without a gap or a repetition`() async throws {
        try await Stage.run { stage in
            var script = CompanyScript()
            let founder = try script.register("0")
            for number in 1...60 {
                let employee = try script.register("\(number)")
                if number % 3 == 0 { try script.cancel(employee) }
                try script.openSession(founder)
            }
            try await stage.append(script)
            // Each projector lives for a moment only, and dies wherever it is.
            var lives = 0
            while try await stage.views.position(of: script.tenant) < Int64(script.events.count) {
                lives += 1
                try #require(lives < 5_000)
                try await stage.following(pageSize: 3) { projector in
                    projector.nudge()
                    try await Task.sleep(for: .milliseconds(Int.random(in: 1...150)))
                }
            }
            #expect(lives > 1)
            try await stage.expectEqual(script.tenant)
        }
    }

    @Test func `a starting projector processes the whole backlog without a new event`() async throws {
        try await Stage.run { stage in
            var scripts: [CompanyScript] = []
            for _ in 0..<6 {
                var script = CompanyScript()
                for number in 0...40 { _ = try script.register("\(number)") }
                try await stage.appendAtOnce(script)
                scripts.append(script)
            }
            try await stage.following(pageSize: 10) { _ in
                for script in scripts { try await stage.settle(script) }
            }
            for script in scripts { try await stage.expectEqual(script.tenant) }
        }
    }

    @Test func `two concurrent projectors process every event once`() async throws {
        try await Stage.run { stage in
            let scripts = try (0..<4).map { _ in try CompanyScript.eventful() }
            try await stage.following(takesTurns: false) { _ in
                try await stage.following(takesTurns: false) { _ in
                    try await withThrowingTaskGroup { group in
                        for script in scripts { group.addTask { try await stage.append(script) } }
                        try await group.waitForAll()
                    }
                    for script in scripts { try await stage.settle(script) }
                }
            }
            for script in scripts {
                try await stage.expectEqual(script.tenant)
                // Counts would be wrong if an event had been taken twice.
                let row = try #require(try await stage.views.tenant(script.tenant))
                #expect(row.employees == (try script.state().tenant?.employees))
            }
        }
    }

    @Test func `a poison event stops the projections of its ledger only`() async throws {
        try await Stage.run { stage in
            var poisoned = try CompanyScript.eventful()
            let before = poisoned.events.count
            poisoned.addUnknown()
            _ = try poisoned.register("after")
            let healthy = try CompanyScript.eventful()
            try await stage.append(poisoned)
            try await stage.following { _ in
                try await stage.append(healthy)
                try await stage.settle(healthy)
                let arrived = try await stage.views.wait(
                    for: Int64(before), of: poisoned.tenant, patience: .seconds(30))
                #expect(arrived)
                // The position after the poison is never reached, however long one waits.
                let passed = try await stage.views.wait(
                    for: Int64(before) + 1, of: poisoned.tenant, patience: .milliseconds(500))
                #expect(!passed)
                try await stage.waitUntil { $0.stopped.count == ProjectionName.all.count }
            }
            let failures = try await stage.text(
                "SELECT failure FROM tenure.projection_progress WHERE failed_at_position = \(Int64(before) + 1)")
            #expect(failures.count == ProjectionName.all.count)
            #expect(failures.allSatisfy { $0?.contains("event.unknown_type") ?? false })
            let stopped = try await ProjectionLag.read(stage.readers).stopped
            #expect(stopped.map(\.tenant) == Array(repeating: poisoned.tenant, count: ProjectionName.all.count))
            #expect(stopped.allSatisfy { $0.position == Int64(before) + 1 })
            let state = try await StateAt(reader: stage.reader).company(
                poisoned.tenant, at: .position(Int64(before)))
            #expect(try await LiveViews(pool: stage.readers).compare(state, of: poisoned.tenant).differences == [])
        }
    }

    @Test func `rows that the database refuses stop one projection only`() async throws {
        try await Stage.run { stage in
            let script = try CompanyScript.eventful()
            try await stage.append(script)
            try await stage.execute(
                "ALTER TABLE tenure.employee_keys ADD CONSTRAINT no_ends CHECK (state <> 'revoked')")
            try await stage.following { _ in
                let others = ProjectionName.all.filter { $0 != .employeeKeys }
                try await stage.waitUntil { lag in
                    lag.stopped.map(\.view) == [.employeeKeys]
                }
                let positions = try await stage.text(
                    """
                    SELECT projection || ' ' || position FROM tenure.projection_progress
                    WHERE projection <> 'employee_keys' ORDER BY projection
                    """)
                #expect(positions == others.map { "\($0) \(script.events.count)" })
            }
            // With the reason gone, a fresh start goes on from where it stopped.
            try await stage.execute("ALTER TABLE tenure.employee_keys DROP CONSTRAINT no_ends")
            try await stage.following { _ in try await stage.settle(script) }
            try await stage.expectEqual(script.tenant)
            #expect(try await ProjectionLag.read(stage.readers).stopped.isEmpty)
        }
    }

    @Test func `a projector survives cut connections`() async throws {
        try await Stage.run { stage in
            let script = try CompanyScript.eventful()
            try await stage.following { _ in
                let half = script.events.count / 2
                for (index, item) in script.events.enumerated() {
                    _ = try await stage.appender.append(
                        Append(
                            events: [item.event], expectations: [item.event.stream: item.version - 1],
                            time: item.time))
                    if index == half {
                        try await stage.execute(
                            """
                            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                            WHERE datname = current_database() AND usename = 'tenure_reader'
                            """)
                    }
                }
                try await stage.settle(script)
            }
            try await stage.expectEqual(script.tenant)
        }
    }

    @Test func `directory and system ledgers feed no projection`() async throws {
        try await Stage.run { stage in
            let script = try CompanyScript.eventful()
            for ledger in [LedgerID.system, .directory(7)] {
                _ = try await stage.appender.append(.test(.test(ledger)))
            }
            try await stage.following { _ in
                try await stage.append(script)
                try await stage.settle(script)
            }
            let ledgers = try await stage.text("SELECT DISTINCT ledger_id::text FROM tenure.projection_progress")
            #expect(ledgers == [script.tenant.description])
            let lag = try await ProjectionLag.read(stage.readers)
            #expect(
                lag
                    == ProjectionLag(
                        events: .init(uniqueKeysWithValues: ProjectionName.all.map { ($0, 0) }), stopped: []))
        }
    }
}

extension Stage {
    /// Asks again and again, for a minute at least.
    func waitUntil(
        _ condition: (ProjectionLag) -> Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for _ in 0..<1_200 {
            if condition(try await ProjectionLag.read(readers)) { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("the condition did not come true", sourceLocation: sourceLocation)
    }
}
