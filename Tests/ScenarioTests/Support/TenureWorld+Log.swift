import Foundation
import Postgres

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
