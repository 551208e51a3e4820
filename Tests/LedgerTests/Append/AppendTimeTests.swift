import Canonical
import Foundation
import Ledger
import Postgres
import TestSupport
import Testing

/// The times that an append may write, on one server and in the form of a distributed database.
@Suite(.enabled(if: TestServer.isAvailable && !TestServer.isDistributed, "\(TestServer.hint)"))
struct AppendTimeTests {
    private func withForm(
        _ form: AppendForm, _ body: (TestDatabase, Appender, PostgresPool) async throws -> Void
    ) async throws {
        try await TestDatabase.with { database in
            var owner = try await database.connect(as: .superuser)
            for script in form.scripts(losingLocks: false) { try await owner.executeScript(script) }
            try await database.withAppender { appender, pool in try await body(database, appender, pool) }
        }
    }

    private func error(_ append: Append, _ appender: Appender) async -> LedgerError.Code? {
        do {
            _ = try await appender.append(append)
            return nil
        } catch { return error.code }
    }

    /// Puts the head of a ledger ahead, as a forged event or a wrong clock does.
    private func setHead(_ ledger: LedgerID, to time: Timestamp, accepted: Bool = false, _ database: TestDatabase)
        async throws
    {
        var owner = try await database.connect(as: .superuser)
        let value = PostgresTimestamp(microsecondsSinceUnixEpoch: time.microseconds)
        try await owner.execute(
            """
            UPDATE tenure.ledger SET time = \(value), accepted = CASE WHEN \(accepted) THEN \(value) END
            WHERE ledger_id = \(ledger.uuid)
            """)
    }

    @Test(arguments: [AppendForm.general, .distributedGeneral])
    func `an append that its ledger makes too late is refused alone`(form: AppendForm) async throws {
        try await withForm(form) { _, appender, pool in
            let ledger = LedgerID(UUID()), now = Timestamp.now()
            _ = try await appender.append(.test(.test(ledger), time: now.adding(.seconds(30))))
            var late = Append.test(.test(ledger), time: now)
            late.notAfter = now.adding(.seconds(10))
            async let other = appender.append(.test(.test(ledger), time: now))
            #expect(await error(late, appender) == .late)
            #expect(try await other.time == now.adding(.seconds(30)))
            late.notAfter = now.adding(.seconds(30))
            #expect(try await appender.append(late).time == now.adding(.seconds(30)))
            let size = try await LedgerReader(pool: pool).head(ledger)?.size
            #expect(size == 3)
        }
    }

    @Test(arguments: [AppendForm.general, .distributedGeneral])
    func `a time that expired before the append is refused`(form: AppendForm) async throws {
        try await withForm(form) { _, appender, pool in
            var late = Append.test(.test())
            late.notAfter = late.time.adding(.microseconds(-1))
            #expect(await error(late, appender) == .late)
            let size = try await LedgerReader(pool: pool).head(late.events[0].stream.ledger)?.size
            #expect((size ?? 0) == 0)
        }
    }

    @Test(arguments: [AppendForm.general, .distributedGeneral])
    func `a repetition of a recorded append is never too late`(form: AppendForm) async throws {
        try await withForm(form) { _, appender, _ in
            var append = Append.test(.test())
            append.notAfter = append.time
            let first = try await appender.append(append)
            _ = try await appender.append(.test(.test(append.events[0].stream.ledger)))
            append.time = append.time.adding(.seconds(20))
            let again = try await appender.append(append)
            #expect(again.wasDuplicate && again.positions == first.positions && again.time == first.time)
        }
    }

    @Test(arguments: [AppendForm.general, .distributedGeneral])
    func `a time ahead of the database's clock is refused, and raises no later one`(form: AppendForm) async throws {
        try await withForm(form) { _, appender, pool in
            let ledger = LedgerID(UUID()), now = Timestamp.now()
            _ = try await appender.append(.test(.test(ledger)))
            #expect(await error(.test(.test(ledger), time: now.adding(.seconds(90))), appender) == .clock)
            #expect(try await appender.append(.test(.test(ledger), time: now)).time < now.adding(.seconds(50)))
            #expect(try await appender.append(.test(.test(ledger), time: now.adding(.seconds(50)))).last == [ledger: 3])
            let size = try await LedgerReader(pool: pool).head(ledger)?.size
            #expect(size == 3)
        }
    }

