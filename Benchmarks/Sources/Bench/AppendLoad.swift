import Canonical
import Foundation
import Ledger
import Postgres

/// Callers that append one event after the other through one appender, each to a stream of its own.
struct AppendLoad: Sendable {
    static let callers = 64

    let appender: Appender
    let ledgers: [LedgerID]

    /// Runs until the deadline and tells how many appends were answered; any refusal ends the run.
    func run(until deadline: ContinuousClock.Instant) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for caller in 0..<Self.callers {
                let ledger = ledgers[caller % ledgers.count]
                group.addTask {
                    var count = 0
                    while ContinuousClock.now < deadline {
                        _ = try await appender.append(Self.append(to: ledger))
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
    }

    private static func append(to ledger: LedgerID) -> Append {
        let stream = StreamID(ledger: ledger, kind: "thing", id: UUID())
        let event = NewEvent(
            id: UUID(), stream: stream, type: "ThingHappened", data: ["note": .string(note), "number": .integer(1)],
            app: app, requestId: "bench")
        return Append(events: [event], expectations: [stream: 0])
    }

    private static let app = UUID()
    /// With what surrounds it, an entry of about the length that those of a login have.
    private static let note = String(repeating: "x", count: 240)
}
