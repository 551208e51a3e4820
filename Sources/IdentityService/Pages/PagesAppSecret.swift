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

    private let pool: PostgresPool
    private let rows: RowAuthentication
    /// The public URL that device keys belong to; `nil` asks no question about it.
    private let url: String?
    private let logger: Logger
    private let lifetime: Duration
    private let kept = Mutex<(secret: Opened, readAt: ContinuousClock.Instant)?>(nil)
    /// When the row was read on demand and there was no secret: strangers ask for pages that are disabled too.
    private let absentAt = Mutex<ContinuousClock.Instant?>(nil)
    /// The refusal that the log has.
    private let reported = Mutex<PublicURLChanged?>(nil)

    /// - Parameter lifetime: How long a secret is kept, or that there is none. The log says whether a secret is in force,
    ///   at every use.
    init(
        pool: PostgresPool, rows: RowAuthentication, url: String? = nil, lifetime: Duration = .seconds(2),
        logger: Logger
    ) {
        (self.pool, self.rows, self.url, self.lifetime, self.logger) = (pool, rows, url, lifetime, logger)
    }

    /// Returns the secret; `nil` without pages, if the row was not written by this service with these keys, or if the
    /// device keys of browsers belong to another public URL. The first process that finds no URL remembers its own.
    ///
    /// - Parameter isFresh: Whether the row is read, however short ago a secret was found. If there is none then, that
    ///   is kept too: pages that are enabled are served once the lifetime is over.
    func current(at time: Timestamp, isFresh: Bool = false) async throws -> Opened? {
        let now = ContinuousClock.now
        if let absentAt = absentAt.withLock({ $0 }), now < absentAt + lifetime { return nil }
        if !isFresh, let kept = kept.withLock({ $0 }), now < kept.readAt + lifetime { return kept.secret }
        var row = try await PagesAppRow.read(pool, rows, at: time)
        if let url, let found = row, try await !remembers(url, found, at: time) { row = nil }
        let opened = row.flatMap { row in row.text(rows.ring).map { Opened(app: row.app, text: $0) } }
        let wasKept = kept.withLock { kept in
            defer { kept = opened.map { ($0, now) } }
            return kept != nil
        }
        if isFresh { absentAt.withLock { $0 = opened == nil ? now : nil } }
        if wasKept, opened == nil {
            logger.warning("the pages for browsers are disabled; tenure pages enable serves them")
        }
        return opened
    }

    private func remembers(_ url: String, _ row: PagesAppRow, at time: Timestamp) async throws -> Bool {
        var isRemembered = row.publicURL == url, refusal: PublicURLChanged?
        if !isRemembered {
            do { isRemembered = try await PagesStart(pool, rows.ring, logger: logger).run(at: time, url: url) } catch {
                guard let error = error as? PublicURLChanged else { throw error }
                refusal = error
            }
        }
        let isNew = reported.withLock { reported in
            defer { reported = refusal }
            return reported != refusal
        }
        if isNew, let refusal { logger.error("pages are not served: \(refusal)") }
        return isRemembered
    }
}
