import Canonical
import Foundation
import Ledger
import Postgres
import Testing

extension TenureWorld {
    /// Changes the newest entry of a type in a company's ledger, as whoever owns the database can before the seal.
    ///
    /// - Parameter change: The members of `data` to exchange, each by a text of its place.
    /// - Returns: The entry's position.
    func forge(
        _ type: String, of company: String, _ change: (JSONValue) throws -> [(old: String?, new: String)]
    ) async throws -> Int64 {
        try await forge(type, in: try await ledger(company).uuid, change)
    }

    /// The same in any ledger.
    func forge(
        _ type: String, in ledger: UUID, _ change: (JSONValue) throws -> [(old: String?, new: String)]
    ) async throws -> Int64 {
        let rows = try await superuser { connection in
            try await connection.query(
                """
                SELECT position, entry FROM tenure.event WHERE ledger_id = \(ledger) AND type = \(type)
                ORDER BY position DESC LIMIT 1
                """)
        }
        let (position, entry) = try #require(rows.first).decode(Int64.self, [UInt8].self)
        var text = String(decoding: entry, as: UTF8.self)
        let data = try #require(try StrictJSON.parse(entry)["data"])
        for (old, new) in try change(data) {
            let old = try #require(old)
            try #require(text.contains(old))
            text = text.replacing(old, with: new)
        }
        let changed = Array(text.utf8)
        _ = try await superuser { connection in
            try await connection.query(
                "UPDATE tenure.event SET entry = \(changed) WHERE ledger_id = \(ledger) AND position = \(position)")
        }
        return position
    }
}
