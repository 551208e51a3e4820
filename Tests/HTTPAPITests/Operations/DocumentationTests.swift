import ErrorCodes
import TenureAPI
import Testing

@testable import HTTPAPI

@Suite struct DocumentationTests {
    private static let policy =
        "default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'none'; "
        + "frame-ancestors 'none'"

    @Test func `the documentation page explains every operation and every code`() async throws {
        let page = try await API.with { try await $0.send("GET", "/docs") }
        #expect(page.status == 200)
        #expect(page.header("Content-Type") == "text/html; charset=utf-8")
        let html = String(decoding: page.bytes, as: UTF8.self)
        for code in ErrorCode.all { #expect(html.contains("id=\"\(code.rawValue)\""), "\(code)") }
        let paths = html.replacing("<wbr>", with: "")
        for endpoint in Endpoint.all {
            let heading = ">\(endpoint.method)</span> <code>\(endpoint.template.text)</code>"
            #expect(paths.contains(heading), "\(endpoint)")
        }
    }

    @Test func `the documentation page loads nothing from elsewhere and has nothing inline`() async throws {
        let page = try await API.with { try await $0.send("GET", "/docs") }
        #expect(page.header("Content-Security-Policy") == Self.policy)
        let html = String(decoding: page.bytes, as: UTF8.self)
        #expect(html.matches(of: /\ src="([^"]*)"/).map { String($0.1) } == ["docs/script.js"])
        #expect(html.matches(of: /<link [^>]*href="([^"]*)"/).map { String($0.1) } == ["docs/style.css"])
        for forbidden in ["<style", " style=", " onload=", " onclick=", "@import"] {
            #expect(!html.contains(forbidden), "\(forbidden)")
        }
        let style = String(decoding: Documentation.style.body, as: UTF8.self)
        #expect(!style.contains("url(") && !style.contains("@import") && style.contains("prefers-color-scheme: dark"))
        #expect(String(decoding: Documentation.script.body, as: UTF8.self).contains("\"use strict\""))
    }

    @Test(arguments: [
        ("/docs/style.css", "text/css; charset=utf-8"), ("/docs/script.js", "text/javascript; charset=utf-8"),
        ("/openapi.yaml", "application/yaml"), ("/docs", "text/html; charset=utf-8"),
    ])
    func `a document has an entity tag, and is not sent twice`(path: String, type: String) async throws {
        let (first, second) = try await API.with { api in
            let first = try await api.send("GET", path, authorization: nil)
            let tag = first.header("ETag") ?? ""
            return (first, try await api.send("GET", path, [("If-None-Match", tag)], authorization: nil))
        }
        #expect(first.status == 200 && !first.bytes.isEmpty)
        #expect(first.header("Content-Type") == type)
        #expect(second.status == 304 && second.bytes.isEmpty)
        #expect(second.header("ETag") == first.header("ETag"))
    }
}
