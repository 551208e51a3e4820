import Canonical
import Ledger
import Postgres
import TestSupport
import Testing

@testable import Projections

/// The server crashes while a projector follows.
@Suite(.enabled(if: ThrowawayCluster.isAvailable, "\(ThrowawayCluster.hint)"))
struct ServerCrashTests {
    @Test func `after crashes of the server the views are what the log folds to`() async throws {
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
