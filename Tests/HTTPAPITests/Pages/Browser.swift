import Canonical
import IdentityService
import TenureAPI
import Testing

@testable import HTTPAPI

/// A browser that sends what browsers send, without a bearer token unless told.
struct Browser: Sendable {
    static let origin = "https://id.example"

    let api: API
    var cookie: String? = FakeService.cookie
    /// The flow that the browser is in.
    var flow: BrowserFlow?

    /// Runs a service with pages.
    static func with<Value: Sendable>(
        _ service: FakeService = FakeService(), publicURL: String? = Self.origin, waitingPages: Int = 256,
        brand: Brand = Brand(),
        _ work: @Sendable (Browser) async throws -> Value
    ) async throws -> Value {
        var configuration = HTTPConfiguration(port: 0, publicURL: publicURL)
        configuration.servesPages = true
        configuration.waitingPages = waitingPages
        configuration.brand = brand
        return try await API.with(service, configuration: configuration) { try await work(Browser(api: $0)) }
    }

    private var cookies: [(String, String)] {
        (cookie.map { [("Cookie", "__Host-tenure=\($0)")] } ?? [])
            + (flow.map { [("Cookie", "__Host-tenure-flow-\($0.id)=\($0.text)")] } ?? [])
    }

    /// Opens a page.
    func get(_ path: String, _ headers: [(String, String)] = [], authorization: String? = nil) async throws
        -> API.Answer
    {
        try await api.send("GET", path, cookies + headers, authorization: authorization)
    }

    /// Sends a form as a page of the service does: with `Origin: null`, because pages have the policy `no-referrer`.
    func post(
        _ path: String, _ fields: [(name: String, value: String)],
        _ headers: [(String, String)] = [("Origin", "null"), ("Sec-Fetch-Site", "same-origin")],
        authorization: String? = nil
    ) async throws -> API.Answer {
        try await api.send(
            "POST", path, cookies + headers + [("Content-Type", FormEncoding.mediaType)],
            authorization: authorization, body: String(decoding: FormEncoding.encode(fields), as: UTF8.self))
    }

    /// The fields of a form whose page was looked at, by the session of the cookie.
    static func armed(
        _ path: String, _ subject: String, cookie: String = FakeService.cookie
    ) -> [(name: String, value: String)] {
        let granted = ArmedForm(holder: .session, cookie: cookie, path: path, subject: subject).granted(at: .now())
        return [("page", granted.page), ("nonce", granted.nonce)]
    }

    /// The address of a page with the token of a link of its list.
    static func link(_ path: String, to form: String, _ subject: String, ago seconds: Int64 = 0) -> String {
        let armed = ArmedForm(holder: .session, cookie: FakeService.cookie, path: form, subject: subject)
        let token = armed.link(at: Timestamp.now().adding(.seconds(-seconds)))
        return path + (path.contains("?") ? "&" : "?") + "token=" + token
    }

    /// The token in a page.
    static func token(in page: API.Answer) throws -> String {
        let found = page.text.firstMatch(of: /name="token" value="([^"]+)"/)
        return String(try #require(found).output.1)
    }
}

extension API.Answer {
    /// The body as text.
    var text: String { String(decoding: bytes, as: UTF8.self) }
    /// What a page shows between its head and its foot.
    var main: Substring { text.firstMatch(of: /(?s)<main>(.*)<\/main>/)?.output.1 ?? "" }
}

extension API.Answer {
    /// Whether this is the page that leads to the fake client, with the policy of such pages.
    var isAnswer: Bool {
        let target = FakeService.clientOrigin + "/callback?code=c"
        return status == 200 && text.contains("<meta http-equiv=\"refresh\" content=\"0; url=\(target)\">")
            && text.contains("<a href=\"\(target)\">Go on to Wiki</a>") && header("Cache-Control") == "no-store"
            && header("Content-Security-Policy") == HostedPage.policyOfAnswers
            && header("Content-Security-Policy")?.contains("form-action") == false
    }
}
