import Canonical
import FoundationEssentials
import Postgres
import Synchronization

/// The secret that the pages act with, opened, and kept for a moment.
final class PagesAppSecret: Sendable {
    /// An opened secret.
    struct Opened: Sendable, Equatable, Redacted {
        let app: UUID
        /// The secret, as an app would present it.
        let text: String
    }

    /// How long a secret is kept. The log says whether it is in force, at every use.
    static let lifetime: Duration = .seconds(2)

    private let pool: PostgresPool
    private let rows: RowAuthentication
    private let kept = Mutex<(secret: Opened, readAt: ContinuousClock.Instant)?>(nil)

    init(pool: PostgresPool, rows: RowAuthentication) {
        self.pool = pool
        self.rows = rows
    }

    /// Returns the secret; `nil` without pages, or if the row was not written by this service with these keys.
    ///
    /// - Parameter isFresh: Whether the row is read, however short ago it was read.
    func current(at time: Timestamp, isFresh: Bool = false) async throws -> Opened? {
        let now = ContinuousClock.now
        if !isFresh, let kept = kept.withLock({ $0 }), now < kept.readAt + Self.lifetime { return kept.secret }
        let row = try await PagesAppRow.read(pool, rows, at: time)
        let opened = row.flatMap { row in row.text(rows.ring).map { Opened(app: row.app, text: $0) } }
        kept.withLock { $0 = opened.map { ($0, now) } }
        return opened
    }
}
