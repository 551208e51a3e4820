import Canonical
import Foundation
import Testing

/// An app's view of one instance of the service.
struct Client: Sendable {
    let port: UInt16
    let app: TestApp

    init(_ url: URL, _ app: TestApp) throws {
        port = UInt16(try #require(url.port))
        self.app = app
    }

    /// The same instance, called by another app or with another secret.
    func by(_ app: TestApp) -> Client { Client(port: port, app: app) }

    /// The same instance, called with another secret of the app.
    func with(secret: String) -> Client {
        Client(port: port, app: TestApp(appId: app.appId, secret: secret, salt: app.salt))
    }

    private init(port: UInt16, app: TestApp) {
        self.port = port
        self.app = app
    }

    /// Sends one request over a connection of its own.
    func send(_ request: HTTPRequest) async throws -> HTTPReply {
        try HTTPReply(try await TCPConnection.exchange(request.bytes, port: port))
    }

    /// Sends one request and loses the reply.
    func lose(_ request: HTTPRequest, cut: TCPConnection.Cut) async throws {
        try await TCPConnection.send(request.bytes, port: port, cut: cut)
    }

    /// A request of the app, or of another caller.
    func request(
        _ method: String, _ path: String, _ json: JSONValue? = nil, by caller: Caller? = nil, key: String? = nil
    ) -> HTTPRequest {
        let request = HTTPRequest(method, path, by: caller ?? .app(app), json: json)
        return key.map { request.with("Idempotency-Key", $0) } ?? request
    }

    /// `POST`, by the app unless another caller is named.
    func post(
        _ path: String, _ json: JSONValue? = nil, by caller: Caller? = nil, key: String? = nil
    ) async throws -> HTTPReply {
        try await send(request("POST", path, json, by: caller, key: key))
    }

    /// `GET`, by the app unless another caller is named; waits until views have reached a position.
    func get(_ path: String, by caller: Caller? = nil, at position: Int64? = nil) async throws -> HTTPReply {
        let request = request("GET", path, by: caller)
        return try await send(position.map { request.with("Tenure-Wait-For", String($0)) } ?? request)
    }
}

extension TenureWorld {
    /// The world's own app at the world's first instance.
    var client: Client { get throws { try Client(baseURL, app) } }
}
