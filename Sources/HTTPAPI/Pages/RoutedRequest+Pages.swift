import ErrorCodes
import IdentityService

extension RoutedRequest {
    /// Returns the app that the pages act as. All page routes act as that app, with the use cases of every app.
    ///
    /// - Throws: `route.unknown` without one: the operator has disabled the pages since the service was started.
    func pagesApp() async throws -> AppCaller {
        guard let app = try await run(ActAsPagesApp()) else { throw Refusal(.routeUnknown) }
        return app
    }
}
