import Canonical
import HTTPLimits
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import TenureAPI
import Testing

@testable import HTTPAPI

@Suite(.timeLimit(.minutes(5))) struct BodyTests {
    private static let head = """
        POST /v1/logins HTTP/1.1\r\nHost: x\r\nAuthorization: \(API.basic)\r\nContent-Type: application/json\r\n
        """

    /// Sends raw bytes to a server of its own.
    private func raw(
        _ parts: [String], pause: Duration = .zero, until last: String? = nil, timeout: Duration = .seconds(60),
        service: FakeService = FakeService()
    ) async throws -> (text: String, closed: Bool) {
        var configuration = HTTPConfiguration(port: 0)
        configuration.connections.bodyTimeout = timeout
        return try await API.with(service, configuration: configuration, live: true) { api in
            let port = try #require(api.client.port)
            return try await RawConnection(port: port).exchange(parts, pause: pause, until: last)
        }
    }

    @Test func `a body of exactly the limit is read, and one byte more is refused`() async throws {
        let frame = #"{"passphrase":""}"#
        try await API.with { api in
            for (count, status) in [(65_536, 200), (65_537, 413), (300_000, 413)] {
                let body = #"{"passphrase":"\#(String(repeating: "a", count: count - frame.utf8.count))"}"#
                let answer = try await api.send("POST", "/v1/logins/f/passphrase", body: body)
                #expect(answer.status == status)
                if status == 413 {
                    #expect(try answer.problem.code == "request.too_large")
                    #expect(try answer.problem.errors.first?.detail.contains("65536") == true)
                    #expect(answer.header("Connection") == "close")
                }
            }
        }
    }

    @Test(arguments: [("3", true), ("4", false), ("2", false), ("", false), ("-3", false), ("03", false)])
    func `a body is read only if its length equals its Content-Length`(length: String, isRead: Bool) async throws {
        let head = HTTPRequest(
            method: .post, scheme: "http", authority: "x", path: "/", headerFields: [.contentLength: length])
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: "abc")))
        let reader = RequestBodyReader(limits: RequestLimits(), timeout: .seconds(10))
        let bytes = try? await reader.read(request, headers: RequestHeaders(fields: head.headerFields))
        #expect(bytes == (isRead ? Array("abc".utf8) : nil))
    }

    @Test func `a length beyond the limit is refused unread and the connection closed`() async throws {
        let (text, closed) = try await raw([Self.head + "Content-Length: 10000000\r\n\r\n{"])
        #expect(text.hasPrefix("HTTP/1.1 413"))
        #expect(text.contains("request.too_large"))
        #expect(closed)
        #expect(text.ranges(of: "HTTP/1.1 ").count == 1, "one response: \(text)")
    }

    @Test(arguments: ["POST", "HEAD", "GET"])
    func `a caller that expects a 100 is refused before it sends a large body`(method: String) async throws {
        let head = Self.head.replacing("POST", with: method)
        let (text, closed) = try await raw([head + "Expect: 100-continue\r\nContent-Length: 65537\r\n\r\n"])
        #expect(text.hasPrefix("HTTP/1.1 413"))
        #expect(text.contains("request.too_large") == (method != "HEAD"))
        #expect(closed)
        #expect(text.ranges(of: "HTTP/1.1 ").count == 1, "one response: \(text)")
    }

    @Test(arguments: ["100-continue", "100-Continue"])
    func `a caller that expects a 100 is told to send its body`(expectation: String) async throws {
        let head = Self.head + "Expect: \(expectation)\r\nContent-Length: \(Samples.login.utf8.count)\r\n\r\n"
        let (text, _) = try await raw([head], until: "100 Continue\r\n\r\n")
        #expect(text == "HTTP/1.1 100 Continue\r\n\r\n", "nothing else before the body: \(text)")
        let (whole, _) = try await raw([head, Samples.login], pause: .milliseconds(50), until: "\"flow\"")
        #expect(whole.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201"), "\(whole)")
    }

    @Test(arguments: ["close", "Close", "TE, CLOSE"])
    func `a connection ends if one of its options is close`(options: String) async throws {
        let request = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: \(options)\r\n\r\n"
        let (text, closed) = try await raw([request])
        #expect(text.hasPrefix("HTTP/1.1 200") && closed)
    }

    @Test func `chunks are joined into one body`() async throws {
        let half = Samples.login.count / 2
        let parts = [String(Samples.login.prefix(half)), String(Samples.login.dropFirst(half))]
        let chunks = parts.map { String($0.utf8.count, radix: 16) + "\r\n" + $0 + "\r\n" }
        let (text, _) = try await raw(
            [Self.head + "Transfer-Encoding: chunked\r\n\r\n"] + chunks + ["0\r\n\r\n"], pause: .milliseconds(20),
            until: "\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 201"))
    }

    @Test func `chunks beyond the limit are refused and the connection closed`() async throws {
        let chunk = "8000\r\n" + String(repeating: "a", count: 0x8000) + "\r\n"
        let (text, closed) = try await raw(
            [Self.head + "Transfer-Encoding: chunked\r\n\r\n"] + Array(repeating: chunk, count: 4))
        #expect(text.hasPrefix("HTTP/1.1 413"))
        #expect(text.contains("request.too_large"))
        #expect(closed)
    }

    @Test func `a chunk that breaks the framing is refused`() async throws {
        let (text, closed) = try await raw([Self.head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n"])
        #expect(text.hasPrefix("HTTP/1.1 400"))
        #expect(closed)
    }

    @Test func `a body that does not arrive in time is refused and the connection closed`() async throws {
        let (text, closed) = try await raw(
            [Self.head + "Content-Length: 100\r\n\r\n{"], timeout: .milliseconds(200))
        #expect(text.hasPrefix("HTTP/1.1 400"))
        #expect(text.contains("in time"))
        #expect(closed)
    }

    @Test func `a trickling body gets no extra time`() async throws {
        let (text, closed) = try await raw(
            // A client that sends to a closed connection loses what it has not read, so it sends seldom.
            [Self.head + "Content-Length: 100\r\n\r\n"] + Array(repeating: " ", count: 20), pause: .milliseconds(250),
            timeout: .seconds(1))
        #expect(text.contains("in time"))
        #expect(closed)
    }

    @Test func `a trickling head is cut off`() async throws {
        var configuration = HTTPConfiguration(port: 0)
        configuration.connections.idleTimeout = .milliseconds(300)
        let (text, closed) = try await API.with(configuration: configuration, live: true) { api in
            let port = try #require(api.client.port)
            return try await RawConnection(port: port).exchange(
                ["GET /healthz HTTP/1.1\r\n"] + Array(repeating: "X-A: b\r\n", count: 40), pause: .milliseconds(50))
        }
        #expect(text.isEmpty)
        #expect(closed)
    }

    @Test func `two requests on one connection are answered in order`() async throws {
        let one = "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: first\r\n\r\n"
        let two = "GET /nothing HTTP/1.1\r\nHost: x\r\nX-Request-Id: second\r\n\r\n"
        let (text, _) = try await raw([one + two], until: "second")
        let first = try #require(text.firstRange(of: "first"))
        let second = try #require(text.firstRange(of: "second"))
        #expect(first.lowerBound < second.lowerBound)
    }

    @Test(arguments: [
        "POST /v1/logins HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /v1/logins HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
        "POST /v1/logins HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\nabcde",
        "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\r\n b\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: x\r\nX Bad: a\r\n\r\n",
        "nonsense\r\n\r\n",
    ]) func `ambiguous framing is refused`(request: String) async throws {
        let service = FakeService()
        let (text, closed) = try await raw([request], service: service)
        #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 400"))
        #expect(closed)
        #expect(await service.recorder.entries.isEmpty)
    }

    @Test(arguments: [
        "GET /v1/companies/A HTTP/1.0\r\nHost: x\r\n\r\n", "GET /v1/companies/A HTTP/1.0\r\n\r\n",
        "GET /healthz HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n\r\n",
    ]) func `HTTP/1.0 is refused by name`(request: String) async throws {
        let service = FakeService()
        let (text, closed) = try await raw([request], service: service)
        #expect(text.hasPrefix("HTTP/1.1 400"))
        #expect(text.contains("HTTP/1.1 or HTTP/2 is expected") && text.contains(#""code":"request.invalid""#))
        #expect(closed)
        #expect(await service.recorder.entries.isEmpty)
    }

    @Test(arguments: [
        "GET /healthz HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost: x\r\nhOST: y\r\n\r\n",
        "GET /healthz HTTP/1.1\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost:\r\n\r\n",
        "GET http://y/healthz HTTP/1.1\r\nHost: x\r\n\r\n", "GET HTTP://x:81/healthz HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET http://u@x/healthz HTTP/1.1\r\nHost: x\r\n\r\n",
    ]) func `a request without one authority is refused`(request: String) async throws {
        let (text, closed) = try await raw([request])
        #expect(text.hasPrefix("HTTP/1.1 400"))
        #expect(text.contains("one Host header with the authority of the request is expected"))
        #expect(closed)
        #expect(text.ranges(of: "HTTP/1.1 ").count == 1, "one response: \(text)")
    }

    @Test(arguments: [
        "GET http://x/healthz HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://X:81/healthz HTTP/1.1\r\nHost: x:81\r\n\r\n",
    ]) func `a target in absolute form is served if it names the authority of Host`(request: String) async throws {
        let (text, _) = try await raw([request], until: #""status":"ok""#)
        #expect(text.hasPrefix("HTTP/1.1 200"))
    }

    @Test func `a request before a refused one is answered`() async throws {
        let one = "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: first\r\n\r\n"
        let (text, closed) = try await raw([one + "GET /healthz HTTP/1.0\r\nHost: x\r\n\r\n"])
        #expect(text.hasPrefix("HTTP/1.1 200") && text.contains("first"))
        #expect(text.contains("HTTP/1.1 400") && closed)
    }

    @Test(
        arguments: [
            ("x", [], true), ("x", ["x"], true), ("X", ["x"], true), (nil, ["x"], true), ("x", ["y"], false),
            ("x", ["x", "x"], false), (nil, [], false), ("", [], false), (nil, ["x", "y"], false),
        ] as [(String?, [String], Bool)])
    func `on a stream of HTTP/2, Host must not disagree`(authority: String?, hosts: [String], isServed: Bool) throws {
        var head = HTTPRequest(method: .get, scheme: "https", authority: authority, path: "/")
        for host in hosts {
            head.headerFields.append(HTTPField(name: try #require(HTTPField.Name("Host")), value: host))
        }
        #expect(((try? RequestAuthority(head)) != nil) == isServed)
    }

    @Test func `headers beyond the limits are refused`() async throws {
        // It is read to its end, so the connection could go on.
        let long =
            "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Long: "
            + String(repeating: "a", count: 20_000) + "\r\n\r\n"
        let fields = (0..<100).map { "X-\($0): a\r\n" }.joined()
        let many = "GET /healthz HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n"
        for request in [long, many] {
            let (text, closed) = try await raw([request])
            #expect(text.hasPrefix("HTTP/1.1 400"))
            #expect(
                text.contains("Content-Type: application/problem+json")
                    || text.contains("content-type: application/problem+json"))
            #expect(text.hasSuffix("}"))
            #expect(text.contains(#""code":"request.invalid""#))
            #expect(closed)
        }
    }

    @Test func `concurrent callers each get their own response`() async throws {
        var service = FakeService()
        service.delay = .milliseconds(20)
        try await API.with(service) { api in
            try await withThrowingTaskGroup(of: (String, API.Answer).self) { group in
                for index in 0..<200 {
                    group.addTask {
                        let id = "request-\(index)"
                        return (
                            id, try await api.send("GET", "/v1/companies/c\(index)", [("X-Request-Id", id)])
                        )
                    }
                }
                for try await (id, answer) in group {
                    #expect(answer.status == 200)
                    #expect(answer.header("X-Request-Id") == id)
                    #expect(try answer.json["companyName"] == .string("c" + id.dropFirst("request-".count)))
                }
            }
        }
    }
}
