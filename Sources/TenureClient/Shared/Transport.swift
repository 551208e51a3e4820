/// A request as it is sent.
public struct WireRequest: Sendable {
    /// The method.
    public var method: String
    /// The absolute URL, with the path percent-encoded.
    public var url: String
    /// Header fields by name.
    public var headers: [String: String]
    /// The body; `nil` sends none.
    public var body: [UInt8]?
}

/// A response as it was received.
public struct WireResponse: Sendable {
    /// The HTTP status.
    public var status: Int
    /// Header fields by lower-case name.
    public var headers: [String: String]
    /// The body.
    public var body: [UInt8]

    /// Describes a response.
    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Sends requests. Tests and apps can provide their own.
///
/// ```swift
/// struct LoggingTransport: Transport {
///     let base = URLSessionTransport()
///
///     func send(_ request: WireRequest) async throws -> WireResponse {
///         let response = try await base.send(request)
///         print(request.method, response.status)
///         return response
///     }
/// }
/// ```
public protocol Transport: Sendable {
    /// Sends one request once.
    ///
    /// - Throws: Any error if no response was received; the client then retries. ``TenureClientError`` and
    ///   `CancellationError` reach the caller at once.
    func send(_ request: WireRequest) async throws -> WireResponse
}

/// How often and how long a call is retried.
public struct RetryPolicy: Sendable {
    /// The maximum number of attempts of a call.
    public var attempts: Int
    /// The wait before the first retry. It doubles with each retry.
    public var firstWait: Duration
    /// The longest wait; a response that requests a longer one is returned to the caller.
    public var longestWait: Duration

    /// Describes a policy. The default makes at most four attempts and waits at most ten seconds between two.
    public init(
        attempts: Int = 4, firstWait: Duration = .milliseconds(200), longestWait: Duration = .seconds(10)
    ) {
        self.attempts = max(1, attempts)
        self.firstWait = firstWait
        self.longestWait = longestWait
    }

    /// The wait after the attempt with this number (from 1), or `nil` if it was the last.
    ///
    /// If a response requests more than the longest wait, the caller gets the response instead. `draw` is a random
    /// number from 0 to 1: the policy's wait is between a half and the whole of its value, so that many clients do not
    /// retry together.
    func wait(after attempt: Int, retryAfter: Int?, draw: Double = 1) -> Duration? {
        guard attempt < attempts else { return nil }
        let own = min(firstWait * (1 << min(attempt - 1, 16)), longestWait) * (0.5 + draw / 2)
        let asked = retryAfter.map { Duration.seconds($0) } ?? .zero
        guard asked <= longestWait else { return nil }
        return min(max(own, asked), longestWait)
    }
}
