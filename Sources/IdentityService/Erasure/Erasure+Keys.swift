import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// Destroying keys: each with its bucket in a transaction of its own, because a transaction locks one bucket at most.
extension Erasure {
    func destroyPersonKey(_ entry: ErasureList.Entry) async throws {
        try await context.pool.withTransaction(in: [LedgerID(entry.ledger)]) { connection in
            let destroyed = try await rekeying.destroyPerson(entry.id, ledger: entry.ledger, on: &connection)
            try await note(destroyed, entry, &connection)
        }
        context.personKeys.forget(entry.id, ledger: entry.ledger)
    }

    func destroySeeds(_ credential: CredentialID, _ entry: ErasureList.Entry) async throws {
        try await context.pool.withTransaction(in: [LedgerID(entry.ledger)]) { connection in
            let destroyed = try await rekeying.destroySeeds(
                credentialId: credential.uuid, ledger: entry.ledger, on: &connection)
            try await note(destroyed, entry, &connection)
        }
    }

    /// Writes the row of somebody whom the log calls erased already: a restored database may not have it.
    func note(_ entry: ErasureList.Entry) async throws {
        _ = try await context.pool.query(ErasureRow.insertion(entry), in: [LedgerID(entry.ledger)])
    }

    /// Notes that no key is left.
    func complete(_ entry: ErasureList.Entry) async throws -> Erased {
        let rows = try await context.pool.query(
            ErasureRow.completion(entry, at: .now()), in: [LedgerID(entry.ledger)])
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
