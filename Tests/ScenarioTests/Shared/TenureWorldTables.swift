import Foundation
import IdentityService
import Keys
import Postgres
import TestSupport

extension TenureWorld {
    /// How many events of a type there are, over all ledgers.
    func count(_ type: String) async throws -> Int {
        try await superuser { connection in
            let rows = try await connection.query("SELECT count(*) FROM tenure.event WHERE type = \(type)")
            return Int(try rows.first?.decode(Int64.self) ?? 0)
        }
    }

    /// How many seeds a credential has.
    func seeds(of credential: UUID) async throws -> Int {
        try await superuser { connection in
            let rows = try await connection.query(
                "SELECT count(*) FROM tenure.oprf_seed WHERE credential_id = \(credential)")
            return Int(try rows.first?.decode(Int64.self) ?? 0)
        }
    }

    /// How many attempts a credential was charged.
    func charges(of credential: UUID) async throws -> Int {
        let id = credential.uuidString.lowercased()
        return try await superuser { connection in
            let rows = try await connection.query(
                """
                SELECT count(*) FROM tenure.event WHERE type = 'AttemptCharged'
                    AND position(\(id) IN convert_from(entry, 'UTF8')) > 0
                """)
            return Int(try rows.first?.decode(Int64.self) ?? 0)
        }
    }

    /// The versions of all streams of these kinds, `kind/uuid` each.
    func versions(of kinds: [String]) async throws -> [String: Int32] {
        try await superuser { connection in
            var versions: [String: Int32] = [:]
            let rows = try await connection.query(
                "SELECT kind, stream_id, max(version) FROM tenure.event WHERE kind = ANY (\(kinds)) GROUP BY 1, 2")
            for row in rows {
                let (kind, id, version) = try row.decode(String.self, UUID.self, Int32.self)
                versions["\(kind)/\(id)"] = version
            }
            return versions
        }
    }
}

extension TenureWorld {
    /// Runs `body` while nobody but `body`'s own connections of the test can write to a table: who tries waits.
    func holding<Result>(_ table: String, _ body: () async throws -> Result) async throws -> Result {
        var connection = try await database.connect(as: .superuser)
        try await connection.executeScript("BEGIN; LOCK TABLE \(table) IN EXCLUSIVE MODE")
        do {
            let result = try await body()
            try await connection.executeScript("ROLLBACK")
            return result
        } catch {
            try? await connection.executeScript("ROLLBACK")
            throw error
        }
    }

    /// Comes back when so many writers wait for a table that ``holding(_:_:)`` holds.
    func writersWait(for table: String, count: Int64 = 1) async throws {
        try await until {
            try await number(
                """
                SELECT count(*) FROM pg_locks WHERE relation = \(table)::regclass AND NOT granted
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """) >= count
        }
    }

    /// Ends the sessions that wait for a table, with everything that their transactions wrote.
    func endWriters(waitingFor table: String) async throws {
        _ = try await superuser { connection in
            try await connection.query(
                """
                SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = \(table)::regclass AND NOT granted
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """)
        }
        try await until {
            try await number(
                """
                SELECT count(*) FROM pg_locks WHERE relation = \(table)::regclass AND NOT granted
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """) == 0
        }
    }

    /// One number that the database tells its superuser.
    func number(_ sql: SQL) async throws -> Int64 {
        try await superuser { connection in
            let rows = try await connection.query(sql)
            return try rows.first?.decode(Int64.self) ?? -1
        }
    }

    /// Asks until it is so; a minute without is a failure.
    func until(_ condition: () async throws -> Bool) async throws {
        for _ in 0..<3_000 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Flow.Unexpected(description: "what was waited for did not come")
    }
}

extension TenureWorld {
    /// Runs `work`, which writes to both tables, and `then` when `work` waits for the second one, which nobody may write
    /// to from the moment on that it waited for the first one.
    func holdingInTurn(
        _ first: String, _ second: String, then: (TenureWorld) async throws -> Void,
        meanwhile work: @escaping @Sendable () async throws -> Void
    ) async throws {
        var connection = try await database.connect(as: .superuser)
        try await connection.executeScript("BEGIN; LOCK TABLE \(first) IN EXCLUSIVE MODE")
        let working = Task { try await work() }
        do {
            try await writersWait(for: first)
            try await holding(second) {
                try await connection.executeScript("ROLLBACK")
                try await writersWait(for: second)
                try await then(self)
            }
        } catch {
            working.cancel()
            throw error
        }
        try await working.value
    }
}

extension TenureWorld {
    /// The erase list of the installation.
    var eraseList: ErasureList { ErasureList(beside: keyFile) }

    /// Erases over connections of its own, as `tenure erase` does, with the keys as they are in the file by then.
    func erasing<Result: Sendable>(_ body: @Sendable (Erasure) async throws -> Result) async throws -> Result {
        let store = try MasterKeyStore(file: keyFile)
        return try await database.withPool(as: .reader) { reader in
            try await body(instance.commands.erasure(reader: reader, masters: store, list: eraseList))
        }
    }

    /// Erases one employee.
    @discardableResult
    func erase(_ person: Person) async throws -> [Erasure.Erased] {
        try await erasing { erasure in
            try await erasure.run(try await erasure.plan(company: person.company, employee: person.id))
        }
    }

    /// Adds a version, wraps everything under it and destroys the versions before.
    func rotateAndRetire() async throws {
        try await database.withPool { pool in
            let (masters, _) = try await MasterKeyRotation.begin(keyFile, on: pool)
            _ = try await MasterKeyRotation(masters: masters).run(on: pool)
            for version in masters.heldVersions where version != masters.current {
                try await MasterKeyRotation.retire(version, keyFile, on: pool)
            }
        }
    }
}
