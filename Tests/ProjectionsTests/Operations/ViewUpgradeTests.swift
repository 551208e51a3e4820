import FoundationEssentials
@testable import Identity
import Postgres
import TestSupport
import Testing

@testable import Projections

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct ViewUpgradeTests {
    private func upgrade(_ stage: Stage) -> ViewUpgrade {
        ViewUpgrade(pool: stage.readers, codes: .test, logger: TestServer.logger())
    }

    /// As if an earlier revision of the program had folded the employees, by other rules.
    private func leaveOldRows(_ stage: Stage) async throws {
        try await stage.execute(
            "UPDATE tenure.projection_generation SET live_revision = 0 WHERE projection = 'employees'")
        try await stage.execute("UPDATE tenure.employees SET status = 'registered'")
    }

    @Test func `projections of an earlier revision are rebuilt while the service runs`() async throws {
        try await Stage.run { stage in
            let script = try CompanyScript.eventful(), later = try CompanyScript.eventful()
            try await stage.append(script)
            try await stage.following { _ in
                try await stage.settle(script)
                try await leaveOldRows(stage)
                let upgrading = Task { try await upgrade(stage).run() }
                try await stage.append(later)
                try await stage.settle(later)
                while try await !ViewRevisions.read(stage.readers).outdated.isEmpty {
                    #expect(try await stage.views.tenant(script.tenant) != nil)
                    try await Task.sleep(for: .milliseconds(20))
                }
                upgrading.cancel()
                try await upgrading.value
                try await stage.expectEqual(script.tenant)
                try await stage.settle(later)
                try await stage.expectEqual(later.tenant)
            }
            // Only that view was built.
            let built = try await stage.text("SELECT projection FROM tenure.projection_generation WHERE live > 1")
            #expect(built == ["employees"])
            #expect(try await upgrade(stage).upgrade())
        }
    }

    @Test func `a process does not rebuild while another one does`() async throws {
        try await Stage.run { stage in
            try await leaveOldRows(stage)
            var other = LeaderLease("rebuild", pool: stage.readers)
            let isHeld = try await other.hold()
            #expect(isHeld)
            // Nobody renews it here, and an upgrade may take longer than it lasts.
            try await stage.execute("UPDATE tenure.lease SET expires_at = expires_at + interval '1 hour'")
            let isDone = try await upgrade(stage).upgrade()
            #expect(!isDone)
            await other.release()
            let isDoneNow = try await upgrade(stage).upgrade()
            #expect(isDoneNow)
            #expect(try await ViewRevisions.read(stage.readers).outdated.isEmpty)
        }
    }

    @Test func `an earlier revision neither updates nor rebuilds what a later one has built`()
        async throws
    {
        try await Stage.run { stage in
            let script = try CompanyScript.eventful()
            try await stage.append(script)
            try await stage.execute(
                "UPDATE tenure.projection_generation SET live_revision = 99 WHERE projection = 'tenants'")
            try await stage.following { projector in
                let moved = try await stage.views.wait(for: 1, of: script.tenant, patience: .milliseconds(600))
                #expect(!moved && !projector.isLeading)
            }
            // Nor one that works without a turn.
            try await stage.following(takesTurns: false) { _ in
                let moved = try await stage.views.wait(for: 1, of: script.tenant, patience: .milliseconds(600))
                #expect(!moved)
            }
            await #expect(throws: ProjectionError.self) { try await stage.rebuild.run(RebuildRequest()) }
        }
    }
}
