import AsyncHTTPClient
import Canonical
import NIOCore
import NIOHTTP1
import NIOSSL

/// Sends GET requests to D-TAs and reads their small answers. It follows no redirect, and logs nothing.
final class MPinAuthorityTransport: Sendable {
    /// The largest permitted number of bytes of an answer.
    static let largestBody = 8_192
    /// A D-TA closes a connection that was idle for 30 seconds. This side closes it earlier, so that no request meets
    /// the end of its connection.
    private static let idleTime: TimeAmount = .seconds(15)

    /// The answer to a request.
    struct Reply: Sendable {
        let status: Int
        let body: [UInt8]
        /// The value of the header `Date`, if it is there and in the usual form.
        let date: Timestamp?
    }

    /// The reason why there is no answer.
    enum Failure: Error {
        case unreachable, notTrusted, timedOut, tooLarge, unreadable

        init(_ error: any Error) {
            self =
                switch error {
                case let failure as Failure: failure
                case is NIOTooManyBytesError: .tooLarge
                case is HTTPParserError: .unreadable
                case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: .notTrusted
                case let error as HTTPClientError where Self.timeLimits.contains(error): .timedOut
                default: .unreachable
                }
        }

        private static let timeLimits: [HTTPClientError] = [
            .deadlineExceeded, .connectTimeout, .readTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout,
        ]
    }

    private let http: HTTPClient
    private let timeLimit: Duration

    /// - Throws: ``MPinAuthorityClientError/Code/certificatesUnreadable``.
    init(certificateAuthorityFile: String?, timeLimit: Duration) throws(MPinAuthorityClientError) {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let certificateAuthorityFile {
            tls.trustRoots = .certificates(try Self.certificates(certificateAuthorityFile))
        }
        let connect = TimeAmount(timeLimit)
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: connect, read: connect), connectionPool: .init(idleTimeout: Self.idleTime))
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        // A trace would hold the query, which is a permit.
        configuration.tracing.tracer = nil
        http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        self.timeLimit = timeLimit
    }

    // Whoever made a client and threw it away before it ran leaves no connection behind.
    deinit { http.shutdown { _ in } }

    private static func certificates(_ file: String) throws(MPinAuthorityClientError) -> [NIOSSLCertificate] {
        if let certificates = try? NIOSSLCertificate.fromPEMFile(file), !certificates.isEmpty { return certificates }
        throw MPinAuthorityClientError(.certificatesUnreadable, "\(file) holds no certificates in PEM")
    }

    /// Ends all connections. Later requests fail.
    func shutDown() async { try? await http.shutdown() }

    /// Sends a request, and once more if the connection failed.
    func get(_ url: String) async throws(Failure) -> Reply {
        do {
            return try await withThrowingTaskGroup(of: Reply.self) { group in
                group.addTask { try await self.repeated(url) }
                // The time limit of the client ends with the head of an answer; this one covers the body too.
                group.addTask { [timeLimit] in
                    try await Task.sleep(for: timeLimit)
                    throw Failure.timedOut
                }
                defer { group.cancelAll() }
                guard let reply = try await group.next() else { throw Failure.unreachable }
                return reply
            }
        } catch {
            throw Failure(error)
        }
    }

    private func repeated(_ url: String) async throws -> Reply {
        do {
            return try await exchange(url)
        } catch {
            guard Failure(error) == .unreachable, !Task.isCancelled else { throw error }
            return try await exchange(url)
        }
    }

    private func exchange(_ url: String) async throws -> Reply {
        var request = HTTPClientRequest(url: url)
        request.headers = ["accept": "application/json", "user-agent": "tenure"]
        let response = try await http.execute(request, timeout: TimeAmount(timeLimit))
        let body = try await response.body.collect(upTo: Self.largestBody)
        return Reply(
            status: Int(response.status.code), body: Array(body.readableBytesView),
            date: response.headers.first(name: "date").flatMap(HTTPDate.read))
    }
}

/// The form of times in HTTP: `Mon, 23 Nov 2026 13:58:16 GMT`.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Reads a time. Returns `nil` for any other form.
    static func read(_ text: String) -> Timestamp? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[1].count == 2, words[3].count == 4, words[5] == "GMT",
            let month = months.firstIndex(of: String(words[2]))
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        return Timestamp("\(words[3])-\(number)-\(words[1])T\(words[4]).000000Z")
    }
}
