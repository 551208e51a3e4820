package import Canonical
package import Keys
package import Logging
package import Postgres

/// Looks at the start of a service whether there are pages, and under which public URL.
///
/// Browsers keep device keys for an origin. Under another public URL every browser is an unknown device, and the old
/// keys can never be used again: so the service remembers the URL and refuses another one that nobody confirmed.
package struct PagesStart: Sendable {
    /// What a start does about a public URL that is not the remembered one.
    package enum Change: Sendable {
        /// It fails.
        case refused
        /// It remembers the new one.
        case accepted
    }

    private let pool: PostgresPool
    private let ring: KeyRing
    private let logger: Logger

    /// - Parameter pool: Connections of the application role.
    package init(_ pool: PostgresPool, _ ring: KeyRing, logger: Logger) {
        self.pool = pool
        self.ring = ring
        self.logger = logger
    }

    /// Returns whether there are pages.
    ///
    /// - Parameters:
    ///   - url: The public URL, without a trailing slash; `nil` asks no question about it.
    ///   - change: What becomes of a changed one.
    /// - Throws: ``PublicURLChanged``.
    package func run(at time: Timestamp, url: String?, change: Change = .refused) async throws -> Bool {
        let rows = RowAuthentication(ring, logger: logger)
        while true {
            guard let row = try await PagesAppRow.read(pool, rows, at: time) else { return false }
            guard row.text(ring) != nil else {
                logger.error("the secret of the pages does not open; run tenure pages enable")
                return false
            }
            guard let url, row.publicURL != url else { return true }
            if let old = row.publicURL, change == .refused { throw PublicURLChanged(old: old, new: url) }
            // Of two starts at the same time the second one looks again.
            if try await row.remember(url, pool, ring) { return true }
        }
    }
}

/// The refusal to start under another public URL than before.
package struct PublicURLChanged: Error, Sendable, Hashable, CustomStringConvertible {
    /// The remembered one.
    package let old: String
    /// The one of the settings.
    package let new: String

    package var description: String {
        "the public URL was \(old) and is \(new): the device keys of all browsers belong to the old one"
    }
}
