import Canonical
import FoundationEssentials
@testable import Identity
import Ledger
import Postgres
import TestSupport
import Testing

@testable import Projections

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct RebuildTests {
    @Test func `a rebuild of a correct projection finds no difference and deletes the old generation`()
        async throws
    {
        try await Stage.run { stage in
            let scripts = try (0..<3).map { _ in try CompanyScript.eventful() }
            try await stage.follow(scripts)
            let report = try await stage.rebuild.run(RebuildRequest())
            #expect(report.differences == [])
            #expect(report.hasSwitched)
            #expect(report.companies == 3)
            #expect(report.events == Int64(scripts.map(\.events.count).reduce(0, +)))
            #expect(try await stage.text("SELECT DISTINCT live::text FROM tenure.projection_generation") == ["2"])
            for table in ["projection_progress", "tenants", "employees", "employee_keys", "tenant_cancelled_employees"]
            {
                let generations = try await stage.text(
                    "SELECT DISTINCT generation::text FROM tenure.\(unsafeSQL: table)")
                #expect(generations == ["2"])
            }
            for script in scripts { try await stage.expectEqual(script.tenant) }
        }
    }

    @Test func `a dry run reports each kind of difference and changes nothing`() async throws {
        try await Stage.run { stage in
            let script = try CompanyScript.eventful()
            try await stage.follow([script])
            let employees = try script.state().employees
            try await stage.damage(employees)
            let report = try await stage.rebuild.run(RebuildRequest(isDryRun: true))
            #expect(!report.hasSwitched)
            #expect(
                Set(report.differences.map { "\($0.table) \($0.key) \($0.kind)" }) == [
                    "employees \(employees[1].id) missing",
                    "employees \(employees[2].id) changed(columns: [\"is_approved\", \"status\"])",
                    "tenants  changed(columns: [\"employees\"])",
                    "tenant_cancelled_employees \(employees[2].id) unexpected",
                ])
            #expect(report.differences.allSatisfy { $0.tenant == script.tenant })
            // Nothing is left of the run, and the damage is still there.
            #expect(try await stage.text("SELECT DISTINCT live::text FROM tenure.projection_generation") == ["1"])
            #expect(try await stage.text("SELECT DISTINCT building::text FROM tenure.projection_generation") == [nil])
            #expect(try await stage.text("SELECT DISTINCT generation::text FROM tenure.employees") == ["1"])
            #expect(try await stage.rebuild.run(RebuildRequest(isDryRun: true)).differences.count == 4)
        }
    }

    @Test func `a rebuild repairs damage, also of one tenant or one projection`() async throws {
        try await Stage.run { stage in
            let mended = try CompanyScript.eventful()
            let other = try CompanyScript.eventful()
            try await stage.follow([mended, other])
            for script in [mended, other] { try await stage.damage(try script.state().employees) }
            let one = try await stage.rebuild.run(RebuildRequest(views: [.employees], tenant: mended.tenant))
            #expect(one.differences.count == 2)
            let left = try await stage.rebuild.run(RebuildRequest(isDryRun: true)).differences
            #expect(left.filter { $0.tenant == mended.tenant }.map(\.view) == [.tenants, .tenants])
            #expect(left.filter { $0.tenant == other.tenant }.count == 4)
            _ = try await stage.rebuild.run(RebuildRequest())
            for script in [mended, other] { try await stage.expectEqual(script.tenant) }
        }
    }

    @Test func `a rebuild during writes never shows readers fewer rows`() async throws {
        try await Stage.run { stage in
            var script = CompanyScript()
            for number in 1...40 { _ = try script.register("\(number)") }
            try await stage.follow([script])
            let initial = script.events.count
            for number in 41...120 { _ = try script.register("\(number)") }
            let whole = script
            try await stage.following { _ in
                async let writing: Void = stage.append(whole, from: initial)
                let reading = Task { try await stage.readUntilCancelled(whole.tenant, atLeast: 40) }
                for _ in 0..<4 { #expect(try await stage.rebuild.run(RebuildRequest()).differences == []) }
                try await writing
                try await stage.settle(whole)
                reading.cancel()
                let reads = try await reading.value
                #expect(reads > 20)
            }
            try await stage.expectEqual(whole.tenant)
        }
    }

    @Test func `a killed rebuild resumes where it was`() async throws {
        try await Stage.run { stage in
            var script = CompanyScript()
            for number in 1...600 { _ = try script.register("\(number)") }
            try await stage.appendAtOnce(script)
            try await stage.following { _ in try await stage.settle(script) }
            let killed = Task {
                try await Rebuild(pool: stage.readers, codes: .test, logger: TestServer.logger(), pageSize: 500)
                    .run(RebuildRequest()) { _ in withUnsafeCurrentTask { $0?.cancel() } }
            }
            await #expect(throws: (any Error).self) { try await killed.value }
            let built = try await stage.text(
                "SELECT min(position)::text FROM tenure.projection_progress WHERE generation = 2")
            #expect(built == ["500"])
            #expect(try await stage.text("SELECT DISTINCT live::text FROM tenure.projection_generation") == ["1"])
            let report = try await stage.rebuild.run(RebuildRequest())
            #expect(report.differences == [])
            #expect(try await stage.text("SELECT DISTINCT live::text FROM tenure.projection_generation") == ["2"])
            try await stage.expectEqual(script.tenant)
        }
    }

    @Test func `a rebuild that another revision began is not resumed`() async throws {
        try await Stage.run { stage in
            let script = try CompanyScript.eventful()
            try await stage.follow([script])
            try await stage.execute(
                "UPDATE tenure.projection_generation SET building = 5, building_revision = 99")
            try await stage.execute(
                """
                INSERT INTO tenure.projection_progress (ledger_id, projection, generation, position)
                SELECT ledger_id, projection, 5, position FROM tenure.projection_progress
                """)
            let report = try await stage.rebuild.run(RebuildRequest())
            #expect(report.differences == [])
            #expect(try await stage.text("SELECT DISTINCT live::text FROM tenure.projection_generation") == ["6"])
            try await stage.expectEqual(script.tenant)
        }
    }

    @Test func `a rebuilt projection that stops earlier does not replace the live one`() async throws {
        try await Stage.run { stage in
            let script = try CompanyScript.eventful()
            try await stage.follow([script])
            // As if this program did not know an event that the one before it knew.
            try await stage.execute("UPDATE tenure.projection_progress SET position = 1000")
            try await stage.execute("UPDATE tenure.ledger SET size = 1000 WHERE ledger_id = \(script.tenant.uuid)")
            var poisoned = script
            poisoned.addUnknown()
            let event = try #require(try poisoned.recorded().last)
            try await stage.execute(
                """
                INSERT INTO tenure.event (ledger_id, position, event_id, stream_id, kind, version, type, time, entry, code)
                VALUES (\(script.tenant.uuid), \(event.position), \(event.id), \(event.stream.id), 'thing', 1,
                    'ThingHappened', \(PostgresTimestamp(microsecondsSinceUnixEpoch: event.time.microseconds)),
                    \(event.entry), \(EventCodes.test.code(of: event.entry, id: event.id, in: event.ledger)))
                """)
            let dry = try await stage.rebuild.run(RebuildRequest(isDryRun: true)).differences
            #expect(dry.count == ProjectionName.all.count)
            for difference in dry {
                guard case .stopped(let position, let reason) = difference.kind else {
                    Issue.record("\(difference)")
                    continue
                }
                #expect(position == event.position)
                #expect(reason.contains("event.unknown_type"))
            }
            let before = try await stage.rows(script)
            let report = try await stage.rebuild.run(RebuildRequest())
            #expect(report.kept.map(\.view) == ProjectionName.all.sorted())
            #expect(report.kept.allSatisfy { $0.tenant == script.tenant && $0.position == event.position })
            #expect(try await stage.rows(script) == before)
            await #expect(throws: ProjectionError.self) {
                try await stage.rebuild.run(RebuildRequest(tenant: script.tenant))
            }
            #expect(try await stage.rows(script) == before)
        }
    }
}

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct DamagedLedgerTests {
    @Test func `one damaged event stops the rebuild of its own ledger only, which keeps its rows and is named`()
        async throws
    {
        try await Stage.run { stage in
            let scripts = try (0..<3).map { _ in try CompanyScript.eventful() }
            try await stage.follow(scripts)
            let position = try await stage.damageRegistration(scripts[1])
            // The rows of every company differ from the log.
            try await stage.execute("UPDATE tenure.employees SET is_appointed = NOT is_appointed")
            let before = try await stage.rows(scripts[1])
            let report = try await stage.rebuild.run(RebuildRequest())
            #expect(report.hasSwitched)
            #expect(Set(report.kept.map(\.view)) == [.employees, .firstSecurityAdmins, .tenants])
            #expect(report.kept.allSatisfy { $0.tenant == scripts[1].tenant && $0.position == position })
            for script in [scripts[0], scripts[2]] { try await stage.expectEqual(script.tenant) }
            #expect(try await stage.rows(scripts[1]) == before)
            for table in ["projection_progress", "tenants", "employees", "employee_keys", "first_security_admins"] {
                let generations = try await stage.text(
                    "SELECT DISTINCT generation::text FROM tenure.\(unsafeSQL: table)")
                #expect(generations == ["2"], "\(table)")
            }
            // The kept projections go on, and so does the next rebuild.
            var longer = scripts[1]
            let count = longer.events.count
            _ = try longer.register("later")
            try await stage.append(longer, from: count)
            try await stage.following { _ in try await stage.settle(longer) }
            #expect(try await stage.rebuild.run(RebuildRequest()).kept.count == 3)
            #expect(try await stage.text("SELECT DISTINCT live::text FROM tenure.projection_generation") == ["3"])
        }
    }

    @Test func `a row that the database refuses stops one projection of its own ledger only`() async throws {
        try await Stage.run { stage in
            let scripts = try (0..<3).map { _ in try CompanyScript.eventful() }
            try await stage.follow(scripts)
            // The live row satisfies the constraint, and the one that follows from the log does not.
            let tenant = scripts[1].tenant
            try await stage.execute("UPDATE tenure.tenants SET employees = 0 WHERE ledger_id = \(tenant.uuid)")
            try await stage.execute(
                """
                ALTER TABLE tenure.tenants ADD CONSTRAINT tenants_refused
                CHECK (ledger_id <> '\(unsafeSQL: tenant.description)' OR employees = 0) NOT VALID
                """)
            try await stage.execute("UPDATE tenure.employees SET is_appointed = NOT is_appointed")
            let report = try await stage.rebuild.run(RebuildRequest())
            #expect(report.kept.map(\.view) == [.tenants])
            #expect(report.kept.map(\.tenant) == [tenant])
            for script in [scripts[0], scripts[2]] { try await stage.expectEqual(script.tenant) }
            let state = try await StateAt(reader: stage.reader).company(tenant)
            let (_, left) = try await LiveViews(pool: stage.readers).compare(state, of: tenant)
            #expect(left.map(\.view) == [.tenants])
            try await stage.execute("ALTER TABLE tenure.tenants DROP CONSTRAINT tenants_refused")
            #expect(try await stage.rebuild.run(RebuildRequest()).kept == [])
            try await stage.expectEqual(tenant)
        }
    }

    @Test func `an upgrade of projections ends although one ledger is damaged`() async throws {
        try await Stage.run { stage in
            let scripts = try (0..<2).map { _ in try CompanyScript.eventful() }
            try await stage.follow(scripts)
            _ = try await stage.damageRegistration(scripts[0])
            try await stage.execute(
                "UPDATE tenure.projection_generation SET live_revision = 0 WHERE projection = 'employees'")
            try await stage.execute("UPDATE tenure.employees SET status = 'registered'")
            let isDone = try await ViewUpgrade(pool: stage.readers, codes: .test, logger: TestServer.logger()).upgrade()
            #expect(isDone)
            #expect(try await ViewRevisions.read(stage.readers).outdated.isEmpty)
            try await stage.expectEqual(scripts[1].tenant)
        }
    }
}

