import Canonical
import Foundation
import Ledger
import Postgres
import Schema
import TestSupport
import Testing

/// The forms of the append functions whose heads can change between the decision and the write.
enum AppendForm: String, CaseIterable, CustomTestStringConvertible {
    case general
    case independent
    case distributedGeneral
    case distributedIndependent

    var testDescription: String { rawValue }
    var isDistributed: Bool { self == .distributedGeneral || self == .distributedIndependent }
    var isGeneral: Bool { self == .general || self == .distributedGeneral }

    /// The functions of this form, with a place to wait before the write, and without the lock if it is to be lost.
    ///
    /// The distributed forms are plain SQL, so they run on one server too.
    func scripts(losingLocks: Bool) -> [String] {
        ["append", "append_independent", "lock_heads"].map { name in
            let forms = isDistributed ? Schema.distributedFunctions : Schema.functions
            var text = forms.first { $0.name == name }?.text ?? ""
            if losingLocks { text = text.replacingOccurrences(of: " FOR UPDATE", with: "") }
            let places = [
                "        _winners := '{}';\n        FOR _outcome", "            _xact := pg_current_xact_id();",
                "    INSERT INTO tenure.event (", "    FOR _i IN 1 .. cardinality(_event_ids) LOOP",
            ]
            for place in places where name != "lock_heads" {
                guard let found = text.range(of: "\n" + place) else { continue }
                text.insert(contentsOf: Self.waiting, at: text.index(after: found.lowerBound))
            }
            return text
        }
    }

    static let key: Int64 = 70_271
    private static let waiting = """
        IF current_setting('tenure.waits', true) = 'on' THEN PERFORM pg_advisory_xact_lock_shared(\(key)); END IF;

        """
}

/// The lock of a head is gone between the reading and the writing, as when a ledger moves to another node: the copy there
/// has no locks. Another session appends meanwhile.
@Suite(.enabled(if: TestServer.isAvailable && !TestServer.isDistributed, "\(TestServer.hint)"))
struct LostLockTests {
    /// Appends `first`, which waits before it writes. Meanwhile runs `between`, and then lets it go on.
    private func race(
        _ form: AppendForm, _ database: TestDatabase, _ first: Append,
        between: (Appender) async throws -> Void
    ) async throws -> Result<AppendReceipt, LedgerError> {
        var owner = try await database.connect(as: .superuser)
        for script in form.scripts(losingLocks: true) { try await owner.executeScript(script) }
        try await owner.execute("SELECT pg_advisory_lock(\(AppendForm.key))")
        var waiting = database.configuration(as: .application)
        waiting.sessionSettings["tenure.waits"] = "on"
        return try await withPostgresPool(configuration: waiting, maximumConnections: 2, logger: TestServer.logger()) {
            pool in
            let appender = Appender(pool: pool, logger: TestServer.logger())
            async let running: Void = appender.run()
            async let result = Self.result { () async throws(LedgerError) in try await appender.append(first) }
            while try await owner.query(
                """
                SELECT FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database
                WHERE l.locktype = 'advisory' AND NOT l.granted AND d.datname = current_database()
                """
            ).isEmpty { await Task.yield() }
            try await database.withAppender { other, _ in try await between(other) }
            try await owner.execute("SELECT pg_advisory_unlock(\(AppendForm.key))")
            let answer = await result
            appender.stop()
            try await running
            return answer
        }
    }

    private static func result(
        _ body: () async throws(LedgerError) -> AppendReceipt
    ) async -> Result<AppendReceipt, LedgerError> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    /// An append that takes a claim if the form is the general one, which independent appends do not need.
    private func append(_ form: AppendForm, _ stream: StreamID, expecting version: Int = 0, at time: Timestamp)
        -> Append
    {
        var append = Append.test(stream, expecting: version, events: 2, time: time)
        if form.isGeneral {
            let key = ClaimKey(ledger: .directory(3), kind: "email", digest: [UInt8](repeating: 9, count: 32))
            append.claims = [Claim(key: key, owner: stream.id)]
        }
        return append
    }

