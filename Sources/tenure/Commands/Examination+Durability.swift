import IdentityService
import Postgres

extension Examination {
    /// Whether the database keeps what the service acknowledges, in a session as the service has them.
    func durability() async -> [Finding] {
        await inDatabase("durability", as: .application) { pool in Self.findings(try await Durability.read(pool)) }
    }

    static func findings(_ durability: Durability) -> [Finding] {
        let weaknesses = durability.weaknesses
        guard !weaknesses.isEmpty else {
            return [
                Finding(
                    subject: "durability", verdict: .good,
                    detail: "what is acknowledged is on the disk: fsync and full_page_writes are on, "
                        + "synchronous_commit is \(durability.synchronousCommit)")
            ]
        }
        return weaknesses.map { weakness in
            Finding(
                subject: weakness.setting, verdict: weakness.losesEvents ? .bad : .note,
                detail: "off: \(weakness.consequence)",
                remedy: weakness.losesEvents ? "turn it on for the server, the database and tenure_app" : nil)
        }
    }
}