    @Test func `a caller with a time ahead of the clock refuses none that shares its transaction`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                let ledger = LedgerID(UUID()), now = Timestamp.now()
                let fast = Append.test(.test(ledger), time: now.adding(.seconds(90)))
                let right = Append.test(.test(ledger), time: now)
                let results = try await pool.withTransaction(in: [ledger]) { connection in
                    try await Appender.append([fast, right], on: &connection)
                }
                let refusal = #expect(throws: LedgerError.self) { try results[0].get() }
                #expect(refusal?.code == .clock)
                #expect(try results[1].get().time == now)
            }
        }
    }

    @Test(arguments: [AppendForm.general, .distributedGeneral])
    func `a ledger ahead of the clock takes nothing, and others go on`(form: AppendForm) async throws {
        try await withForm(form) { database, appender, pool in
            let ahead = LedgerID(UUID()), other = LedgerID(UUID()), future = Timestamp.now().adding(.seconds(90_000))
            _ = try await appender.append(.test(.test(ahead)))
            try await setHead(ahead, to: future, database)
            let refusal = await #expect(throws: LedgerError.self) { try await appender.append(.test(.test(ahead))) }
            #expect(refusal?.code == .ahead && refusal?.aheadLedger == ahead)
            #expect(try await appender.append(.test(.test(other))).last == [other: 1])
            var vouching = Append.test(.test(ahead))
            vouching.mayFollowHead = true
            #expect(try await appender.append(vouching).time == future)
            // A time that somebody moved on after the acceptance is not accepted.
            try await setHead(ahead, to: future, accepted: true, database)
            try await setHead(ahead, to: future.adding(.seconds(1)), database)
            #expect(await error(.test(.test(ahead)), appender) == .ahead)
            let size = try await LedgerReader(pool: pool).head(ahead)?.size
            #expect(size == 2)
        }
    }

    @Test(arguments: [AppendForm.general, .distributedGeneral])
    func `events of an accepted ledger have its time, and those of others their own`(form: AppendForm) async throws {
        try await withForm(form) { database, appender, pool in
            let ahead = LedgerID(UUID()), other = LedgerID(UUID())
            _ = try await appender.append(.test(.test(ahead)))
            let now = Timestamp.now(), future = now.adding(.seconds(90_000))
            try await setHead(ahead, to: future, accepted: true, database)
            var append = Append.test(.test(ahead), time: now)
            append.events += Append.test(.test(other)).events
            append.expectations[append.events[1].stream] = 0
            append.notAfter = now.adding(.seconds(600))
            let receipt = try await appender.append(append)
            #expect(receipt.last == [ahead: 2, other: 1] && receipt.time == now)
            let reader = LedgerReader(pool: pool)
            #expect(try await reader.ledger(ahead).events.last?.time == future)
            #expect(try await reader.ledger(other).events.map(\.time) == [now])
            let head = try await reader.head(ahead)
            #expect(head?.time == future)
            // A repetition finds both times.
            append.time = now.adding(.seconds(5))
            let again = try await appender.append(append)
            #expect(again.wasDuplicate && again.positions == receipt.positions)
            // The clock, not the accepted time, says what is too late.
            var late = Append.test(.test(ahead), time: now)
            late.notAfter = now.adding(.seconds(-1))
            #expect(await error(late, appender) == .late)
        }
    }

    @Test func `a single statement is refused ahead of the clock, and has the time of an accepted head`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let ledger = LedgerID(UUID())
                let first = try await appender.append(.test(.test(ledger)))
                func run(_ time: Timestamp, after head: LockedHead) async throws {
                    let statement = try AppendStatement(.test(.test(ledger), time: time), after: head)
                    try await pool.withTransaction(in: [ledger]) { connection in
                        _ = try await connection.commit(after: [statement.sql])
                    }
                }
                let future = first.time.adding(.seconds(90_000))
                var refusal = await #expect(throws: PostgresError.self) {
                    try await run(future, after: LockedHead(size: 1, time: first.time))
                }
                #expect(refusal?.sqlState == .clockExceeded)
                try await setHead(ledger, to: future, database)
                refusal = await #expect(throws: PostgresError.self) {
                    try await run(future, after: LockedHead(size: 1, time: future))
                }
                #expect(refusal?.sqlState == .clockExceeded)
                try await setHead(ledger, to: future, accepted: true, database)
                try await run(future, after: LockedHead(size: 1, time: future))
                let size = try await LedgerReader(pool: pool).head(ledger)?.size
                #expect(size == 2)
            }
        }
    }
}
