import FoundationEssentials
@testable import Identity
import Ledger
import Postgres
import TestSupport
import Testing

@testable import Projections

/// What a pass moves, and what it leaves alone.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct LedgerPassTests {
    @Test func `ledgers with only log-ins are passed in one transaction`()
        async throws
    {
        try await Stage.run { stage in
            var scripts = try (0..<5).map { _ in try CompanyScript.eventful() }
            try await stage.follow(scripts)
            let before = Int64(scripts[4].events.count)
            for index in scripts.indices { try scripts[index].openSessions(3) }
            _ = try scripts[4].register("new")
            for script in scripts { try await stage.append(script, from: Int(before)) }
            let standings = try await stage.pass.run(scripts.map(\.ledger))
            for script in scripts.dropLast() {
                let size = Int64(script.events.count)
                #expect(standings[script.ledger] == .init(position: before, size: size, isPassed: true))
                #expect(try await stage.positions(script) == Stage.everyProjection(at: size))
            }
            let size = Int64(scripts[4].events.count)
            #expect(standings[scripts[4].ledger] == .init(position: before, size: size, isPassed: false))
            #expect(try await stage.positions(scripts[4]) == Stage.everyProjection(at: before))
            let others = scripts.dropLast().map(\.tenant.uuid)
            let rows: SQL = """
                SELECT DISTINCT xmin::text FROM tenure.projection_progress WHERE ledger_id = ANY (\(others))
                """
            let transactions = try await stage.text(rows)
            #expect(transactions.count == 1)
            // Nothing is left to do, and nothing is written.
            let again = try await stage.pass.run(scripts.dropLast().map(\.ledger))
            #expect(again.values.allSatisfy { $0.isPassed && $0.position == $0.size } && again.count == 4)
            #expect(try await stage.text(rows) == transactions)
            try await stage.finish(scripts)
        }
    }

    @Test func `a round moves all ledgers with log-ins in one transaction`() async throws {
        try await Stage.run { stage in
            var scripts = try (0..<20).map { _ in try CompanyScript.eventful() }
            let start = scripts[0].events.count
            for script in scripts { try await stage.appendAtOnce(script) }
            var round = ProjectorRound(pool: stage.readers, codes: .test, logger: TestServer.logger(), pageSize: 500)
            // The first look finds nothing and sweeps, the second one begins with a mark.
            while try await round.run().more {}
            for index in scripts.indices {
                try scripts[index].openSessions(2)
                try await stage.appendAtOnce(scripts[index], from: start)
            }
            let found = try await round.run().found
            #expect(found == .positions)
            for script in scripts {
                #expect(try await stage.positions(script) == Stage.everyProjection(at: Int64(script.events.count)))
            }
            #expect(try await stage.text("SELECT DISTINCT xmin::text FROM tenure.projection_progress").count == 1)
        }
    }

    @Test func `a ledger with refused rows does not hold up the others in its pass`()
        async throws
    {
        try await Stage.run { stage in
            var scripts = try (0..<5).map { _ in try CompanyScript.eventful() }
            try await stage.follow(scripts)
            let start = scripts[0].events.count
            try await stage.execute(
                """
                ALTER TABLE tenure.projection_progress ADD CONSTRAINT refused
                CHECK (ledger_id <> \(unsafeSQL: "'\(scripts[2].tenant)'") OR position <= \(unsafeSQL: "\(start)"))
                """)
            for index in scripts.indices {
                try scripts[index].openSessions(2)
                try await stage.appendAtOnce(scripts[index], from: start)
            }
            let ledgers = scripts.map(\.ledger)
            await #expect(throws: PostgresError.self) { try await stage.pass.run(ledgers) }
            try await stage.following { _ in
                for index in [0, 1, 3, 4] { try await stage.settle(scripts[index]) }
                #expect(try await stage.positions(scripts[2]) == Stage.everyProjection(at: Int64(start)))
                try await stage.execute("ALTER TABLE tenure.projection_progress DROP CONSTRAINT refused")
                try await stage.settle(scripts[2])
            }
        }
    }

    @Test func `a pass stops at an unknown event and at its limit`() async throws {
        try await Stage.run { stage in
            var unknown = try CompanyScript.eventful(), long = try CompanyScript.eventful()
            try await stage.follow([unknown, long])
            let start = unknown.events.count
            try unknown.openSessions(1)
            unknown.addUnknown()
            try long.openSessions(Int(LedgerPass.reach) + 1)
            try await stage.append(unknown, from: start)
            try await stage.appendAtOnce(long, from: start)
            let standings = try await stage.pass.run([unknown.ledger, long.ledger])
            #expect(standings[unknown.ledger]?.isPassed == false)
            #expect(standings[long.ledger]?.isPassed == false)
            #expect(try await stage.positions(unknown) == Stage.everyProjection(at: Int64(start)))
            try await stage.finish([long])
        }
    }

    @Test func `a pass skips a ledger with a missing or locked row, a stopped projection or a later revision`()
        async throws
    {
        try await Stage.run { stage in
            var scripts = try (0..<4).map { _ in try CompanyScript.eventful() }
            try await stage.follow(scripts)
            let start = scripts[0].events.count
            for index in scripts.indices {
                try scripts[index].openSessions(2)
                try await stage.append(scripts[index], from: start)
            }
            let (missing, stopped, held, healthy) = (scripts[0], scripts[1], scripts[2], scripts[3])
            try await stage.execute(
                """
                DELETE FROM tenure.projection_progress
                WHERE ledger_id = \(missing.tenant.uuid) AND projection = 'pending_authorizations'
                """)
            try await stage.execute(
                """
                UPDATE tenure.projection_progress SET failed_at_position = position + 1, failure = 'test'
                WHERE ledger_id = \(stopped.tenant.uuid) AND projection = 'employees'
                """)
            var other = try await stage.database.connect(as: .reader)
            try await other.withTransaction { connection in
                try await connection.execute(
                    """
                    SELECT FROM tenure.projection_progress
                    WHERE ledger_id = \(held.tenant.uuid) AND projection = 'tenants' FOR UPDATE
                    """)
                // It does not wait for the row, and the others do not wait either.
                let standings = try await stage.pass.run(scripts.map(\.ledger))
                #expect(Set(standings.keys) == [healthy.ledger])
                #expect(standings[healthy.ledger]?.isPassed == true)
            }
            for script in [stopped, held] {
                #expect(try await stage.positions(script) == Stage.everyProjection(at: Int64(start)))
            }
            #expect(try await stage.positions(missing) == Stage.everyProjection(butOneAt: Int64(start)))
            // The ordinary path makes the row, and goes on where it was.
            let step = try await stage.follower.step(missing.ledger, Set(ProjectionName.all))
            #expect(step?.position == Int64(missing.events.count))
            #expect(try await stage.positions(missing).count == ReadModels.all.count)
            try await stage.execute(
                "UPDATE tenure.projection_generation SET live_revision = 99 WHERE projection = 'tenants'")
            let outlived = try await stage.pass.run([held.ledger])
            #expect(outlived.isEmpty)
            let refused = try await stage.follower.step(held.ledger, Set(ProjectionName.all))
            #expect(refused == nil)
            #expect(try await stage.positions(held) == Stage.everyProjection(at: Int64(start)))
        }
    }

    @Test func `rows that are ahead stay, and those behind determine the position`() async throws {
        try await Stage.run { stage in
            var script = CompanyScript()
            let founder = try script.register("1")
            try await stage.follow([script])
            let start = Int64(script.events.count)
            try script.openSession(founder)
            _ = try script.register("2")
            try script.openSession(founder)
            try await stage.append(script, from: Int(start))
            let whole = Int64(script.events.count)
            // One view has read everything: what the others have not read is not passed over for its sake.
            _ = try await stage.follower.step(script.ledger, [.employeeKeys])
            let behind = try await stage.pass.run([script.ledger])
            #expect(behind[script.ledger] == .init(position: start, size: whole, isPassed: false))
            try await stage.finish([script])
            // A head that is behind its views, as no server can have it, takes none back.
            try await stage.execute("UPDATE tenure.ledger SET size = 1")
            let odd = try await stage.pass.run([script.ledger])
            #expect(odd[script.ledger]?.position == whole)
            #expect(try await stage.positions(script) == Stage.everyProjection(at: whole))
        }
    }
}

