import Canonical
import Foundation
import Ledger
import Postgres
import Testing
import TestSupport

/// Several transactions on their way at once, and the end of an appender.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct AppenderLaneTests {
    private static func configuration(_ change: (inout Appender.Configuration) -> Void) -> Appender.Configuration {
        var configuration = Appender.Configuration()
        change(&configuration)
        return configuration
    }

    /// Appends all at once; the code of the refusal of each that was refused, by its place.
    private func record(
        _ appends: [Append], _ appender: Appender, onRefusal: @escaping @Sendable () -> Void = {}
    ) async -> [Int: LedgerError.Code] {
        await withTaskGroup(of: (Int, LedgerError.Code?).self) { group in
            for (index, append) in appends.enumerated() {
                group.addTask {
                    do throws(LedgerError) {
                        _ = try await appender.append(append)
                        return (index, nil)
                    } catch {
                        onRefusal()
                        return (index, error.code)
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    @Test func `repeated appends are resolved without affecting the other callers`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let ledger = LedgerID(UUID())
                let known = Append.test(.test(ledger), events: 2), other = StreamID.test(ledger)
                _ = try await appender.append(known)
                _ = try await appender.append(.test(other))
                var reused = Append.test(.test(ledger))
                reused.events[0].id = known.events[1].id
                var guarding = Append.test(.test(ledger))
                guarding.expectations[other] = 2
                let good = (0..<20).map { number in
                    Append.test(.test(number.isMultiple(of: 2) ? ledger : LedgerID(UUID())))
                }
                let bad = [known, reused, .test(other), .test(.test(ledger), expecting: 3), guarding]
                let refusals = await record(bad + good, appender)
                #expect(
                    refusals == [1: .eventIdReused, 2: .versionConflict, 3: .versionConflict, 4: .versionConflict])
                let reader = LedgerReader(pool: pool)
                for append in good {
                    let events = try await reader.stream(append.events[0].stream)
                    #expect(events.map(\.id) == append.events.map(\.id))
                }
                let size = try await reader.head(ledger)?.size
                #expect(size == 13)
            }
        }
    }

    @Test(arguments: [1, 2, 5])
    func `concurrent transactions leave no gap in a shared ledger`(transactions: Int) async throws {
        try await TestDatabase.with { database in
            let configuration = Self.configuration {
                $0.maximumTransactions = transactions
                $0.maximumBatch = 7
            }
            try await database.withAppender(maximumConnections: 6, configuration: configuration) { appender, pool in
                let ledger = LedgerID(UUID()), now = Timestamp.now()
                let appends = (0..<150).map { number in
                    Append.test(.test(ledger), events: 1 + number % 2, time: now.adding(.milliseconds(-number)))
                }
                let refusals = await record(appends, appender)
                #expect(refusals == [:])
                let events = try await LedgerReader(pool: pool).ledger(ledger).events
                #expect(events.map(\.position) == Array(1...225))
                #expect(Set(events.map(\.id)) == Set(appends.flatMap(\.events).map(\.id)))
                #expect(zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time })
            }
        }
    }

    @Test func `a stopped appender answers every caller and loses nothing`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                let configuration = Self.configuration { $0.maximumBatch = 8 }
                let appender = Appender(pool: pool, configuration: configuration, logger: TestServer.logger())
                async let running: Void = appender.run()
                let appends = (0..<300).map { number in Append.test(.test(number < 150 ? .system : LedgerID(UUID()))) }
                async let refusing = record(appends, appender)
                // Some were answered and many wait.
                while try await LedgerReader(pool: pool).head(.system)?.size ?? 0 < 10 { await Task.yield() }
                appender.stop()
                try await running
                let refusals = await refusing
                #expect(refusals.values.allSatisfy { $0 == .unavailable })
                let reader = LedgerReader(pool: pool)
                for (index, append) in appends.enumerated() {
                    let events = try await reader.stream(append.events[0].stream)
                    #expect(events.count == (refusals[index] == nil ? 1 : 0))
                }
            }
        }
    }

    @Test func `an appender never exceeds its queue and refuses at once`() async throws {
        try await TestDatabase.with { database in
            let configuration = Self.configuration {
                $0.maximumWaiting = 5
                $0.maximumBatch = 2
            }
            try await database.withAppender(configuration: configuration) { appender, pool in
                // The ledger is locked, so that those who are on their way stay there.
                let ledger = LedgerID(UUID())
                let appends = (0..<40).map { _ in Append.test(.test(ledger)) }
                let (refused, telling) = AsyncStream<Void>.makeStream()
                async let refusing = database.withPool { other in
                    try await other.withTransaction(in: [ledger]) { connection in
                        _ = try await connection.query(Appender.lockingHeads([ledger]))
                        let recording = Task { await record(appends, appender) { telling.yield() } }
                        // At most nine have a place: four on their way, and five that wait.
                        for await _ in refused { break }
                        return recording
                    }
                }
                let refusals = try await refusing.value
                #expect(!refusals.isEmpty && refusals.values.allSatisfy { $0 == .busy })
                let size = try await LedgerReader(pool: pool).head(ledger)?.size
                #expect(size == Int64(appends.count - refusals.count))
            }
        }
    }
}

/// An appender that does not run yet: what happens to those who wait. Needs no database.
@Suite struct AppenderQueueTests {
    private func appender(maximumWaiting: Int) throws -> Appender {
        var configuration = Appender.Configuration()
        configuration.maximumWaiting = maximumWaiting
        let nowhere = try PostgresConfiguration(url: "postgresql://nobody@/none?host=/nonexistent")
        let pool = PostgresPool(configuration: nowhere, maximumConnections: 1, logger: TestServer.logger())
        return Appender(pool: pool, configuration: configuration, logger: TestServer.logger())
    }

    private func code(_ task: Task<AppendReceipt, any Error>) async -> LedgerError.Code? {
        do {
            _ = try await task.value
            return nil
        } catch { return (error as? LedgerError)?.code }
    }

    @Test func `a caller is refused at once if the queue is full`() async throws {
        let appender = try appender(maximumWaiting: 2)
        let waiting = (0..<2).map { _ in Task { try await appender.append(.test(.test())) as AppendReceipt } }
        while await appender.waitingCount < 2 { await Task.yield() }
        let error = await #expect(throws: LedgerError.self) { try await appender.append(.test(.test())) }
        #expect(error?.code == .busy)
        for task in waiting { task.cancel() }
        for task in waiting { #expect(await code(task) == .cancelled) }
        #expect(await appender.waitingCount == 0)
    }

    @Test func `a caller cancelled before or while waiting leaves the queue`() async throws {
        let appender = try appender(maximumWaiting: 2)
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await appender.append(.test(.test())) as AppendReceipt
        }
        #expect(await code(early) == .cancelled)
        #expect(await appender.waitingCount == 0)
    }

    @Test func `waiting callers are refused if the database is unreachable`() async throws {
        let appender = try appender(maximumWaiting: 10)
        let waiting = Task { try await appender.append(.test(.test())) as AppendReceipt }
        while await appender.waitingCount < 1 { await Task.yield() }
        let running = Task { try await appender.run() }
        running.cancel()
        #expect(await code(waiting) == .unavailable)
        try await running.value
    }
}
