import Canonical
import FoundationEssentials
import Logging
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
    /// The public URL that device keys belong to; `nil` asks no question about it.
    private let url: String?
    private let logger: Logger
    private let kept = Mutex<(secret: Opened, readAt: ContinuousClock.Instant)?>(nil)

    init(pool: PostgresPool, rows: RowAuthentication, url: String? = nil, logger: Logger) {
        (self.pool, self.rows, self.url, self.logger) = (pool, rows, url, logger)
    }

    /// Returns the secret; `nil` without pages, if the row was not written by this service with these keys, or if the
    /// device keys of browsers belong to another public URL. The first process that finds no URL remembers its own.
    ///
    /// - Parameter isFresh: Whether the row is read, however short ago it was read.
    func current(at time: Timestamp, isFresh: Bool = false) async throws -> Opened? {
        let now = ContinuousClock.now
        if !isFresh, let kept = kept.withLock({ $0 }), now < kept.readAt + Self.lifetime { return kept.secret }
        var row = try await PagesAppRow.read(pool, rows, at: time)
        if let url, let found = row, found.publicURL != url, try await !remembers(url, at: time) { row = nil }
        let opened = row.flatMap { row in row.text(rows.ring).map { Opened(app: row.app, text: $0) } }
        let wasKept = kept.withLock { kept in
            defer { kept = opened.map { ($0, now) } }
            return kept != nil
        }
        if wasKept, opened == nil {
            logger.warning("the pages for browsers are disabled; tenure pages enable serves them")
        }
        return opened
    }

    private func remembers(_ url: String, at time: Timestamp) async throws -> Bool {
        do { return try await PagesStart(pool, rows.ring, logger: logger).run(at: time, url: url) } catch {
            guard let error = error as? PublicURLChanged else { throw error }
            logger.error("pages are not served: \(error)")
            return false
        }
    }
}
