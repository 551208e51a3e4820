import HummingbirdTesting
import TenureAPI
import Testing

@testable import HTTPAPI

/// What a browser gets for an address that is none, and for a request that is too large: a page, never a document for
/// programs.
@Suite(.timeLimit(.minutes(5))) struct BrowserRefusalTests {
    private static let navigation = ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")

    private func send(
        _ path: String, _ headers: [(String, String)] = [navigation], method: String = "GET"
    ) async throws -> API.Answer {
        try await Browser.with { try await $0.api.send(method, path, headers, authorization: nil) }
    }

    @Test(arguments: ["/nowhere", "/login/is/no/route", "/v1/nowhere"])
    func `an unknown address is a page for a browser, and a problem document for a program`(path: String) async throws {
        let page = try await send(path)
        #expect(page.status == 404 && page.header("Content-Type") == "text/html; charset=utf-8")
        #expect(page.text.contains("<h1>Page not found</h1>"))
        for accepted in [[], [("Accept", "*/*")], [("Accept", "application/json")]] {
            let document = try await send(path, accepted)
            #expect(document.status == 404)
            #expect(try document.problem.code == "route.unknown")
        }
    }

    @Test(arguments: [
        ("/login/", "/login"), ("/Login", "/login"), ("/LOGIN//?x=%2F&y", "/login?x=%2F&y"), ("/account/", "/account"),
        ("/flow/AbC/key/", "/flow/AbC/key"),
    ]) func `a slash or capitals too many lead to the page`(path: String, page: String) async throws {
        for headers in [[], [Self.navigation]] {
            let answer = try await send(path, headers)
            #expect(answer.status == 303 && answer.header("Location") == page)
        }
    }

    @Test(arguments: [
        ("POST", "/login/"), ("GET", "//evil.example/"), ("GET", "//evil.example//login/"), ("GET", "/flow/AbC/KEY"),
        ("GET", "/V1/me"), ("GET", "/v1/me/"), ("GET", "/%2Flogin"),
    ]) func `nothing else leads anywhere`(method: String, path: String) async throws {
        let answer = try await send(path, method: method)
        #expect(answer.status == 404 && answer.header("Location") == nil)
    }

    @Test func `too many cookies are a page that says what to do, and a problem document for a program`() async throws {
        let cookie = ("Cookie", "other=" + String(repeating: "x", count: 17_000))
        for path in ["/login", "/nowhere"] {
            let page = try await send(path, [Self.navigation, cookie])
            #expect(page.status == 431 && page.text.contains("<h1>Too many cookies</h1>"), "\(path)")
            #expect(page.text.contains("Delete this site’s cookies"))
        }
        let document = try await send("/v1/me", [cookie])
        #expect(document.status == 400)
        #expect(try document.problem.errors.first?.detail.contains("fewer cookies") == true)
        let fits = try await send("/login", [Self.navigation, ("Cookie", String(repeating: "x", count: 15_000))])
        #expect(fits.status == 200)
    }

    @Test func `more cookies than the parser reads are that page too`() async throws {
        var configuration = HTTPConfiguration(port: 0)
        configuration.servesPages = true
        let answer = try await API.with(configuration: configuration, live: true) { api in
            let cookie = String(repeating: "x", count: 40_000)
            return try await RawConnection(port: try #require(api.client.port)).exchange([
                "GET /login HTTP/1.1\r\nHost: x\r\nCookie: a=\(cookie)\r\n\r\n"
            ]).text
        }
        #expect(answer.hasPrefix("HTTP/1.1 431 "), "\(answer.prefix(200))")
        #expect(answer.contains("<h1>Too many cookies</h1>"))
    }
}
