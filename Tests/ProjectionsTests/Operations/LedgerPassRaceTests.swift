import FoundationEssentials
@testable import Identity
import Ledger
import Postgres
import TestSupport
import Testing

@testable import Projections

/// Passes beside followers, switches and deaths: no view skips an event that it takes, and none goes back.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct LedgerPassRaceTests {
    @Test(arguments: [false, true])
    func `concurrent passes and projectors on one ledger always show readers a prefix`(
        switching: Bool
    ) async throws {
        try await Stage.run { stage in
            var script = CompanyScript()
            _ = try script.register("0")
            try await stage.follow([script])
            let start = script.events.count
            for number in 1...40 {
                try script.openSessions(Int.random(in: 1...6))
                if number % 2 == 0 { _ = try script.register("\(number)") }
            }
            let whole = script
            let reading = Task { try await stage.readPrefixes(of: whole) }
            let working = (0..<4).map { number in
                Task { try await stage.follow(whole.ledger, onlyPassing: number < 2) }
            }
            async let writing: Void = stage.append(whole, from: start)
            if switching {
                for _ in 0..<4 { #expect(try await stage.rebuild.run(RebuildRequest()).differences == []) }
            }
            try await writing
            try await stage.settle(whole)
            for task in working {
                task.cancel()
                try await task.value
            }
            reading.cancel()
            let reads = try await reading.value
            #expect(reads > 20)
            try await stage.expectEqual(whole.tenant)
        }
    }

    @Test func `a pass that waited for a cut-over moves only the new live generation`()
        async throws
    {
        try await Stage.run { stage in
            var behind = try CompanyScript.eventful(), level = try CompanyScript.eventful()
            try await stage.follow([behind, level])
            let start = Int64(behind.events.count)
            try behind.openSessions(2)
            try level.openSessions(2)
            for script in [behind, level] { try await stage.append(script, from: Int(start)) }
            // A generation that has read one of the ledgers to the end, and of the other one event only.
            try await stage.execute(
                """
                INSERT INTO tenure.projection_progress (ledger_id, projection, generation, position)
                SELECT ledger_id, projection, 2, CASE WHEN ledger_id = \(level.tenant.uuid) THEN position ELSE 1 END
                FROM tenure.projection_progress
                """)
            var other = try await stage.database.connect(as: .reader)
            let ledgers = [behind.ledger, level.ledger]
            let passing = try await other.withTransaction { connection in
                try await connection.execute(ProgressRow.lockGenerations)
                try await connection.execute("UPDATE tenure.projection_generation SET live = 2")
                let passing = Task { try await stage.pass.run(ledgers) }
                try await stage.waitForWaiting(
                    "RowShareLock", "relation = 'tenure.projection_generation'::regclass")
                return passing
            }
            let standings = try await passing.value
            #expect(standings[behind.ledger] == .init(position: 1, size: start + 2, isPassed: false))
            #expect(standings[level.ledger] == .init(position: start, size: start + 2, isPassed: true))
            #expect(try await stage.positions(behind) == Stage.everyProjection(at: 1))
            #expect(try await stage.positions(level) == Stage.everyProjection(at: start + 2))
            let old = try await stage.text(
                "SELECT DISTINCT position::text FROM tenure.projection_progress WHERE generation = 1")
            #expect(old == ["\(start)"])
        }
    }

    @Test func `a pass overtaken by another moves nothing twice and nothing back`() async throws {
        try await Stage.run { stage in
            var script = try CompanyScript.eventful()
            try await stage.follow([script])
            for _ in 0..<30 {
                let before = script.events.count
                try script.openSessions(1)
                try await stage.append(script, from: before)
                let size = Int64(script.events.count), ledger = script.ledger
                let moves = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<4 {
                        group.addTask {
                            let standing = try await stage.pass.run([ledger])[ledger]
                            return standing.map { $0.isPassed && $0.position < size } == true ? 1 : 0
                        }
                    }
                    return try await group.reduce(0, +)
                }
                // None, where each has got hold of some of the rows.
                #expect(moves <= 1)
                while try await stage.pass.run([ledger])[ledger]?.isPassed != true {}
                #expect(try await stage.positions(script) == Stage.everyProjection(at: size))
            }
        }
    }

    @Test func `changes between a pass's snapshot and its locks are neither missed nor undone`() async throws {
        try await Stage.run { stage in
            var scripts = try (0..<5).map { _ in try CompanyScript.eventful() }
            try await stage.follow(scripts)
            let start = Int64(scripts[0].events.count)
            for index in scripts.indices {
                try scripts[index].openSessions(2)
                try await stage.append(scripts[index], from: Int(start))
            }
            let ids = scripts.map(\.tenant.uuid), ledgers = scripts.map(\.ledger)
            try await stage.makeReadersWait(at: scripts[0])
            var other = try await stage.database.connect(as: .superuser)
            _ = try await other.query("SELECT pg_advisory_lock(42)")
            let passing = Task { try await stage.pass.run(ledgers) }
            try await stage.waitForWaiting("ShareLock", "locktype = 'advisory'")
            // Another one passes over one event, one follows beyond what the snapshot sees, a view stops, and a row goes.
            for (id, position) in [(ids[1], start + 1), (ids[2], start + 9)] {
                try await stage.execute(
                    "UPDATE tenure.projection_progress SET position = \(position) WHERE ledger_id = \(id)")
            }
            try await stage.execute(
                """
                UPDATE tenure.projection_progress SET failed_at_position = position + 1, failure = 'test'
                WHERE ledger_id = \(ids[3]) AND projection = 'tenants'
                """)
            try await stage.execute(
                "DELETE FROM tenure.projection_progress WHERE ledger_id = \(ids[4]) AND projection = 'tenants'")
            _ = try await other.query("SELECT pg_advisory_unlock(42)")
            let standings = try await passing.value
            #expect(
                standings == [
                    ledgers[0]: .init(position: start, size: start + 2, isPassed: true),
                    ledgers[1]: .init(position: start + 1, size: start + 2, isPassed: true),
                    ledgers[2]: .init(position: start + 9, size: start + 2, isPassed: true),
                ])
            let positions: [[Int64]] = [
                Stage.everyProjection(at: start + 2), Stage.everyProjection(at: start + 2),
                Stage.everyProjection(at: start + 9), Stage.everyProjection(at: start),
                Stage.everyProjection(butOneAt: start),
            ]
            for (script, expected) in zip(scripts, positions) {
                #expect(try await stage.positions(script) == expected)
            }
        }
    }

    @Test func `repeatedly killed projectors leave no ledger behind`() async throws {
        try await Stage.run { stage in
            var scripts = try (0..<30).map { _ in try CompanyScript.eventful() }
            try await stage.follow(scripts)
            for _ in 0..<10 {
                for index in scripts.indices {
                    let before = scripts[index].events.count
                    try scripts[index].openSessions(2)
                    if Int.random(in: 0..<10) == 0 { _ = try scripts[index].register("E-9-\(before)") }
                    try await stage.appendAtOnce(scripts[index], from: before)
                }
                try await stage.following(takesTurns: false) { projector in
                    projector.nudge()
                    try await Task.sleep(for: .milliseconds(Int.random(in: 1...40)))
                }
            }
            try await stage.finish(scripts)
        }
    }
}