    @Test(arguments: AppendForm.allCases)
    func `an append whose lock is lost writes nothing that it did not decide on`(form: AppendForm) async throws {
        try await TestDatabase.with { database in
            let now = Timestamp.now(), ledger = LedgerID(UUID())
            try await database.withAppender { appender, _ in
                _ = try await appender.append(.test(.test(ledger), time: now.adding(.seconds(-9))))
            }
            let first = append(form, .test(ledger), at: now.adding(.seconds(-5)))
            let result = try await race(form, database, first) { other in
                _ = try await other.append(.test(.test(ledger), events: 3, time: now))
            }
            // It was decided again, and has the later time now.
            let receipt = try result.get()
            #expect(receipt.last == [ledger: 6] && receipt.time >= now && !receipt.wasDuplicate)
            try await database.withPool { pool in
                let reader = LedgerReader(pool: pool)
                let events = try await reader.ledger(ledger).events
                #expect(events.map(\.position) == [1, 2, 3, 4, 5, 6])
                #expect(events.map(\.time) == events.map(\.time).sorted())
                let head = try await reader.head(ledger)
                #expect(head?.size == 6 && head?.time == events.last?.time)
            }
        }
    }

    @Test(arguments: AppendForm.allCases)
    func `a guard that is overtaken after its lock was lost refuses the append`(form: AppendForm) async throws {
        try await TestDatabase.with { database in
            let guarded = StreamID.test(), stream = StreamID.test()
            try await database.withAppender { appender, _ in _ = try await appender.append(.test(guarded)) }
            var first = append(form, stream, at: .now())
            first.expectations[guarded] = 1
            let result = try await race(form, database, first) { other in
                _ = try await other.append(.test(guarded, expecting: 1))
            }
            let error = #expect(throws: LedgerError.self) { try result.get() }
            #expect(error?.conflict == .init(stream: guarded, expected: 1, actual: 2))
            try await database.withPool { pool in
                let size = try await LedgerReader(pool: pool).head(stream.ledger)?.size
                #expect((size ?? 0) == 0)
            }
        }
    }

    @Test(arguments: [AppendForm.general, .distributedGeneral])
    func `a claim that is given back meanwhile is not given back twice`(form: AppendForm) async throws {
        try await TestDatabase.with { database in
            let owner = StreamID.test(), next = StreamID.test(owner.ledger)
            let claimed = append(form, owner, at: .now())
            try await database.withAppender { appender, _ in _ = try await appender.append(claimed) }
            var first = Append.test(next)
            first.releases = [ClaimRelease(key: claimed.claims[0].key, owner: owner.id)]
            let release = first.releases
            let result = try await race(form, database, first) { other in
                var giving = Append.test(.test())
                giving.releases = release
                _ = try await other.append(giving)
            }
            #expect(throws: LedgerError.self) { try result.get() }
            try await database.withPool { pool in
                let size = try await LedgerReader(pool: pool).head(owner.ledger)?.size
                #expect(size == 2)
            }
        }
    }

    @Test(arguments: AppendForm.allCases)
    func `an append whose session ends before the write is recorded once`(form: AppendForm) async throws {
        try await TestDatabase.with { database in
            let ledger = LedgerID(UUID())
            let result = try await race(form, database, append(form, .test(ledger), at: .now())) { _ in
                var owner = try await database.connect(as: .superuser)
                try await owner.execute(
                    """
                    SELECT pg_terminate_backend(l.pid) FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database
                    WHERE l.locktype = 'advisory' AND NOT l.granted AND d.datname = current_database()
                    """)
            }
            #expect(try result.get().last == [ledger: 2])
            try await database.withPool { pool in
                let count = try await LedgerReader(pool: pool).ledger(ledger).events.count
                #expect(count == 2)
            }
        }
    }

    @Test func `a single statement is not written after another head than the locked one`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let ledger = LedgerID(UUID())
                let first = try await appender.append(.test(.test(ledger)))
                let read = LockedHead(size: 1, time: first.time)
                let second = try await appender.append(.test(.test(ledger)))
                // The same size with another time, and the same time with another size.
                for head in [read, LockedHead(size: 2, time: first.time), LockedHead(size: 1, time: second.time)] {
                    let statement = try AppendStatement(.test(.test(ledger), time: second.time), after: head)
                    let error = await #expect(throws: PostgresError.self) {
                        try await pool.withTransaction(in: [ledger]) { connection in
                            _ = try await connection.commit(after: [statement.sql])
                        }
                    }
                    #expect(error?.sqlState == .serializationFailure)
                }
                let size = try await LedgerReader(pool: pool).head(ledger)?.size
                #expect(size == 2)
            }
        }
    }
}
