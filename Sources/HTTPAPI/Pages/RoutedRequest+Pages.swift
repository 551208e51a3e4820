import ErrorCodes
import IdentityService

extension RoutedRequest {
    /// Returns the app that the pages act as. All page routes act as that app, with the use cases of every app.
    ///
    /// - Throws: `route.unknown` without one, for the page that says that the pages are disabled.
    func pagesApp() async throws -> AppCaller {
        if let foundPagesApp { return foundPagesApp }
        guard let app = try await run(ActAsPagesApp()) else {
            var refusal = Refusal(.routeUnknown)
            refusal.notice = .disabled
            throw refusal
        }
        return app
    }
}
