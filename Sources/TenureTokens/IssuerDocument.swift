import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// The answer to a GET request for an issuer's document.
struct IssuerDocument: Sendable {
    typealias Fetch = @Sendable (_ url: String) async throws -> IssuerDocument

    /// The greatest number of bytes of a document.
    static let byteLimit = 65_536
    /// How long one fetch may take.
    static let timeLimit: Duration = .seconds(5)

    /// The reason why an answer was not read.
    enum Failure: Error {
        case timedOut, redirected
    }

    var status = 200
    /// The value of `Cache-Control`; several are joined by commas.
    var cacheControl = ""
    var body: [UInt8]

    /// How long the document stays fresh, in seconds: its `max-age` within the bounds, five minutes if it has none.
    ///
    /// `no-store` and `no-cache` give the lower bound, because every verification would fetch otherwise.
    func lifetime(within bounds: ClosedRange<Int64>) -> Int64 {
        var age: Int64 = 300
        for directive in cacheControl.lowercased().split(separator: ",") {
            let words = directive.filter { $0 != " " && $0 != "\"" && $0 != "\t" }.split(separator: "=")
            switch words.first {
            case "no-store", "no-cache": return bounds.lowerBound
            case "max-age": age = words.count == 2 ? Int64(words[1]) ?? 0 : 0
            default: break
            }
        }
        return min(max(age, bounds.lowerBound), bounds.upperBound)
    }

    /// Fetches with an HTTP client. A redirect's answer is refused, because it can come from another origin.
    static func fetch(with http: HTTPClient) -> Fetch {
        { url in
            try await withThrowingTaskGroup(of: IssuerDocument.self) { group in
                group.addTask { try await get(url, with: http) }
                // The time limit of the client ends with the head of an answer; this one covers the body too.
                group.addTask {
                    try await Task.sleep(for: timeLimit)
                    throw Failure.timedOut
                }
                defer { group.cancelAll() }
                guard let document = try await group.next() else { throw Failure.timedOut }
                return document
            }
        }
    }

    private static func get(_ url: String, with http: HTTPClient) async throws -> IssuerDocument {
        var request = HTTPClientRequest(url: url)
        request.headers = ["accept": "application/json", "user-agent": "TenureTokens"]
        let response = try await http.execute(request, timeout: TimeAmount(timeLimit))
        guard response.history.count <= 1 else { throw Failure.redirected }
        let body = try await response.body.collect(upTo: byteLimit)
        return IssuerDocument(
            status: Int(response.status.code),
            cacheControl: response.headers[canonicalForm: "cache-control"].joined(separator: ","),
            body: Array(body.readableBytesView))
    }
}