extension Stage {
    /// Follows a ledger, or only passes over it, again and again until the task is cancelled.
    fileprivate func follow(_ ledger: LedgerID, onlyPassing: Bool) async throws {
        let views = Set(ProjectionName.all)
        while !Task.isCancelled {
            do {
                let standing = try await pass.run([ledger])[ledger]
                if let standing, standing.isPassed {
                    // Nobody looks at the ledger again before it grows.
                    let reached = try await self.views.position(of: TenantID(ledger.uuid))
                    #expect(reached >= standing.size)
                    continue
                }
                if onlyPassing { continue }
                _ = try await follower.step(ledger, views, from: standing, limit: 3)
            } catch let error as PostgresError where error.code == .cancelled {
            } catch let error as LedgerError {
                guard Task.isCancelled else { throw error }
            }
        }
    }

    /// Reads until the task is cancelled: as many employees as the position of the view says, and never less than before.
    fileprivate func readPrefixes(of script: CompanyScript) async throws -> Int {
        var registered: [Int64] = [0]
        for item in script.events {
            registered.append(registered[registered.count - 1] + (item.event.type == "EmployeeRegistered" ? 1 : 0))
        }
        var connection = try await database.connect(as: .superuser)
        var reached: Int64 = 0, reads = 0
        while !Task.isCancelled {
            do {
                let rows = try await connection.query(
                    """
                    SELECT p.position, (
                        SELECT count(*) FROM tenure.employees AS e
                        WHERE e.ledger_id = p.ledger_id AND e.generation = p.generation)
                    FROM tenure.projection_generation AS g JOIN tenure.projection_progress AS p
                        ON p.projection = g.projection AND p.generation = g.live
                    WHERE p.projection = 'employees' AND p.ledger_id = \(script.tenant.uuid)
                    """)
                let (position, employees) = try #require(rows.first).decode(Int64.self, Int64.self)
                #expect(position >= reached)
                #expect(employees == registered[Int(position)])
                reached = position
                reads += 1
            } catch let error as PostgresError where error.code == .cancelled {}
        }
        return reads
    }

    /// Makes every statement of the reader role wait for whoever holds the lock 42, when it comes upon these rows.
    fileprivate func makeReadersWait(at script: CompanyScript) async throws {
        try await execute(
            """
            CREATE FUNCTION tenure.wait_here() RETURNS boolean LANGUAGE plpgsql
            AS 'BEGIN PERFORM pg_advisory_xact_lock_shared(42); RETURN true; END'
            """)
        try await execute(
            """
            ALTER POLICY projection_progress_for_reader ON tenure.projection_progress
            USING (ledger_id <> \(unsafeSQL: "'\(script.tenant)'") OR tenure.wait_here())
            """)
    }

    /// Waits until somebody waits for a lock.
    fileprivate func waitForWaiting(_ mode: String, _ lock: SQL) async throws {
        for _ in 0..<1_200 {
            let waiting = try await text(
                """
                SELECT mode FROM pg_locks WHERE NOT granted AND \(lock)
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """)
            if waiting == [mode] { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("nobody waits")
    }
}
