import Canonical
import Foundation
import Ledger
import Postgres
import Testing
import TestSupport

/// A transaction that names its ledgers.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct LedgerScopeTests {
    /// Takes the place of a key in a ledger; a second time it changes the row.
    private func inserting(_ ledger: LedgerID, key: [UInt8] = Array(repeating: 1, count: 32)) -> SQL {
        let now = PostgresTimestamp(microsecondsSinceUnixEpoch: 1_795_000_000_000_000)
        return """
            INSERT INTO tenure.idempotency AS i (ledger_id, key, fingerprint, state, lease_until, expires_at, mac)
            VALUES (\(ledger.uuid), \(key), \(key), 'running', \(now), \(now), '')
            ON CONFLICT (ledger_id, key) DO UPDATE SET state = 'again' WHERE i.state <> 'again' RETURNING state
            """
    }

    @Test func `row security uses the scope of the transaction, with cached and fresh plans`() async throws {
        try await TestDatabase.with { database in
            let own = LedgerID(UUID()), other = LedgerID(UUID())
            for mode in ["force_generic_plan", "force_custom_plan"] {
                var connection = try await database.connect(as: .application)
                _ = try await connection.execute("SET plan_cache_mode = \(unsafeSQL: mode)")
                let key = Array(mode.utf8)
                var states: [String] = []
                for _ in 0..<3 {
                    let rows = try await connection.query(inserting(own, key: key), in: [other, own])
                    states += try rows.map { try $0.decode(String.self) }
                }
                #expect(states == ["running", "again"])
                for _ in 0..<2 {
                    let refused = await #expect(throws: PostgresError.self) {
                        _ = try await connection.query(self.inserting(own, key: key), in: [other])
                    }
                    #expect(refused?.sqlState == .insufficientPrivilege)
                }
                connection.close()
            }
        }
    }

    @Test func `a statement that meets a row without a scope fails instead of finding nothing`() async throws {
        try await TestDatabase.with { database in
            let own = LedgerID(UUID())
            var connection = try await database.connect(as: .application)
            _ = try await connection.query(inserting(own), in: [own])
            let reads: [SQL] = [
                "SELECT state FROM tenure.idempotency WHERE ledger_id = \(own.uuid)",
                "SELECT state FROM tenure.idempotency", "SELECT count(*) FROM tenure.idempotency",
                "UPDATE tenure.idempotency SET state = 'lost' WHERE ledger_id = \(own.uuid)", inserting(own),
                inserting(LedgerID(UUID())),
            ]
            for setting in ["", "SET tenure.ledgers = ''"] {
                if !setting.isEmpty { try await connection.executeScript(setting) }
                for read in reads {
                    let refused = await #expect(throws: PostgresError.self) { _ = try await connection.query(read) }
                    #expect(refused?.sqlState == .insufficientPrivilege, "\(read)")
                }
            }
            // An empty scope is one: it finds nothing.
            #expect(try await connection.query(reads[0], in: [LedgerID]()).isEmpty)
            #expect(try await connection.query(reads[0], in: [own]).count == 1)
            connection.close()
        }
    }

    @Test func `neither scope nor asynchronous commit outlives its transaction`() async throws {
        try await TestDatabase.with { database in
            var connection = try await database.connect(as: .application)
            let settings: SQL = """
                SELECT coalesce(current_setting('tenure.ledgers', true), ''), current_setting('synchronous_commit')
                """
            let ledger = LedgerID(UUID())
            let during = try await connection.transaction(
                [LedgerScope.statement([ledger], waits: false), inserting(ledger), settings])
            let (scope, wait) = try #require(during[2].first).decode(String.self, String.self)
            #expect(scope == "{\(ledger.uuid.uuidString.lowercased())}" && wait == "off")
            let after = try await connection.query(settings)
            let (none, waits) = try #require(after.first).decode(String.self, String.self)
            #expect(none.isEmpty && waits == "on")
            connection.close()
        }
    }

    @Test func `a name that is no list of ids reaches nothing and ends nothing`() async throws {
        try await TestDatabase.with { database in
            let own = LedgerID(UUID())
            var connection = try await database.connect(as: .application)
            _ = try await connection.query(inserting(own), in: [own])
            for text in ["', 'x", "'; RESET tenure.ledgers; --", "%", "_", "{}'"] {
                let rows = try await connection.transaction([
                    "SELECT tenure.enter_scope(\(text), true)", "SELECT current_setting('tenure.ledgers')",
                    "SELECT state FROM tenure.idempotency",
                ])
                #expect(try #require(rows[1].first).decode(String.self) == text && rows[2].isEmpty)
            }
            connection.close()
        }
    }

    @Test(.enabled(if: !TestServer.isDistributed, "with several nodes a commit over two ledgers always waits"))
    func `a pipeline commits durably unless told otherwise, and the next one does again`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool(as: .application, maximumConnections: 1) { pool in
                let settings: SQL = """
                    SELECT coalesce(current_setting('tenure.ledgers', true), ''), current_setting('synchronous_commit')
                    """
                let ledgers = [LedgerID(UUID()), LedgerID(UUID())]
                let text = "{" + ledgers.map(\.uuid.uuidString).joined(separator: ",").lowercased() + "}"
                for waits in [false, true, false] {
                    let rows = try await pool.pipeline([settings], in: ledgers, waits: waits)
                    let (scope, commit) = try #require(rows.first?.first).decode(String.self, String.self)
                    #expect(scope == text && commit == (waits ? "on" : "off"))
                }
                let rows = try await pool.pipeline([settings], in: [LedgerID]())
                let (scope, commit) = try #require(rows.first?.first).decode(String.self, String.self)
                #expect(scope == "{}" && commit == "on")
            }
        }
    }

    @Test(arguments: [("off", "on"), ("local", "on"), ("on", "on"), ("remote_apply", "remote_apply")])
    func `a scope commits durably whatever the session's default`(
        setting: String, within: String
    ) async throws {
        try await TestDatabase.with { database in
            var connection = try await database.connect(as: .application)
            let show: SQL = "SELECT current_setting('synchronous_commit')"
            _ = try await connection.execute("SET synchronous_commit = \(unsafeSQL: setting)")
            let during = try await connection.query(show, in: [LedgerID(UUID())])
            #expect(try #require(during.first).decode(String.self) == within)
            let after = try await connection.query(show)
            #expect(try #require(after.first).decode(String.self) == setting)
            connection.close()
        }
    }
}

@Suite struct LedgerIDTests {
    @Test func `the ids of fixed ledgers never change`() {
        #expect(LedgerID.system.description == "00000000-0000-8000-8000-000000000000")
        #expect(LedgerID.directory(0).description == "00000000-0000-8000-8000-000000000100")
        #expect(LedgerID.directory(0xAB).description == "00000000-0000-8000-8000-0000000001ab")
        #expect(Set(LedgerID.directories + [.system]).count == 257)
    }

    @Test func `ledger ids are ordered by their bytes`() {
        let high = LedgerID(UUID(uuid: (0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        #expect(LedgerID.system < .directory(0) && LedgerID.directory(0) < .directory(1))
        #expect(LedgerID.directory(255) < high && !(high < high))
    }

    @Test func `descriptions of errors contain no event data`() {
        let error = LedgerError(.busy, "too many appends are waiting; try again later")
        #expect(error.description == "ledger.busy: too many appends are waiting; try again later")
    }
}