extension CompanyScript {
    /// Adds log-ins, which change no view.
    mutating func openSessions(_ count: Int) throws {
        let employee = EmployeeID(UUID())
        for _ in 0..<count { try openSession(employee) }
    }
}

extension Stage {
    var pass: LedgerPass { LedgerPass(pool: readers) }
    var follower: LedgerFollower { LedgerFollower(pool: readers, reader: reader) }

    /// The ``positions(_:)`` of a company whose projections have all reached a position.
    static func everyProjection(at position: Int64) -> [Int64] {
        Array(repeating: position, count: ReadModels.all.count)
    }

    /// The ``positions(_:)`` of a company in which one projection has no row.
    static func everyProjection(butOneAt position: Int64) -> [Int64] { Array(everyProjection(at: position).dropLast()) }

    /// The positions of the live views of a company, in the order of their names.
    func positions(_ script: CompanyScript) async throws -> [Int64] {
        var connection = try await database.connect(as: .superuser)
        return try await connection.query(
            """
            SELECT p.position FROM tenure.projection_progress AS p
            JOIN tenure.projection_generation AS g ON g.projection = p.projection AND g.live = p.generation
            WHERE p.ledger_id = \(script.tenant.uuid) ORDER BY p.projection
            """
        ).map { try $0.decode(Int64.self) }
    }

    /// Appends scripts and lets a projector follow them.
    func follow(_ scripts: [CompanyScript]) async throws {
        for script in scripts { try await appendAtOnce(script) }
        try await finish(scripts)
    }

    /// Lets a projector follow to the end, and holds the views against the log.
    func finish(_ scripts: [CompanyScript]) async throws {
        try await following { _ in
            for script in scripts { try await settle(script) }
        }
        for script in scripts { try await expectEqual(script.tenant) }
    }
}
