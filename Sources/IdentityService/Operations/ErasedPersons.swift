package import Keys
package import Logging
package import Postgres

/// Refuses a database in which a person on the erase list is back, as after restoring a backup from before the erasure.
package enum ErasedPersons {
    /// The largest number of persons that one statement asks about.
    private static let chunk = 1_000

    /// Checks that no person on the list has a key, over connections of the reader role.
    ///
    /// The person's own key is destroyed last, so without it nothing of the person can be read. An erasure that was
    /// recorded in this database and is not finished brings nobody back: the person's access has ended. It is logged.
    ///
    /// - Parameter list: The list beside the master keys; `nil` if none is kept.
    /// - Throws: ``KeysError/Code/erasedReturned``, ``KeysError/Code/erasureListUnusable``, `PostgresError`.
    package static func check(_ list: ErasureList?, _ reader: PostgresPool, logger: Logger) async throws {
        guard let list else { return }
        var returned = 0, unfinished = 0
        for (ledger, entries) in Dictionary(grouping: try list.read(), by: \.ledger) {
            let ids = Array(Set(entries.map(\.id)))
            for start in stride(from: 0, to: ids.count, by: chunk) {
                let some = Array(ids[start..<min(start + chunk, ids.count)])
                let rows = try await reader.withConnection { connection in
                    try await connection.query(
                        """
                        SELECT e.person_id IS NOT NULL AND e.destroyed_at IS NULL FROM tenure.person_key AS k
                        LEFT JOIN tenure.erasure AS e ON e.ledger_id = k.ledger_id AND e.person_id = k.key_id
                        WHERE k.ledger_id = \(ledger) AND k.key_id = ANY (\(some))
                        """)
                }
                for row in rows {
                    if try row.decode(Bool.self) { unfinished += 1 } else { returned += 1 }
                }
            }
        }
        if unfinished > 0 {
            logger.warning(
                "erasures are not finished; run tenure erase --resume", metadata: ["persons": "\(unfinished)"])
        }
        guard returned == 0 else { throw refusal(returned, list) }
    }

    private static func refusal(_ count: Int, _ list: ErasureList) -> KeysError {
        KeysError(
            code: .erasedReturned,
            reason: """
                \(count) of the persons on the erase list \(count == 1 ? "has a key" : "have keys") in this database: \
                it was restored from a backup from before the erasure, or an erasure was begun and not recorded
                """,
            remedy: "run tenure erase --reapply, which erases them again by \(list.path), and start again")
    }
}
