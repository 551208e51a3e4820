import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What is under way on a session: collects each response and hands it over once.
///
/// A delegate, and not the session's async calls, because FoundationNetworking gives the body of a 401 to nobody else:
/// it takes the answer for a question, and waits for a credential until the request times out.
///
/// `@unchecked Sendable`: `waiting` and `ended` are read and written only while `lock` is held.
final class URLSessionExchanges: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    typealias Reply = CheckedContinuation<(Data, HTTPURLResponse), any Error>

    /// The most bytes of a response.
    static let maximumBytes = 4_194_304

    private let lock = NSLock()
    private var waiting: [Int: (reply: Reply, body: Data)] = [:]
    /// Tasks that ended before anybody waited for them.
    private var ended: Set<Int> = []

    /// Waits for the response of a task; `false` when the task was cancelled before.
    func begin(_ task: Int, _ reply: Reply) -> Bool {
        let isOpen = lock.withLock {
            guard ended.remove(task) == nil else { return false }
            waiting[task] = (reply, Data())
            return true
        }
        if !isOpen { reply.resume(throwing: CancellationError()) }
        return isOpen
    }

    /// Hands over the result, unless that was done before.
    func end(_ task: Int, _ result: Result<(Data, HTTPURLResponse), any Error>) {
        let reply = lock.withLock { () -> Reply? in
            guard let exchange = waiting.removeValue(forKey: task) else {
                if case .failure(is CancellationError) = result { ended.insert(task) }
                return nil
            }
            return exchange.reply
        }
        reply?.resume(with: result)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = lock.withLock { () -> Bool in
            waiting[dataTask.taskIdentifier]?.body.append(data)
            return waiting[dataTask.taskIdentifier].map { $0.body.count > Self.maximumBytes } ?? false
        }
        guard isTooLong else { return }
        end(dataTask.taskIdentifier, .failure(TenureClientError(.responseInvalid)))
        dataTask.cancel()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let body = lock.withLock { waiting[task.taskIdentifier]?.body } ?? Data()
        switch (task.response as? HTTPURLResponse, error) {
        case (let response?, nil): end(task.taskIdentifier, .success((body, response)))
        case (let response?, _?) where response.statusCode == 401:
            // FoundationNetworking's way of saying that no credential was offered; the answer is here all the same.
            end(task.taskIdentifier, .success((body, response)))
        case (_, let error?): end(task.taskIdentifier, .failure(error))
        case (nil, nil): end(task.taskIdentifier, .failure(TenureClientError(.responseInvalid)))
        }
    }

    /// Credentials go to the address that was configured and to no other.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }

    /// No credentials are offered but those that a request carries. Certificates are judged by the system as always.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let ours = [NSURLAuthenticationMethodDefault, NSURLAuthenticationMethodHTTPBasic]
        let isOurs = ours.contains(challenge.protectionSpace.authenticationMethod)
        completionHandler(isOurs ? .rejectProtectionSpace : .performDefaultHandling, nil)
    }
}
