package import Postgres

/// Whether the pages for browsers are enabled, as the reader role sees it.
package struct PagesPresence: Sendable, Equatable {
    /// The public URL that the service was last started with; `nil` if it was not started with pages yet.
    package let publicURL: String?

    /// Reads it; `nil` without pages.
    ///
    /// - Parameter reader: Connections of the reader role, which sees no secret.
    package static func read(_ reader: PostgresPool) async throws -> PagesPresence? {
        let rows = try await reader.withConnection { connection in
            try await connection.query("SELECT public_url FROM tenure.pages_app WHERE is_only")
        }
        return try rows.first.map { PagesPresence(publicURL: try $0.decode(String?.self)) }
    }

    /// The gauge in the Prometheus text format; empty if the database does not answer.
    package static func metrics(_ reader: PostgresPool) async -> String {
        let pages: PagesPresence?
        do { pages = try await read(reader) } catch { return "" }
        return """
            # HELP tenure_pages_enabled Whether the pages for browsers are enabled, 1 or 0.
            # TYPE tenure_pages_enabled gauge
            tenure_pages_enabled \(pages == nil ? 0 : 1)

            """
    }
}
