import Canonical
import Postgres
import Projections

/// Tells how far a rebuild has come: a bar or lines on standard error for persons, or on standard output one JSON object
/// at most each half second for programs.
final class RebuildProgressReport: Sendable {
    private static let pause: Duration = .milliseconds(500)

    private let persons: ProgressReport?
    private let output = Output.standardOutput()
    private let start = ContinuousClock.now
    private let told = Lock<ContinuousClock.Instant?>(nil)

    init(isDryRun: Bool, isForMachines: Bool) {
        persons = isForMachines ? nil : ProgressReport(isDryRun ? "compare" : "rebuild", unit: "events", total: nil)
    }

    func update(_ progress: RebuildProgress) {
        if let persons { return persons.update(done: progress.done, of: progress.total) }
        let now = ContinuousClock.now
        let isDue = told.withLock { told in
            guard told.map({ now - $0 >= Self.pause }) ?? true || progress.done >= progress.total else { return false }
            told = now
            return true
        }
        guard isDue else { return }
        let elapsed = (now - start) / .seconds(1)
        let rate = elapsed > 0 ? Int64(Double(progress.done) / elapsed) : 0
        output.write(
            JSONLines.line(
                .object([
                    "kind": "progress", "done": .integer(progress.done), "total": .integer(progress.total),
                    "elapsedMilliseconds": .integer(Int64(elapsed * 1_000)), "eventsPerSecond": .integer(rate),
                ])))
    }

    func finish() { persons?.finish() }
}
