import Foundation
import Testing

@testable import TenureClient

@Suite struct ProxyRuleTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test(arguments: [
        "http://id.example/v1", "HTTP://id.example", "http://127.0.0.1:8080", "https://localhost",
        "https://LOCALHOST.:1/",
        "https://127.0.0.1", "https://127.9.8.7:8443/x", "https://[::1]:8443", "https://a.localhost/v1",
    ])
    func `clear text and this machine are reached directly`(text: String) throws {
        #expect(ProxyRule.isDirect(try url(text)))
    }

    @Test(arguments: [
        "https://id.example", "https://127.0.0.1.example", "https://128.0.0.1", "https://localhost.example",
        "https://127.0.0.300", "https://[::2]", "https://notlocalhost",
    ])
    func `other machines over TLS may be reached by a proxy`(text: String) throws {
        #expect(!ProxyRule.isDirect(try url(text)))
    }

    @Test func `the environment names a proxy unless it is empty or makes an exception`() {
        let names = { ProxyRule.environmentNamesProxy(for: "localhost", $0) }
        #expect(!names([:]))
        #expect(!names(["http_proxy": "http://p", "https_proxy": ""]))
        for name in ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
            #expect(names([name: "http://p"]))
            #expect(names([name: "http://p", "no_proxy": "example.com"]))
            #expect(!names([name: "http://p", "no_proxy": "example.com, LocalHost"]))
            #expect(!names([name: "http://p", "NO_PROXY": "*"]))
        }
    }
}

#if canImport(FoundationNetworking)
@Suite struct ClearTextExchangeTests {
    private func reply(
        _ request: WireRequest, _ answer: String, piece: Int = .max
    ) async throws -> (WireResponse, received: String) {
        let server = try LoopbackServer(answer, piece: piece)
        defer { server.stop() }
        var request = request
        request.url = "http://127.0.0.1:\(server.port)" + request.url
        let response = try await URLSessionTransport(timeout: 60).send(request)
        return (response, String(decoding: server.received.first ?? [], as: UTF8.self))
    }

    @Test func `a request is sent as it is and the response is read, however it is cut`() async throws {
        let answer = "HTTP/1.1 201 Created\r\nContent-Length: 5\r\nETag: \"a\"\r\nX-Two: 1\r\nx-two: 2\r\n\r\nhello!"
        for piece in [1, 7, .max] {
            let request = WireRequest(
                method: "POST", url: "/v1/a%2Fb?x=%20", headers: ["Authorization": "Basic eDp5", "A": ""],
                body: Array("{}".utf8))
            let (response, received) = try await reply(request, answer, piece: piece)
            #expect(response.status == 201 && response.body == Array("hello".utf8))
            #expect(response.headers["etag"] == "\"a\"" && response.headers["x-two"] == "1, 2")
            #expect(received.hasPrefix("POST /v1/a%2Fb?x=%20 HTTP/1.1\r\nHost: 127.0.0.1:"))
            #expect(received.hasSuffix("A: \r\nAuthorization: Basic eDp5\r\nContent-Length: 2\r\n\r\n{}"))
        }
    }

    @Test func `chunks, an interim response and a body that ends with the connection are read`() async throws {
        let get = WireRequest(method: "GET", url: "/", headers: [:], body: nil)
        let chunked =
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "3;x=y\r\nabc\r\n0A\r\n0123456789\r\n0\r\nX-Trailer: 1\r\n\r\n"
        for piece in [1, .max] {
            let (response, received) = try await reply(get, chunked, piece: piece)
            #expect(response.status == 200 && response.body == Array("abc0123456789".utf8))
            #expect(!received.contains("Content-Length"))
        }
        #expect(try await reply(get, "HTTP/1.0 200 OK\r\n\r\nto the end").0.body == Array("to the end".utf8))
        #expect(try await reply(get, "HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n").0.body.isEmpty)
        let redirect = "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
        #expect(try await reply(get, redirect).0.status == 302, "no redirect is followed")
    }

    @Test(arguments: [
        "HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "hello\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 4194305\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
        "HTTP/1.1 200 OK\r\nX: "
            + String(repeating: "x", count: 70_000) + "\r\n\r\n",
    ])
    func `what is no response is refused`(answer: String) async {
        let get = WireRequest(method: "GET", url: "/", headers: [:], body: nil)
        #expect(await code { _ = try await reply(get, answer) } == "client.response_invalid")
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
    ])
    func `a response that is cut off is a lost connection`(answer: String) async {
        let get = WireRequest(method: "GET", url: "/", headers: [:], body: nil)
        await #expect(throws: ClearTextExchange.Failure.self) { try await reply(get, answer) }
    }

    @Test func `header fields and names that would break the request are not sent`() async throws {
        let server = try LoopbackServer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        defer { server.stop() }
        let base = "http://127.0.0.1:\(server.port)/"
        for (method, headers) in [
            ("GET", ["A": "b\r\nC: d"]), ("GET", ["A\r\nB": "c"]), ("GET", ["A:": "b"]), ("GET /x HTTP/1.1\r\n", [:]),
        ] {
            let request = WireRequest(method: method, url: base, headers: headers, body: nil)
            #expect(await code { _ = try await URLSessionTransport().send(request) } == "client.address_invalid")
        }
        #expect(server.received.isEmpty)
    }

    @Test func `a service that is away is a lost connection, and a cancelled request ends at once`() async throws {
        let server = try LoopbackServer()
        server.stop()
        let away = WireRequest(method: "GET", url: "http://127.0.0.1:1/", headers: [:], body: nil)
        await #expect(throws: ClearTextExchange.Failure.self) { try await URLSessionTransport().send(away) }
        // A listener that nobody accepts from: the connection opens, and no response comes.
        let silent = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(silent) }
        #expect(listen(silent, 1) == 0)
        var (address, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
        let isNamed = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(silent, $0, &size) == 0 }
        }
        #expect(isNamed)
        let url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/"
        let task = Task {
            await code {
                let request = WireRequest(method: "GET", url: url, headers: [:], body: nil)
                _ = try await URLSessionTransport(timeout: 3_600).send(request)
            }
        }
        task.cancel()
        #expect(await task.value == "CancellationError")
    }

    @Test func `no proxy of the environment gets a byte of a request to this machine`() async throws {
        let proxy = try LoopbackServer(), server = try LoopbackServer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        defer {
            proxy.stop()
            server.stop()
        }
        await #expect(processExitsWith: .success) { [proxy = proxy.port as UInt16, server = server.port as UInt16] in
            for name in ["http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"] {
                setenv(name, "http://127.0.0.1:\(proxy)", 1)
            }
            unsetenv("no_proxy")
            unsetenv("NO_PROXY")
            let transport = URLSessionTransport(timeout: 60)
            let headers = ["Authorization": "Bearer secret"]
            for host in ["127.0.0.1", "localhost"] {
                let response = try await transport.send(
                    WireRequest(method: "GET", url: "http://\(host):\(server)/", headers: headers, body: nil))
                guard response.body == Array("ok".utf8) else { exit(1) }
            }
            do {
                _ = try await transport.send(
                    WireRequest(method: "GET", url: "https://127.0.0.1:\(server)/", headers: headers, body: nil))
                exit(2)
            } catch let error as TenureClientError {
                guard error.kind == .addressInvalid else { exit(3) }
            }
        }
        #expect(proxy.received.isEmpty)
        #expect(server.received.count == 2)
    }
}
#endif
