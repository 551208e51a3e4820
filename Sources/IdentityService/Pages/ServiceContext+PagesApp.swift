import Canonical
import EventCoding
import Identity
import Logging
import Postgres

extension ServiceContext {
    /// What use cases of the pages share.
    struct Pages: Sendable {
        /// The secret that the pages act with.
        let secret: PagesAppSecret

        init(_ pool: PostgresPool, _ rows: RowAuthentication, _ settings: ServiceSettings, _ logger: Logger) {
            secret = PagesAppSecret(pool: pool, rows: rows, url: settings.pagesURL, logger: logger)
        }
    }

    /// The app that the pages act as; `nil` without pages.
    func pagesApp(at time: Timestamp) async throws -> AppID? {
        guard let secret = try await pages.secret.current(at: time) else { return nil }
        let app = AppID(secret.app)
        return try await StateLoader(reader: reader).app(app).state.isPagesApp ? app : nil
    }
}
