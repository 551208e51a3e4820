import Canonical
import FoundationEssentials
@testable import Identity
import Ledger
import Postgres
import TestSupport
import Testing

@testable import Projections

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct ViewsTests {
    @Test func `reads return the fold of the log`() async throws {
        try await Stage.run { stage in
            let script = try CompanyScript.eventful()
            try await stage.append(script)
            try await stage.following { _ in try await stage.settle(script) }
            let state = try script.state()
            let (views, tenant) = (stage.views, script.tenant)
            #expect(try await views.tenant(tenant) == state.tenant)
            #expect(try await views.employees(in: tenant, limit: 100) == state.employees)
            for employee in state.employees {
                let found = try #require(try await views.employee(employee.id, in: tenant))
                #expect(found.employee == employee)
                #expect(found.keys == state.keys.filter { $0.employee == employee.id })
            }
            let admin = try #require(try await views.securityAdmin(of: tenant))
            #expect(admin.admin == state.securityAdmin)
            #expect(admin.employee?.id == state.securityAdmin?.current.employee)
            let pending = try await views.pendingAuthorizations(of: tenant, limit: 100, at: script.now)
            #expect(pending.map(\.authorization) == state.pending)
            #expect(pending.map(\.employee?.id) == state.pending.map(\.employee))
            #expect(!pending.isEmpty)
            let newest = try await views.newestPending(of: tenant, limit: 100, at: script.now)
            #expect(newest.map(\.authorization) == state.pending.reversed())
            let unapproved = try await views.unapproved(in: tenant, limit: 100)
            #expect(unapproved == state.employees.filter { $0.status == .registered }.reversed())
            let people = try await views.waitingPeople(in: tenant, limit: 100, at: script.now)
            let all = Set(state.pending.map(\.employee)).union(unapproved.map(\.id))
            #expect(Set(people.map(\.employee)) == all)
            // However many newer ones there are, those who are asked about are found.
            let oldest = try #require(state.pending.first).employee
            let own = try await views.newestPending(of: tenant, among: [oldest], limit: 1, at: script.now)
            #expect(own.map(\.employee?.id) == [oldest])
            #expect(try await views.unapproved(in: tenant, among: [], limit: 100).isEmpty)
            let known = try await views.employeesWithDevices(Set(state.employees.map(\.id)), in: tenant)
            let decided: Set<EmployeeKeyRow.State> = [.authorized, .revoked]
            #expect(known == Set(state.keys.filter { decided.contains($0.state) }.map(\.employee)))
            let waiting = Set(state.pending.map(\.employee))
            let number = state.pending.count + unapproved.count { !waiting.contains($0.id) }
            #expect(try await views.countWaiting(in: tenant, most: 99, at: script.now) == number)
            #expect(try await views.countWaiting(in: tenant, most: 1, at: script.now) == 1)
        }
    }

    @Test func `waiting for a position triggers a poll, an immediate read does not`() async throws {
        try await Stage.run { stage in
            let script = try CompanyScript.eventful()
            try await stage.append(script)
            let end = Int64(script.events.count), nudges = Lock(0)
            let views = Views(pool: stage.pool) { nudges.withLock { $0 += 1 } }
            // One look may take longer than the patience, and nudges nobody then.
            for _ in 0..<60 where nudges.withLock({ $0 }) == 0 {
                #expect(try await !views.wait(for: end, of: script.tenant, patience: .seconds(1)))
            }
            #expect(nudges.withLock { $0 } > 0)
            try await stage.following { projector in
                // Nobody told this projector of the events; a view takes none of a session, and so nobody will.
                try await stage.settle(script)
                let session = StreamID(ledger: script.ledger, kind: "session", id: UUID())
                for version in 0..<3 {
                    _ = try await stage.appender.append(
                        .test(session, expecting: version, type: "SessionOpened", time: script.now))
                    let views = Views(pool: stage.pool) { projector.nudge() }
                    let position = end + Int64(version) + 1
                    #expect(try await views.wait(for: position, of: script.tenant, patience: .seconds(30)))
                }
            }
            nudges.withLock { $0 = 0 }
            #expect(try await views.wait(for: end + 3, of: script.tenant))
            #expect(nudges.withLock { $0 } == 0)
        }
    }

    @Test func `pages follow one another without a gap`() async throws {
        try await Stage.run { stage in
            var script = CompanyScript()
            for number in 1...7 { _ = try script.register("\(number)") }
            try await stage.append(script)
            try await stage.following { _ in try await stage.settle(script) }
            let state = try script.state()
            var employees: [EmployeeRow] = [], after: Int64 = 0
            while true {
                let page = try await stage.views.employees(in: script.tenant, after: after, limit: 3)
                guard let last = page.last else { break }
                #expect(page.count <= 3)
                employees += page
                after = last.registeredPosition
            }
            #expect(employees == state.employees)
            let first = try await stage.views.pendingAuthorizations(of: script.tenant, limit: 4, at: script.now)
            let cursor = try #require(first.last?.authorization.presented.position)
            let rest = try await stage.views.pendingAuthorizations(
                of: script.tenant, after: cursor, limit: 4, at: script.now)
            #expect((first + rest).map(\.authorization) == state.pending)
        }
    }

    @Test func `an expired pending key is not listed`() async throws {
        try await Stage.run { stage in
            var script = CompanyScript()
            _ = try script.register("1")
            _ = try script.register("2")
            try await stage.append(script)
            try await stage.following { _ in try await stage.settle(script) }
            let end = try #require(try script.state().pending.first).expiresAt
            func count(_ time: Timestamp) async throws -> Int {
                try await stage.views.pendingAuthorizations(of: script.tenant, limit: 10, at: time).count
            }
            #expect(try await count(end) == 1)
            #expect(try await count(end.adding(.microseconds(1))) == 0)
        }
    }

    @Test func `waiting for a position ends when it is reached, or reports a timeout`() async throws {
        try await Stage.run { stage in
            let script = try CompanyScript.eventful()
            let last = Int64(script.events.count)
            try await stage.append(script)
            // Nobody follows yet.
            let began = ContinuousClock.now
            let arrived = try await stage.views.wait(for: last, of: script.tenant, patience: .milliseconds(200))
            #expect(!arrived)
            #expect(ContinuousClock.now - began >= .milliseconds(200))
            try await stage.following { projector in
                async let waiting = stage.views.wait(for: last, of: script.tenant, patience: .seconds(60))
                projector.nudge()
                let arrived = try await waiting
                #expect(arrived)
            }
            #expect(try await stage.views.wait(for: last, of: script.tenant, patience: .zero))
            #expect(try await stage.views.wait(for: 0, of: TenantID(UUID()), patience: .zero))
        }
    }

    @Test func `a tenant sees only its own rows, and the service cannot write any`() async throws {
        try await Stage.run { stage in
            let scripts = [try CompanyScript.eventful(), try CompanyScript.eventful()]
            for script in scripts { try await stage.append(script) }
            try await stage.following { _ in
                for script in scripts { try await stage.settle(script) }
            }
            let tables = [
                "projection_progress", "tenants", "tenant_cancelled_employees", "employees", "employee_keys",
                "first_security_admins", "mpin_identities", "pending_authorizations",
            ]
            for table in tables {
                let ledgers: SQL = "SELECT DISTINCT ledger_id FROM tenure.\(unsafeSQL: table)"
                // Of one company within its scope; without a scope the statement is refused.
                let own = try await stage.pool.query(ledgers, in: [scripts[0].ledger])
                #expect(try own.map { try $0.decode(UUID.self) } == [scripts[0].tenant.uuid])
                await expectRefused {
                    try await stage.pool.withConnection { connection in try await connection.query(ledgers) }
                }
                for statement in ["DELETE FROM", "UPDATE", "INSERT INTO"] {
                    let rest =
                        statement == "UPDATE"
                        ? "SET generation = 1" : statement == "DELETE FROM" ? "" : "DEFAULT VALUES"
                    let sql: SQL = "\(unsafeSQL: statement) tenure.\(unsafeSQL: table) \(unsafeSQL: rest)"
                    await expectRefused { try await stage.pool.query(sql, in: [scripts[0].ledger]) }
                }
            }
            await expectRefused {
                try await stage.pool.query("UPDATE tenure.projection_generation SET live = 9", in: [])
            }
            await expectRefused { try await stage.readers.query("DELETE FROM tenure.event", in: []) }
        }
    }

    private func expectRefused(
        sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> [PostgresRow]
    ) async {
        do {
            _ = try await body()
            Issue.record("the statement was not refused", sourceLocation: sourceLocation)
        } catch {
            #expect((error as? PostgresError)?.sqlState == .insufficientPrivilege, sourceLocation: sourceLocation)
        }
    }
}
