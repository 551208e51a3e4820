import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends requests with a `URLSession` that stores no cookies, has no cache and follows no redirects.
///
/// A proxy of the system or the environment carries requests to other machines over TLS only: in clear text it would
/// read tokens and secrets. On Linux, where a `URLSession` cannot leave out a proxy, requests in clear text have
/// connections of their own.
public struct URLSessionTransport: Transport {
    private let connection: URLSessionConnection
    #if canImport(FoundationNetworking)
    private let timeout: Double
    #else
    private let direct: URLSessionConnection
    #endif

    /// Creates a transport. `timeout` is the number of seconds to wait for a response.
    public init(timeout: Double = 30) {
        connection = URLSessionConnection(timeout: timeout, usesProxies: true)
        #if canImport(FoundationNetworking)
        self.timeout = timeout
        #else
        direct = URLSessionConnection(timeout: timeout, usesProxies: false)
        #endif
    }

    /// Sends one request once.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/addressInvalid`` or
    ///   ``TenureClientError/Code/responseInvalid``; the error of the connection; `CancellationError`.
    public func send(_ request: WireRequest) async throws -> WireResponse {
        guard let url = URL(string: request.url), let scheme = url.scheme?.lowercased(), url.host != nil,
            ["http", "https"].contains(scheme)
        else { throw TenureClientError(.addressInvalid) }
        #if canImport(FoundationNetworking)
        if scheme == "http" { return try await ClearTextExchange(request, url, timeout: timeout).run() }
        guard !ProxyRule.isDirect(url) || !ProxyRule.environmentNamesProxy(for: url.host ?? "") else {
            throw TenureClientError(.addressInvalid)
        }
        #else
        let connection = ProxyRule.isDirect(url) ? direct : connection
        #endif
        var wire = URLRequest(url: url)
        wire.httpMethod = request.method
        for (name, value) in request.headers { wire.setValue(value, forHTTPHeaderField: name) }
        wire.httpBody = request.body.map { Data($0) }
        let (data, response) = try await connection.data(for: wire)
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { headers[name.lowercased()] = value }
        }
        return WireResponse(status: response.statusCode, headers: headers, body: Array(data))
    }
}

/// A session that is invalidated with its last user.
final class URLSessionConnection: Sendable {
    private let session: URLSession
    private let exchanges = URLSessionExchanges()

    init(timeout: Double, usesProxies: Bool) {
        let configuration = URLSessionConfiguration.ephemeral
        // An empty dictionary overrides the system's settings. FoundationNetworking does not read it.
        if !usesProxies { configuration.connectionProxyDictionary = [:] }
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.timeoutIntervalForRequest = timeout
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request and waits for the whole response. Cancellation ends the wait at once.
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

/// The delegate of a session: collects each response and delivers it once.
///
/// It is a delegate because the session's async calls in FoundationNetworking do not return the body of a 401 response:
/// they treat the response as an authentication challenge and wait for a credential until the request times out.
///
/// `@unchecked Sendable`: `waiting` and `ended` are accessed only while `lock` is held.
final class URLSessionExchanges: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    typealias Reply = CheckedContinuation<(Data, HTTPURLResponse), any Error>

    /// The maximum size of a response in bytes.
    static let maximumBytes = 4_194_304

    private let lock = NSLock()
    private var waiting: [Int: (reply: Reply, body: Data)] = [:]
    /// The tasks that ended before a caller waited for them.
    private var ended: Set<Int> = []

    /// Registers a caller for the response of a task. Returns `false` if the task was cancelled before.
    func begin(_ task: Int, _ reply: Reply) -> Bool {
        let isOpen = lock.withLock {
            guard ended.remove(task) == nil else { return false }
            waiting[task] = (reply, Data())
            return true
        }
        if !isOpen { reply.resume(throwing: CancellationError()) }
        return isOpen
    }

    /// Delivers the result, unless that has been done before.
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
            // FoundationNetworking reports a missing credential as an error, but the response has been received.
            end(task.taskIdentifier, .success((body, response)))
        case (_, let error?): end(task.taskIdentifier, .failure(error))
        case (nil, nil): end(task.taskIdentifier, .failure(TenureClientError(.responseInvalid)))
        }
    }

    /// Follows no redirect: credentials go to the configured address only.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }

    /// Offers no credentials besides those in the request. The system validates certificates as usual.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let ours = [NSURLAuthenticationMethodDefault, NSURLAuthenticationMethodHTTPBasic]
        let isOurs = ours.contains(challenge.protectionSpace.authenticationMethod)
        completionHandler(isOurs ? .rejectProtectionSpace : .performDefaultHandling, nil)
    }
}
