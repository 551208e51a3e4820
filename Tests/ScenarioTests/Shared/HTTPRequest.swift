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

/// A reply as it came over the wire.
struct HTTPReply: Sendable, CustomStringConvertible {
    /// Why bytes are no reply.
    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    let status: Int
    /// Field values by lower-case name; of a repeated field the values are joined.
    let headers: [String: String]
    let body: [UInt8]

    /// Reads a whole reply.
    init(_ bytes: [UInt8]) throws {
        // By bytes: in a text, what a binary body begins with can join the line end before it.
        let end = Array("\r\n\r\n".utf8)
        guard let gap = bytes.indices.dropLast(3).first(where: { Array(bytes[$0..<$0 + 4]) == end }) else {
            throw Malformed(description: "no head in \(bytes.count) bytes")
        }
        let lines = String(decoding: bytes[..<gap], as: UTF8.self).components(separatedBy: "\r\n")
        let parts = lines[0].split(separator: " ", maxSplits: 2)
        guard parts.count >= 2, parts[0] == "HTTP/1.1", let status = Int(parts[1]) else {
            throw Malformed(description: "no status line")
        }
        self.status = status
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let pair = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { throw Malformed(description: "a header line without a colon") }
            let name = pair[0].lowercased()
            let value = pair[1].trimmingCharacters(in: .whitespaces)
            headers[name] = headers[name].map { $0 + ", " + value } ?? value
        }
        self.headers = headers
        body = Array(bytes[(gap + end.count)...])
        if let length = headers["content-length"], Int(length) != body.count {
            throw Malformed(description: "\(body.count) bytes where \(length) were announced")
        }
    }

    /// The body as a document; the strict reader also refuses what the service must not write.
    var json: JSONValue {
        get throws { try StrictJSON.parse(body, limits: .init(bytes: 4_000_000, depth: 32)) }
    }

    /// A member of the document, or nil.
    subscript(_ name: String) -> JSONValue? { try? json[name] }

    /// The stable code of a problem document.
    var code: String? { self["code"]?.text }
    /// The outcome of a step or a decision.
    var outcome: String? { self["outcome"]?.text }
    /// The next bytes to sign.
    var challenge: String? { self["challenge"]?.text }
    /// The status with what names the reply, without tokens.
    var description: String { "\(status) \(code ?? outcome ?? "")" }
}

extension JSONValue {
    /// The string, or nil.
    var text: String? { if case .string(let text) = self { text } else { nil } }
    /// The integer, or nil.
    var number: Int64? { if case .integer(let number) = self { number } else { nil } }
    /// The boolean, or nil.
    var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    /// The items; none when this is no array.
    var items: [JSONValue] { if case .array(let items) = self { items } else { [] } }
    /// The members; none when this is no object.
    var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }
}
