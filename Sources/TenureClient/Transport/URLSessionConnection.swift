import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A session that ends with its last user.
final class URLSessionConnection: Sendable {
    private let session: URLSession
    private let exchanges = URLSessionExchanges()

    init(timeout: Double) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.timeoutIntervalForRequest = timeout
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request and waits for the whole response. Cancelling ends the wait at once.
    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let task = session.dataTask(with: request)
        let (exchanges, identifier) = (exchanges, task.taskIdentifier)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if exchanges.begin(identifier, continuation) { task.resume() }
            }
        } onCancel: {
            exchanges.end(identifier, .failure(CancellationError()))
            task.cancel()
        }
    }
}
