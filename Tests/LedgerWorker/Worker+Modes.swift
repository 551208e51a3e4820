import Canonical
import Foundation
import Ledger
import Logging
import Postgres
import TestSupport

extension Worker {
    private func event(_ stream: StreamID) -> NewEvent {
        NewEvent(
            id: UUID(), stream: stream, type: "ThingHappened",
            data: ["filler": .string(String(repeating: "x", count: Int.random(in: 0...300)))])
    }

    /// `tasks` writers append to one stream with version 0 each; prints `won` for each that succeeded.
    func sameVersion(_ pool: PostgresPool, _ logger: Logger) async throws {
        let stream = StreamID(ledger: LedgerID(try id("ledger")), kind: "thing", id: try id("stream"))
        try await compete(pool, logger) { Append(events: [event(stream)], expectations: [stream: 0]) }
    }

    /// `tasks` writers take one claim each in a stream of its own.
    func claim(_ pool: PostgresPool, _ logger: Logger) async throws {
        let key = ClaimKey(
            ledger: LedgerID(try id("claims")), kind: "email", digest: [UInt8](repeating: 7, count: 32))
        let ledger = LedgerID(try id("ledger"))
        try await compete(pool, logger) {
            let stream = StreamID(ledger: ledger, kind: "thing", id: UUID())
            return Append(
                events: [event(stream)], expectations: [stream: 0], claims: [Claim(key: key, owner: stream.id)])
        }
    }

    private func compete(
        _ pool: PostgresPool, _ logger: Logger, _ make: @escaping @Sendable () -> Append
    ) async throws {
        let tasks = Int(try number("tasks"))
        try await withAppenders(4, pool, logger) { appenders in
            try await withThrowingTaskGroup { group in
                for task in 0..<tasks {
                    group.addTask {
                        do {
                            _ = try await appenders[task % appenders.count].append(make())
                            Self.print("won")
                        } catch let error as LedgerError {
                            guard error.code == .versionConflict || error.code == .claimTaken else { throw error }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// Takes and gives back one claim again and again; prints `took` and `gave` around each time it is owned.
    func claimCycle(_ pool: PostgresPool, _ logger: Logger) async throws {
        let key = ClaimKey(
            ledger: LedgerID(try id("claims")), kind: "email", digest: [UInt8](repeating: 7, count: 32))
        let ledger = LedgerID(try id("ledger")), rounds = Int(try number("rounds"))
        try await withAppenders(4, pool, logger) { appenders in
            try await withThrowingTaskGroup { group in
                for appender in appenders {
                    group.addTask { [self] in
                        for _ in 0..<rounds { try await cycle(appender, key, ledger) }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    private func cycle(_ appender: Appender, _ key: ClaimKey, _ ledger: LedgerID) async throws {
        let stream = StreamID(ledger: ledger, kind: "thing", id: UUID())
        do {
            _ = try await appender.append(
                Append(events: [event(stream)], expectations: [stream: 0], claims: [Claim(key: key, owner: stream.id)]))
        } catch {
            guard error.code == .claimTaken else { throw error }
            return
        }
        Self.print("took")
        _ = try await appender.append(
            Append(
                events: [event(stream)], expectations: [stream: 1],
                releases: [ClaimRelease(key: key, owner: stream.id)]))
        Self.print("gave")
    }

    /// `tasks` writers append 1 to 3 events each to one or two of `ledgers` ledgers, in any order, and one in five of
    /// their transactions is rolled back; prints `ledger position event` for what is recorded.
    func load(_ pool: PostgresPool, _ logger: Logger) async throws {
        let tasks = Int(try number("tasks")), appends = Int(try number("appends"))
        let ledgers = (0..<Int(try number("ledgers"))).map { LedgerID.directory(UInt8($0)) }
        try await withAppenders(4, pool, logger) { appenders in
            try await withThrowingTaskGroup { group in
                for task in 0..<tasks {
                    group.addTask { [self] in
                        for _ in 0..<appends {
                            try await random(appenders[task % appenders.count], pool, ledgers)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    private func random(_ appender: Appender, _ pool: PostgresPool, _ ledgers: [LedgerID]) async throws {
        var append = Append(events: [], expectations: [:])
        for ledger in ledgers.shuffled().prefix(Int.random(in: 1...2)) {
            let stream = StreamID(ledger: ledger, kind: "thing", id: UUID())
            append.expectations[stream] = 0
            for _ in 0..<Int.random(in: 1...3) { append.events.append(event(stream)) }
        }
        if Int.random(in: 0..<5) == 0 {
            try? await pool.withTransaction(in: append.ledgers) { connection in
                _ = try await Appender.append([append], on: &connection)
                throw WorkerError(description: "rolled back on purpose")
            }
            return
        }
        let appended = try await record(append, appender)
        for event in append.events {
            Self.print("\(event.stream.ledger) \(appended.positions[event.id] ?? 0) \(event.id.lowercased)")
        }
    }

    /// With `persist`, a crash of the server is no reason to give up: the same append is sent until it is answered.
    private func record(_ append: Append, _ appender: Appender) async throws -> AppendReceipt {
        while true {
            do {
                return try await appender.append(append)
            } catch {
                let isTransient = error.code == .unavailable || error.code == .outcomeUnknown
                guard options["persist"] != nil, isTransient else { throw error }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    /// `tasks` callers share one appender and append one event each, `appends` times, over 64 ledgers; prints a rate.
    func throughput(_ pool: PostgresPool, _ logger: Logger) async throws {
        let tasks = Int(try number("tasks")), appends = Int(try number("appends"))
        try await withAppenders(1, pool, logger) { appenders in
            let start = ContinuousClock.now
            try await withThrowingTaskGroup { group in
                for task in 0..<tasks {
                    group.addTask { [self] in
                        for _ in 0..<appends {
                            let stream = StreamID(ledger: .directory(UInt8(task % 64)), kind: "thing", id: UUID())
                            _ = try await appenders[0].append(
                                Append(events: [event(stream)], expectations: [stream: 0]))
                        }
                    }
                }
                try await group.waitForAll()
            }
            let seconds =
                Double((ContinuousClock.now - start).components.attoseconds) / 1e18
                + Double((ContinuousClock.now - start).components.seconds)
            Self.print("\(Int(Double(tasks * appends) / seconds)) appends per second")
        }
    }

    /// `tasks` writers append `events` events each to one ledger at once.
    func large(_ pool: PostgresPool, _ logger: Logger) async throws {
        let ledger = LedgerID(try id("ledger")), count = Int(try number("events"))
        try await compete(pool, logger) {
            let stream = StreamID(ledger: ledger, kind: "thing", id: UUID())
            return Append(events: (0..<count).map { _ in event(stream) }, expectations: [stream: 0])
        }
    }
}
