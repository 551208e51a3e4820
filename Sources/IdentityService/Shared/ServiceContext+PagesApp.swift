import Canonical
import EventCoding
import Identity

extension ServiceContext {
    /// The app that the pages act as; `nil` without pages.
    func pagesApp(at time: Timestamp) async throws -> AppID? {
        guard let secret = try await pagesSecret.current(at: time) else { return nil }
        let app = AppID(secret.app)
        return try await StateLoader(reader: reader).app(app).state.isPagesApp ? app : nil
    }
}
