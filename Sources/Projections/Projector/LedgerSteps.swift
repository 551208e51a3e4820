import Ledger
import Logging

/// One step of each of many ledgers: most are passed over many at a time, the others followed a few at the same moment.
struct LedgerSteps: Sendable {
    /// What came of one step; a success without a step is another program's ledger at this moment.
    struct Outcome: Sendable {
        let ledger: LedgerID
        let result: Result<LedgerFollower.Step?, any Error>
        /// Whether it was only passed over, because no view takes any of its events.
        var isPassed = false
    }

    /// For how long steps are begun; what is left is taken by the next round.
    static let longest: Duration = .milliseconds(500)

    let follower: LedgerFollower
    let pass: LedgerPass
    let logger: Logger
    /// How many events of a ledger share a transaction.
    let pageSize: Int
    /// The views that have stopped before.
    let stopped: [LedgerID: Set<ProjectionName>]

    /// A ledger that has to be followed by itself, and how it stands where that is known.
    private struct Work: Sendable {
        let ledger: LedgerID
        let standing: LedgerPass.Standing?
    }

    /// Takes the steps, and returns the ledgers that there was no time for.
    func run(_ ledgers: [LedgerID]) async -> (outcomes: [Outcome], left: [LedgerID]) {
        let deadline = ContinuousClock.now + Self.longest
        return await withTaskGroup(of: Outcome.self) { group in
            var waiting = ledgers[...]
            var ready: ArraySlice<Work> = []
            var outcomes: [Outcome] = []
            var running = 0
            while true {
                while running < Projector.width, !ready.isEmpty || !waiting.isEmpty, .now < deadline {
                    guard let work = ready.popFirst() else {
                        let part = waiting.prefix(LedgerPass.width)
                        waiting = waiting.dropFirst(part.count)
                        let (passed, left) = await pass(Array(part))
                        outcomes += passed
                        ready = left[...]
                        continue
                    }
                    let views = Set(ProjectionName.all).subtracting(stopped[work.ledger] ?? [])
                    guard !views.isEmpty else { continue }
                    running += 1
                    group.addTask { await outcome(of: work, views) }
                }
                guard let outcome = await group.next() else { return (outcomes, ready.map(\.ledger) + waiting) }
                running -= 1
                outcomes.append(outcome)
            }
        }
    }

    /// Passes over ledgers of which no view has stopped. Where that fails, each ledger's own step finds out why.
    private func pass(_ ledgers: [LedgerID]) async -> (passed: [Outcome], left: [Work]) {
        var standings: [LedgerID: LedgerPass.Standing] = [:]
        do {
            standings = try await pass.run(ledgers.filter { stopped[$0] == nil })
        } catch {
            logger.debug("ledgers are followed one by one", metadata: ["error": "\(error)"])
        }
        var passed: [Outcome] = []
        var left: [Work] = []
        for ledger in ledgers {
            if let standing = standings[ledger], standing.isPassed {
                let step = LedgerFollower.Step(position: standing.size, size: standing.size)
                passed.append(Outcome(ledger: ledger, result: .success(step), isPassed: true))
            } else {
                left.append(Work(ledger: ledger, standing: standings[ledger]))
            }
        }
        return (passed, left)
    }

    /// One step. The result is made before the pair of both: of a pair that was begun before the step, the optimizer of
    /// Swift 6.3.1 loses the half of the ledger's id.
    private func outcome(of work: Work, _ views: Set<ProjectionName>) async -> Outcome {
        let result: Result<LedgerFollower.Step?, any Error>
        do {
            result = .success(try await follower.step(work.ledger, views, from: work.standing, limit: pageSize))
        } catch {
            result = .failure(error)
        }
        return Outcome(ledger: work.ledger, result: result)
    }
}
