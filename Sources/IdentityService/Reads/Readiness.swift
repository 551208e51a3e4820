import FoundationEssentials
import Postgres

/// What keeps the service from being ready.
struct Readiness: Sendable {
    let context: ServiceContext

    func run() async -> [String] {
        var missing: [String] = []
        do {
            let rows = try await context.pool.withConnection { connection in
                try await connection.query("SELECT pg_is_in_recovery()")
            }
            if try rows.first?.decode(Bool.self) != false { missing.append("the database does not accept writes") }
        } catch {
            missing.append("the database does not answer")
        }
        return missing
    }
}
