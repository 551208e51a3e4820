import FoundationEssentials
import Postgres
import Testing
import TestSupport
@testable import Projections

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct TakingTurnsTests {
    @Test func `one of two projectors works, and the other takes over when it stops`() async throws {
        try await Stage.run { stage in
            let before = try CompanyScript.eventful(), after = try CompanyScript.eventful()
            // Not the lease of three seconds, which a machine that stands still for as long would end.
            let first = Projector(
                pool: stage.readers, codes: .test, logger: TestServer.logger(), pageSize: LedgerFollower.pageSize,
                leaseLifetime: .seconds(3_600))
            let running = Task { try await first.run() }
            try await stage.append(before)
            try await stage.settle(before)
            #expect(first.isLeading)
            try await stage.following { second in
                try await Task.sleep(for: .milliseconds(400))
                #expect(first.isLeading && !second.isLeading)
                running.cancel()
                try await running.value
                #expect(!first.isLeading)
                try await stage.append(after)
                try await stage.settle(after)
                #expect(second.isLeading)
            }
            for script in [before, after] { try await stage.expectEqual(script.tenant) }
        }
    }

    @Test func `another projector replaces a vanished one within seconds`() async throws {
        try await Stage.run { stage in
            let script = try CompanyScript.eventful()
            try await stage.append(script)
            // As a killed process leaves it: a lease that nobody renews, and nothing else.
            try await stage.execute(
                """
                INSERT INTO tenure.lease (name, holder, expires_at)
                VALUES ('projector', \(UUID()), clock_timestamp() + interval '1 hour')
                """)
            try await stage.following { _ in
                let early = try await stage.views.wait(for: 1, of: script.tenant, patience: .milliseconds(500))
                #expect(!early)
                try await stage.execute(
                    "UPDATE tenure.lease SET expires_at = clock_timestamp() WHERE name = 'projector'")
                try await stage.settle(script)
            }
            try await stage.expectEqual(script.tenant)
        }
    }

    @Test func `a lease has one holder, can be renewed and ends on release`() async throws {
        try await Stage.run { stage in
            let hour: Duration = .seconds(3_600)
            var first = LeaderLease("test", pool: stage.readers, lifetime: hour)
            var second = LeaderLease("test", pool: stage.readers, lifetime: hour)
            var third = LeaderLease("other", pool: stage.readers, lifetime: hour)
            let answers = [
                try await first.hold(), try await first.hold(), try await second.hold(), try await third.hold(),
            ]
            #expect(answers == [true, true, false, true])
            await second.release()
            let held = try await stage.text("SELECT name FROM tenure.lease ORDER BY name")
            #expect(held == ["other", "test"])
            await first.release()
            var fourth = LeaderLease("test", pool: stage.readers)
            let isFree = try await fourth.hold()
            #expect(isFree)
        }
    }

    @Test func `a hint arrives even after a lost connection`() async throws {
        try await Stage.run { stage in
            let hints = FeedHints(pool: stage.pool, logger: TestServer.logger())
            let (heard, hear) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
            let tasks = [
                Task { try await hints.run() },
                Task { await FeedHints.listen(stage.readers, TestServer.logger()) { hear.yield() } },
                // Hints may be lost, so they are given again and again.
                Task {
                    while (try? await Task.sleep(for: .milliseconds(20))) != nil { hints.signal() }
                },
            ]
            var iterator = heard.makeAsyncIterator()
            let first: Void? = await iterator.next()
            #expect(first != nil)
            try await stage.execute(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND usename = 'tenure_reader'
                """)
            // One may have been heard before the loss.
            _ = await iterator.next()
            let later: Void? = await iterator.next()
            #expect(later != nil)
            for task in tasks { task.cancel() }
        }
    }

    @Test func `a starting projector finds what an earlier one missed`() async throws {
        try await Stage.run { stage in
            let script = try CompanyScript.eventful()
            try await stage.append(script)
            // As in a database that was restored from a dump, where the numbers of transactions mean nothing.
            try await stage.execute("UPDATE tenure.ledger SET changed = '18446744073709551615'")
            try await stage.following { _ in try await stage.settle(script) }
            try await stage.execute("UPDATE tenure.ledger SET changed = '0'")
            try await stage.execute("UPDATE tenure.projection_progress SET position = 3")
            try await stage.execute("DELETE FROM tenure.employees")
            try await stage.following { _ in try await stage.settle(script) }
            #expect(try await stage.text("SELECT DISTINCT position::text FROM tenure.projection_progress").count == 1)
        }
    }
}

struct PollPaceTests {
    private let start = ContinuousClock.now

    @Test func `the first poll is due at once, and after a change the next one after the shortest pause`() {
        var pace = PollPace()
        #expect(pace.isDue(at: start))
        pace.looked(.changes, took: .milliseconds(1), at: start)
        #expect(!pace.isDue(at: start + PollPace.shortest - .nanoseconds(1)))
        #expect(pace.isDue(at: start + PollPace.shortest))
    }

    @Test func `pauses between idle polls grow up to the longest`() {
        var pace = PollPace()
        for _ in 0..<20 { pace.looked(.nothing, took: .zero, at: start) }
        #expect(!pace.isDue(at: start + PollPace.longest - .nanoseconds(1)))
        #expect(pace.isDue(at: start + PollPace.longest))
        pace.looked(.changes, took: .zero, at: start)
        #expect(pace.isDue(at: start + PollPace.shortest))
    }

    @Test func `a slow idle poll is followed by a pause of four times its duration`() {
        var pace = PollPace()
        pace.looked(.nothing, took: .milliseconds(500), at: start)
        #expect(!pace.isDue(at: start + .milliseconds(1_999)))
        #expect(pace.isDue(at: start + .milliseconds(2_000)))
        pace.looked(.changes, took: .milliseconds(500), at: start)
        #expect(pace.isDue(at: start + PollPace.shortest))
    }

    @Test func `pauses grow while only positions move, within the longest pause`() {
        var pace = PollPace()
        pace.looked(.positions, took: .zero, at: start)
        #expect(!pace.isDue(at: start + PollPace.shortest))
        #expect(pace.isDue(at: start + PollPace.shortest * 3 / 2))
        for _ in 0..<20 { pace.looked(.positions, took: .seconds(3), at: start) }
        #expect(!pace.isDue(at: start + PollPace.longest - .nanoseconds(1)))
        #expect(pace.isDue(at: start + PollPace.longest))
        pace.looked(.changes, took: .zero, at: start)
        #expect(pace.isDue(at: start + PollPace.shortest))
    }

    @Test func `nudges right after a poll share the next poll`() {
        var pace = PollPace()
        #expect(pace.gap(at: start) == .zero)
        pace.looked(.changes, took: .zero, at: start)
        #expect(pace.gap(at: start) == PollPace.nudged)
        #expect(pace.gap(at: start + .milliseconds(4)) == PollPace.nudged - .milliseconds(4))
        #expect(pace.gap(at: start + .seconds(1)) == .zero)
    }

    @Test func `a failure and another program's lease cause a long pause`() {
        var pace = PollPace()
        pace.failed(at: start)
        #expect(!pace.isDue(at: start + .milliseconds(999)))
        pace.waits(at: start)
        #expect(!pace.isDue(at: start + PollPace.longest - .nanoseconds(1)))
        #expect(pace.isDue(at: start + PollPace.longest))
    }
}
