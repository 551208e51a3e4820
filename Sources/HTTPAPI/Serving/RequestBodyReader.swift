import Hummingbird
import NIOCore
import TenureAPI

/// Reads a whole body within bounds of size and time.
struct RequestBodyReader {
    let limits: HTTPLimits

    /// The bytes of the body.
    ///
    /// The body is read before anything else is decided, so that an early refusal leaves nothing on the connection.
    /// Where it cannot be read to its end the connection is closed after the refusal.
    func read(_ request: Request, headers: RequestHeaders) async throws(Refusal) -> [UInt8] {
        let length = try contentLength(headers)
        if let length, length > limits.bodyBytes { throw tooLarge }
        if length == nil, headers.all("Transfer-Encoding").isEmpty, request.method == .get || request.method == .head {
            return []
        }
        let bytes = try await collect(request.body)
        if let length, length != bytes.count { throw .unreadable("the body ends early") }
        return bytes
    }

    private var tooLarge: Refusal { .unreadable("a body of at most \(limits.bodyBytes) bytes is expected") }

    private func contentLength(_ headers: RequestHeaders) throws(Refusal) -> Int? {
        guard let text = try headers.single("Content-Length") else { return nil }
        guard let length = Int64(decimal: text) else { throw .unreadable("a length is expected") }
        return Int(length)
    }

    private func collect(_ body: RequestBody) async throws(Refusal) -> [UInt8] {
        let limits = limits
        let result = await withTaskGroup(of: Result<[UInt8], Refusal>.self) { group in
            group.addTask {
                var bytes: [UInt8] = []
                do {
                    for try await chunk in body {
                        guard bytes.count + chunk.readableBytes <= limits.bodyBytes else { return .failure(tooLarge) }
                        bytes += chunk.readableBytesView
                    }
                } catch {
                    return .failure(.unreadable("the body breaks the framing of HTTP or was cut off"))
                }
                return .success(bytes)
            }
            group.addTask {
                try? await Task.sleep(for: limits.bodyTimeout)
                return .failure(.unreadable("the body did not arrive in time"))
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.unreadable("the body could not be read"))
        }
        return try result.get()
    }
}
