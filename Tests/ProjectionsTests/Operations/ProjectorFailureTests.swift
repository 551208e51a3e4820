import Canonical
import FoundationEssentials
@testable import Identity
import Ledger
import Postgres
import Testing
import TestSupport
@testable import Projections

/// An event that a view cannot take stops that view at that ledger, is told, and is taken once it is mended.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct PoisonTests {
    @Test func `a corrupted entry stops its projections, which resume once it is repaired`()
        async throws
    {
        try await Stage.run { stage in
            let broken = try CompanyScript.eventful(), healthy = try CompanyScript.eventful()
            try await stage.append(broken)
            // A registration: tenants, employees and first security admins take it, keys do not.
            let index = try #require(
                broken.events.indices.dropFirst(2).first { broken.events[$0].event.type == "EmployeeRegistered" })
            let position = Int64(index + 1)
            let entry = try await stage.entry(broken, position)
            try await stage.store([UInt8]("{\"broken\":true}".utf8), broken, position)
            let takers: [ProjectionName] = [.employees, .firstSecurityAdmins, .tenants]
            try await stage.following(retryPause: .milliseconds(300)) { projector in
                try await stage.waitUntil { lag in Set(lag.stopped.map(\.view)) == Set(takers) }
                // Nothing else stops: other views of the company, and other companies.
                try await stage.append(healthy)
                try await stage.settle(healthy)
                let rest = try await stage.text(
                    """
                    SELECT projection FROM tenure.projection_progress
                    WHERE ledger_id = \(broken.tenant.uuid) AND position = \(Int64(broken.events.count)) ORDER BY 1
                    """)
                #expect(rest == ["employee_keys", "mpin_identities", "pending_authorizations"])
                let lag = try await ProjectionLag.read(stage.readers)
                #expect(lag.stopped.allSatisfy { $0.position == position && $0.tenant == broken.tenant })
                #expect(lag.events[.employees] == Int64(broken.events.count) - position + 1)
                #expect(lag.events[.employeeKeys] == 0)
                let health = ViewHealth(pool: stage.readers, projector: projector)
                let metrics = await health.metrics()
                #expect(metrics.contains("tenure_projection_stopped{projection=\"employees\"} 1\n"))
                #expect(metrics.contains("tenure_projection_stopped{projection=\"employee_keys\"} 0\n"))
                #expect(metrics.contains("tenure_projection_lag_events{projection=\"employee_keys\"} 0\n"))
                #expect(metrics.contains("tenure_projector_leading 1\n"))
                #expect(try await health.stops() == [.employees: 1, .firstSecurityAdmins: 1, .tenants: 1])
                // The fix, without a restart.
                try await stage.store(entry, broken, position)
                try await stage.settle(broken)
            }
            try await stage.expectEqual(broken.tenant)
            #expect(try await ProjectionLag.stops(stage.readers).isEmpty)
        }
    }

    @Test func `after one projection stops, the others follow log-ins`() async throws {
        try await Stage.run { stage in
            var script = try CompanyScript.eventful()
            try await stage.append(script)
            let index = try #require(
                script.events.indices.dropFirst(2).first { script.events[$0].event.type == "EmployeeRegistered" })
            let entry = try await stage.entry(script, Int64(index + 1))
            try await stage.store([1, 2, 3], script, Int64(index + 1))
            for projector in 1...2 {
                // The second one has no memory of what has stopped.
                try await stage.following { _ in
                    try await stage.waitUntil { $0.stopped.count == 3 && $0.events[.employeeKeys] == 0 }
                    for _ in 0..<3 {
                        let before = script.events.count
                        try script.openSessions(2)
                        try await stage.append(script, from: before)
                        try await stage.waitUntil { lag in
                            [.employeeKeys, .mpinIdentities, .pendingAuthorizations].allSatisfy { lag.events[$0] == 0 }
                        }
                    }
                }
                let (stop, size) = (Int64(index), Int64(script.events.count))
                #expect(
                    try await stage.positions(script) == [size, stop, stop, size, size, stop], "projector \(projector)")
            }
            try await stage.store(entry, script, Int64(index + 1))
            try await stage.finish([script])
            #expect(try await ProjectionLag.stops(stage.readers).isEmpty)
        }
    }

    @Test func `an event of no projection is not read`() async throws {
        try await Stage.run { stage in
            let script = try CompanyScript.eventful()
            try await stage.append(script)
            let index = try #require(script.events.firstIndex { $0.event.type == "SessionOpened" })
            try await stage.store([1, 2, 3], script, Int64(index + 1))
            try await stage.following { _ in try await stage.settle(script) }
            #expect(try await ProjectionLag.stops(stage.readers).isEmpty)
        }
    }
}

extension Stage {
    fileprivate func entry(_ script: CompanyScript, _ position: Int64) async throws -> [UInt8] {
        var connection = try await database.connect(as: .superuser)
        let rows = try await connection.query(
            "SELECT entry FROM tenure.event WHERE ledger_id = \(script.tenant.uuid) AND position = \(position)")
        return try rows[0].decode([UInt8].self)
    }

    fileprivate func store(_ entry: [UInt8], _ script: CompanyScript, _ position: Int64) async throws {
        let id = script.events[Int(position) - 1].event.id
        try await execute(
            """
            UPDATE tenure.event SET entry = \(entry),
                code = \(EventCodes.test.code(of: entry, id: id, in: LedgerID(script.tenant.uuid)))
            WHERE ledger_id = \(script.tenant.uuid) AND position = \(position)
            """)
    }
}

/// The server crashes while a projector follows.
@Suite(.enabled(if: ThrowawayCluster.isAvailable, "\(ThrowawayCluster.hint)"))
struct ServerCrashTests {
    @Test func `after crashes of the server the projections equal the fold of the log`() async throws {
        try await ThrowawayCluster.with { cluster in
            try await Stage.run(on: cluster.url) { stage in
                var script = CompanyScript()
                for number in 1...40 {
                    let employee = try script.register("\(number)")
                    if number % 3 == 0 { try script.cancel(employee) }
                }
                let whole = script
                try await stage.following(pageSize: 5) { projector in
                    for (index, item) in whole.events.enumerated() {
                        if [20, 60].contains(index) {
                            let victim = try await stage.database.connect(as: .superuser)
                            cluster.crash(backend: victim.processID)
                        }
                        try await stage.persist(item)
                        projector.nudge()
                    }
                    try await stage.settle(whole)
                }
                try await stage.expectEqual(whole.tenant)
            }
        }
    }
}

extension Stage {
    /// Appends one event of a script, again and again until it is known to be recorded.
    fileprivate func persist(_ item: (event: NewEvent, version: Int, time: Timestamp)) async throws {
        let append = Append(
            events: [item.event], expectations: [item.event.stream: item.version - 1], time: item.time)
        for _ in 0..<200 {
            do {
                _ = try await appender.append(append)
                return
            } catch {
                guard [.unavailable, .outcomeUnknown, .busy].contains(error.code) else { throw error }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        Issue.record("the server did not come back")
    }
}
