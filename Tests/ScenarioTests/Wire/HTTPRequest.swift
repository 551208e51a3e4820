import Canonical
import Foundation

/// A request as it goes over the wire; nothing is added to it but `Host`, `Content-Length` and `Connection`.
struct HTTPRequest: Sendable {
    var method: String
    var path: String
    var headers: [(name: String, value: String)] = []
    var body: [UInt8]?

    /// A request with a JSON body.
    init(_ method: String, _ path: String, by caller: Caller = .nobody, json: JSONValue? = nil) {
        self.method = method
        self.path = path
        if let authorization = caller.authorization { headers.append(("Authorization", authorization)) }
        if let json {
            body = json.canonicalBytes()
            headers.append(("Content-Type", "application/json"))
        }
    }

    /// The same with one more header field.
    func with(_ name: String, _ value: String) -> HTTPRequest {
        var request = self
        request.headers.append((name, value))
        return request
    }

    /// The same with exactly this body, which says that it is JSON.
    func with(body: String) -> HTTPRequest {
        var request = self
        request.body = Array(body.utf8)
        if !headers.contains(where: { $0.name == "Content-Type" }) {
            request.headers.append(("Content-Type", "application/json"))
        }
        return request
    }

    /// The bytes; the service closes after its reply.
    var bytes: [UInt8] {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        return Array((head + "\r\n").utf8) + (body ?? [])
    }
}

/// Who calls.
enum Caller: Sendable {
    /// An app with its secret.
    case app(TestApp)
    /// An employee with an access token.
    case session(String)
    /// Somebody with this `Authorization` field.
    case raw(String)
    /// Nobody.
    case nobody

    var authorization: String? {
        switch self {
        case .app(let app): "Basic " + Base64.encode(Array("\(app.appId):\(app.secret)".utf8))
        case .session(let token): "Bearer \(token)"
        case .raw(let value): value
        case .nobody: nil
        }
    }
}

/// A segment of a path, with everything escaped that is not an unreserved character (RFC 3986 §2.3).
func segment(_ text: String) -> String {
    text.utf8.map { byte -> String in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            String(UnicodeScalar(byte))
        default: "%" + Hex.encode([byte]).uppercased()
        }
    }.joined()
}
