import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends requests with a session of its own that keeps no cookies and no cache and follows no redirect.
public struct URLSessionTransport: Transport {
    private let connection: URLSessionConnection

    /// Makes a session; `timeout` is how many seconds a response may take.
    public init(timeout: Double = 30) { connection = URLSessionConnection(timeout: timeout) }

    /// Sends one request once.
    public func send(_ request: WireRequest) async throws -> WireResponse {
        guard let url = URL(string: request.url) else { throw TenureClientError(.addressInvalid) }
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
