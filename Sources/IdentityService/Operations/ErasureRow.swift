import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
package import Postgres

/// A row of `tenure.erasure`: an erased person, and the master key version that wrapped their keys.
struct ErasureRow: Sendable {
    var entry: ErasureList.Entry

    /// The statement that inserts the row; an existing row stays.
    static func insertion(_ entry: ErasureList.Entry) -> SQL {
        """
        INSERT INTO tenure.erasure (ledger_id, person_id, kind, recorded_at)
        VALUES (\(entry.ledger), \(entry.id), \(entry.kind.rawValue), \(entry.time.postgres)) ON CONFLICT DO NOTHING
        """
    }

    /// The statement that records the version under which a destroyed key was wrapped. The latest version counts.
    static func destroyed(_ entry: ErasureList.Entry, under masterVersion: Int) -> SQL {
        let version = Int32(clamping: masterVersion)
        return """
            UPDATE tenure.erasure SET master_version = greatest(master_version, \(version))
            WHERE ledger_id = \(entry.ledger) AND person_id = \(entry.id)
            """
    }

    /// The statement that records that no key is left.
    static func completion(_ entry: ErasureList.Entry, at time: Timestamp) -> SQL {
        """
        UPDATE tenure.erasure SET destroyed_at = coalesce(destroyed_at, \(time.postgres))
        WHERE ledger_id = \(entry.ledger) AND person_id = \(entry.id) RETURNING master_version
        """
    }

    /// Reads the rows with keys that are not destroyed yet, over the reader role.
    static func open(_ reader: PostgresPool) async throws -> [ErasureRow] {
        let rows = try await reader.withConnection { connection in
            try await connection.query(
                """
                SELECT ledger_id, person_id, kind, recorded_at FROM tenure.erasure WHERE destroyed_at IS NULL
                ORDER BY recorded_at, ledger_id, person_id
                """)
        }
        return try rows.map { row in
            let (ledger, id, name, time) = try row.decode(UUID.self, UUID.self, String.self, PostgresTimestamp.self)
            guard let kind = ErasureList.Entry.Kind(rawValue: name) else {
                throw KeysError(code: .erasureListUnusable, reason: "an erasure is of an unknown kind")
            }
            let entry = ErasureList.Entry(
                kind: kind, ledger: ledger, id: id,
                time: Timestamp(microseconds: time.microsecondsSinceUnixEpoch))
            return ErasureRow(entry: entry)
        }
    }
}

/// Counts the erasures that wait for a master key version to be destroyed.
package struct ErasureCounts: Sendable, Equatable {
    /// The number of erased people by the latest version that wrapped their keys.
    private var waiting: [Int: Int] = [:]
    /// The same, only for finished erasures.
    private var finished: [Int: Int] = [:]
    /// The number of unfinished erasures.
    package private(set) var open = 0

    /// Counts over connections of the reader role.
    ///
    /// - Throws: `PostgresError`.
    package static func count(on reader: PostgresPool) async throws -> ErasureCounts {
        let rows = try await reader.withConnection { connection in
            try await connection.query(
                """
                SELECT master_version, destroyed_at IS NULL, count(*) FROM tenure.erasure GROUP BY 1, 2 ORDER BY 1, 2
                """)
        }
        var counts = ErasureCounts()
        for row in rows {
            let (version, isOpen, count) = try row.decode(Int32?.self, Bool.self, Int64.self)
            if isOpen { counts.open += Int(count) }
            guard let version else { continue }
            counts.waiting[Int(version), default: 0] += Int(count)
            if !isOpen { counts.finished[Int(version), default: 0] += Int(count) }
        }
        return counts
    }

    /// Returns the number of erasures that wait for the end of an existing version. It counts keys wrapped under this
    /// or a later version: backups from before a rotation contain the same keys wrapped under the earlier version.
    package func waiting(forTheEndOf version: Int) -> Int {
        waiting.filter { $0.key >= version }.values.reduce(0, +)
    }

    /// Returns the number of complete erasures, if only these versions exist.
    package func complete(holding versions: some Collection<Int>) -> Int {
        let oldest = versions.min() ?? .max
        return finished.filter { $0.key < oldest }.values.reduce(0, +)
    }
}

/// Destroys keys. Each key and its bucket has a transaction of its own, because a transaction locks at most one bucket.
extension Erasure {
    func destroyPersonKey(_ entry: ErasureList.Entry) async throws {
        try await context.pool.withTransaction(in: [LedgerID(entry.ledger)]) { connection in
            let destroyed = try await rekeying.destroyPerson(entry.id, ledger: entry.ledger, on: &connection)
            try await note(destroyed, entry, &connection)
        }
        context.personKeys.forget(entry.id, ledger: entry.ledger)
    }

    /// Destroys the key of the invitation with which an employee registered: it encrypts the same names.
    func destroyInvitation(of employee: EmployeeID, in tenant: TenantID, _ entry: ErasureList.Entry) async throws {
        guard let claim = try await context.reader.claim(context.ring.invitedClaim(employee, in: tenant)),
            let id = claim.value.flatMap({ UUID(bytes: $0) })
        else { return }
        try await context.pool.withTransaction(in: [LedgerID(entry.ledger)]) { connection in
            let destroyed = try await rekeying.destroyPerson(id, ledger: entry.ledger, on: &connection)
            try await note(destroyed, entry, &connection)
        }
        context.personKeys.forget(id, ledger: entry.ledger)
    }

    func destroySeeds(_ credential: CredentialID, _ entry: ErasureList.Entry) async throws {
        try await context.pool.withTransaction(in: [LedgerID(entry.ledger)]) { connection in
            let destroyed = try await rekeying.destroySeeds(
                credentialId: credential.uuid, ledger: entry.ledger, on: &connection)
            try await note(destroyed, entry, &connection)
        }
    }

    /// Writes the row of a person whose erasure is recorded already: a restored database may lack it.
    func note(_ entry: ErasureList.Entry) async throws {
        _ = try await context.pool.query(ErasureRow.insertion(entry), in: [LedgerID(entry.ledger)])
    }

    /// Records that no key is left.
    func complete(_ entry: ErasureList.Entry) async throws -> Erased {
        let rows = try await context.pool.query(
            ErasureRow.completion(entry, at: context.settings.now()), in: [LedgerID(entry.ledger)])
        let version = try rows.first?.decode(Int32?.self) ?? nil
        return Erased(kind: entry.kind, ledger: entry.ledger, id: entry.id, masterVersion: version.map(Int.init))
    }

    private func note(
        _ destroyed: DestroyedKey, _ entry: ErasureList.Entry, _ connection: inout PostgresConnection
    ) async throws {
        guard destroyed.count > 0 else { return }
        try await connection.execute(ErasureRow.destroyed(entry, under: destroyed.masterVersion))
    }
}
