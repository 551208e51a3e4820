import ArgumentParser
import Canonical
import Foundation
import TenureAPI

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Calls the API as the demo app, over HTTP like any other app.
struct DemoCaller: Sendable {
    private let url: String
    private let authorization: String

    init(_ environment: DevelopmentEnvironment) {
        url = environment.url
        authorization = "Basic " + Base64.encode(Array("\(environment.appId):\(environment.appSecret)".utf8))
    }

    /// Calls an endpoint.
    ///
    /// - Parameters:
    ///   - captures: The values of the path's captures.
    ///   - body: The body, when the endpoint wants one.
    /// - Throws: The service's `Problem` as ``DemoRefusal``.
    func call<Response: JSONConvertible>(
        _ endpoint: Endpoint, _ captures: [String: String] = [:], body: (any JSONConvertible)? = nil
    ) async throws -> Response {
        guard let address = URL(string: url + endpoint.template.path(captures)) else {
            throw CommandFailure(.failure, "the demo data names a path that is no URL")
        }
        var request = URLRequest(url: address)
        request.httpMethod = endpoint.method
        request.setValue(authorization, forHTTPHeaderField: "Authorization")
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(body.bytes)
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        guard let status = (response as? HTTPURLResponse)?.statusCode, (200..<300).contains(status) else {
            throw DemoRefusal(problem: try Problem(bytes: data))
        }
        return try Response(bytes: data)
    }
}

/// A refusal of the service while the demo company was founded.
struct DemoRefusal: Error, Sendable {
    let problem: Problem
}
