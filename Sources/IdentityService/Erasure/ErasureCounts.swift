public import Postgres

/// How many erasures wait for which version of the master keys to be destroyed.
public struct ErasureCounts: Sendable, Equatable {
    /// By version: those of people whose keys were wrapped under it last.
    private var waiting: [Int: Int] = [:]
    /// The same without those that are not finished.
    private var finished: [Int: Int] = [:]
    /// Erasures that were begun and not finished.
    public private(set) var open = 0

    /// Counts, over connections of the reader role.
    public static func count(on reader: PostgresPool) async throws -> ErasureCounts {
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

    /// How many wait for the end of a version that exists: all whose keys were wrapped under it or under a later one,
    /// because backups from before a rotation have the same keys wrapped under the version of then.
    public func waiting(forTheEndOf version: Int) -> Int {
        waiting.filter { $0.key >= version }.values.reduce(0, +)
    }

    /// How many are complete when these versions are all that exist.
    public func complete(holding versions: some Collection<Int>) -> Int {
        let oldest = versions.min() ?? .max
        return finished.filter { $0.key < oldest }.values.reduce(0, +)
    }
}