extension Stage {
    /// Damages a registration, which tenants, employees and first security admins consume. Returns its position.
    @discardableResult
    func damageRegistration(_ script: CompanyScript) async throws -> Int64 {
        let index = try #require(
            script.events.indices.dropFirst(2).first { script.events[$0].event.type == "EmployeeRegistered" })
        let entry = Array("{}".utf8)
        try await execute(
            """
            UPDATE tenure.event SET entry = \(entry),
                code = \(EventCodes.test.code(
                    of: entry, id: script.events[index].event.id, in: LedgerID(script.tenant.uuid)))
            WHERE ledger_id = \(script.tenant.uuid) AND position = \(Int64(index + 1))
            """)
        return Int64(index + 1)
    }

    /// The live rows of a company in all tables, but for the number of their generation.
    fileprivate func rows(_ script: CompanyScript) async throws -> [String?] {
        var rows: [String?] = []
        for table in ReadModels.all.flatMap({ $0.tables }).map({ $0.tableName }).sorted() {
            rows += try await text(
                """
                SELECT (to_jsonb(t) - 'generation')::text FROM tenure.\(unsafeSQL: table) AS t
                WHERE ledger_id = \(script.tenant.uuid)
                    AND generation = (SELECT max(live) FROM tenure.projection_generation) ORDER BY 1
                """)
        }
        return rows
    }

    /// Damages the rows of a company in four ways.
    fileprivate func damage(_ employees: [EmployeeRow]) async throws {
        let id = employees[2].id.uuid
        try await execute("DELETE FROM tenure.employees WHERE employee_id = \(employees[1].id.uuid)")
        try await execute(
            "UPDATE tenure.employees SET status = 'registered', is_approved = false WHERE employee_id = \(id)")
        try await execute(
            """
            UPDATE tenure.tenants SET employees = employees + 1 WHERE ledger_id =
                (SELECT ledger_id FROM tenure.employees WHERE employee_id = \(id))
            """)
        try await execute(
            """
            INSERT INTO tenure.tenant_cancelled_employees
            SELECT ledger_id, generation, employee_id FROM tenure.employees WHERE employee_id = \(id)
            """)
    }

    /// Reads again and again; no read may show less than one before it. Returns how often it read.
    fileprivate func readUntilCancelled(_ tenant: TenantID, atLeast: Int64) async throws -> Int {
        var employees = atLeast, position: Int64 = 0, reads = 0
        while !Task.isCancelled {
            do {
                let row = try #require(try await views.tenant(tenant))
                #expect(row.employees >= employees)
                employees = row.employees
                let list = try await views.employees(in: tenant, limit: 1_000)
                #expect(list.count >= Int(employees))
                let reached = try await views.position(of: tenant)
                #expect(reached >= position)
                position = reached
                #expect(try await views.securityAdmin(of: tenant)?.employee != nil)
                reads += 1
            } catch let error as PostgresError where error.code == .cancelled {}
        }
        return reads
    }
}
