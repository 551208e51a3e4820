import Canonical
import Foundation
import IdentityService
import Synchronization
import TenureAPI
import Testing

/// A browser in a test, without scripts: it keeps cookies, reads forms and sends them as browsers do. A redirect after a
/// form that the policy of the form's page does not permit is an issue, because Chromium and WebKit stop there.
///
/// A `Device` stands in for the key that a module of the pages keeps in the browser.
struct PageClient: Sendable {
    let client: Client
    private let jar = CookieJar()

    /// A browser without cookies.
    init(_ client: Client) { self.client = client }

    /// The values of the cookies by their names.
    var cookies: [String: String] { jar.values }

    /// The newest flow of the browser, and its stage.
    var flow: (id: String, stage: String)? {
        let flows = cookies.filter { $0.key.hasPrefix("tenure-flow-") }.sorted { $0.value < $1.value }
        guard let (name, value) = jar.newestFlow.flatMap({ id in flows.first { $0.key.hasSuffix(id) } }) ?? flows.last
        else { return nil }
        return (String(name.dropFirst("tenure-flow-".count)), value.components(separatedBy: ".")[1])
    }

    /// Sets a cookie, or deletes it.
    func set(cookie name: String, _ value: String?) { jar.set(name, value) }

    /// Opens a page. It follows no redirect. The path of a flow's page without an id is that of the newest flow.
    func get(_ path: String, _ headers: [(String, String)] = []) async throws -> Page {
        try await send(HTTPRequest("GET", inFlow(path)), headers)
    }

    private func inFlow(_ path: String) -> String {
        guard let flow, !path.hasPrefix("/waiting/mail/"), Page.bare(path) == path,
            let place = path.firstMatch(of: /^\/(flow|waiting)(?=\/|$)/)?.output.0
        else { return path }
        return "\(place)/\(flow.id)" + path.dropFirst(place.count)
    }

    /// Opens a page, and follows redirects within the service.
    func open(_ path: String) async throws -> Page { try await follow(try await get(path), site: nil) }

    /// Presses a link of a page that contains a text, and follows redirects.
    func press(_ text: String, in page: Page) async throws -> Page {
        let links = page.html.matches(of: /<a (?:class="[^"]*" )?href="([^"]*)"[^>]*>/).map {
            Page.plain(String($0.output.1))
        }
        // The link to an approval names the device, but not by the digits that its page must not show.
        let names = [
            text, text.replacing(/[0-9a-f]{64}/) { Hex.decode(String($0.output)).map(Base64URL.encode) ?? "" },
        ]
        let link = try #require(
            links.first { link in names.contains { link.contains($0) } }, "no link with \(text): \(page.text)")
        return try await follow(try await get(link, [("Sec-Fetch-Site", "same-origin")]))
    }

    /// The form of a page whose button somebody pressed after a quiet second, as `arm.js` makes it.
    ///
    /// - Parameter wait: What lets the second pass.
    func armed(
        _ form: Form, after wait: () async throws -> Void = { try await Task.sleep(for: .milliseconds(1_050)) }
    ) async throws -> Form {
        try await wait()
        let given = try await submit(Form(action: "/arm", fields: [("page", try #require(form["page"]))]))
        try #require(given.status == 200, "\(given)")
        return Form(
            action: form.action, fields: form.fields.filter { $0.name != "nonce" } + [("nonce", given.html)],
            policy: form.policy)
    }

    /// Follows redirects within the service, as browsers do after a form of it. A redirect to a client is returned.
    func follow(_ page: Page, site: String? = "same-origin") async throws -> Page {
        var page = page
        for _ in 0..<10 {
            guard let location = page.location, location.hasPrefix("/") else { return page }
            var next = try await get(location, site.map { [("Sec-Fetch-Site", $0)] } ?? [])
            next.formPolicy = page.formPolicy
            page = next
            page.checkFormPolicy()
        }
        throw Flow.Unexpected(description: "redirects without an end")
    }

    /// Sends a form of a page with other values in some fields. It follows no redirect.
    ///
    /// - Parameter values: The values by the names of fields, which need not be in the form. `nil` leaves one out.
    func submit(
        _ form: Form, _ values: [String: String?] = [:],
        headers: [(String, String)] = [("Origin", "null"), ("Sec-Fetch-Site", "same-origin")]
    ) async throws -> Page {
        var fields = form.fields.filter { values[$0.name] == nil }
        for (name, value) in values { if let value { fields.append((name: name, value: value)) } }
        let body = String(decoding: FormEncoding.encode(fields), as: UTF8.self)
        let request = HTTPRequest("POST", form.action).with("Content-Type", FormEncoding.mediaType).with(body: body)
        var page = try await send(request, headers)
        page.formPolicy = form.policy
        page.checkFormPolicy()
        return page
    }

    private func send(_ request: HTTPRequest, _ headers: [(String, String)]) async throws -> Page {
        var request = request
        let cookies = jar.values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        if !cookies.isEmpty { request = request.with("Cookie", cookies) }
        for (name, value) in headers { request = request.with(name, value) }
        let reply = try await client.send(request)
        // No cookie of the service has a comma in it.
        for field in (reply.headers["set-cookie"] ?? "").components(separatedBy: ", ") where !field.isEmpty {
            jar.take(field)
        }
        return Page(reply: reply)
    }
}

extension PageClient {
    /// Begins a log-in with the company's name, the id and the device's key, and proves the key: the page that asks for
    /// a secret comes back.
    ///
    /// - Parameter request: The id of the flow with the authorization request; `nil` to log in to the account page.
    func beginLogIn(_ person: Person, _ device: Device, request: String? = nil) async throws -> Page {
        let page = try await open("/login" + (request.map { "/\($0)" } ?? ""))
        let begun = try await submit(
            try page.form("/login"),
            ["company": person.company, "employee": person.id, "key": Base64URL.encode(device.point)])
        return try await prove(try await follow(begun), device)
    }

    /// Signs the challenge of the page `/flow/key`, as its module does. The next page comes back.
    func prove(_ page: Page, _ device: Device) async throws -> Page {
        let text = try #require(page.attribute("data-challenge"), "\(page)")
        let challenge = try #require(Base64URL.decode(text))
        let proof = try bytes(base64: try device.sign(challenge, .raw))
        return try await follow(
            try await submit(try page.form("/flow/key"), ["proof": Base64URL.encode(proof)]))
    }

    /// Answers the page that asks for a secret. It follows no redirect.
    func answer(_ page: Page, _ person: Person) async throws -> Page {
        if let form = try? page.form("/flow/passphrase") {
            return try await submit(form, ["passphrase": person.passphrase])
        }
        let form = try page.form("/flow/answers")
        var values: [String: String?] = [:]
        for (name, label) in page.labels {
            values[name] = person.questions.first { $0.question == label }?.answer
        }
        return try await submit(form, values)
    }

    /// A whole log-in. The last reply comes back: a redirect to the client or to the account, or the page that refuses.
    func logIn(_ person: Person, _ device: Device, request: String? = nil) async throws -> Page {
        try await answer(try await beginLogIn(person, device, request: request), person)
    }
}

/// A page as it came.
struct Page: Sendable, CustomStringConvertible {
    let reply: HTTPReply
    /// The policy of the page whose form led here; `nil` if none did.
    var formPolicy: String?

    init(reply: HTTPReply) { self.reply = reply }

    var status: Int { reply.status }
    /// Where a redirect leads.
    var location: String? { reply.headers["location"] }
    /// Where a redirect leads, without the id of a flow.
    var place: String? { location.map(Self.bare) }
    /// Where the page leads by itself, without a script.
    var refresh: String? {
        html.firstMatch(of: /<meta http-equiv="refresh" content="0; url=([^"]*)">/).map {
            Self.plain(String($0.output.1))
        }
    }

    /// A path without the id of a flow.
    static func bare(_ path: String) -> String { path.replacing(/\/[A-Za-z0-9_-]{22}(?=\/|$)/, with: "") }

    /// Records an issue for a redirect that Chromium and WebKit stop: they hold every redirect after a form against the
    /// policy of the form's page.
    func checkFormPolicy() {
        guard let location, !location.hasPrefix("/"), formPolicy?.contains("form-action") == true else { return }
        Issue.record("browsers stop the redirect to \(location) after a form")
    }

    var html: String { String(decoding: reply.body, as: UTF8.self) }
    /// The title, which is the heading too.
    var title: String { first(/<h1>([^<]*)<\/h1>/) ?? "" }
    /// The text without markup.
    var text: String {
        Self.plain(html.replacing(/<[^>]*>/, with: " ")).replacing(/\s+/, with: " ")
    }
    /// The status with title and address.
    var description: String { "\(status) \(title) \(location ?? "")" }

    /// The form that is sent to a path, without the id of a flow.
    func form(_ action: String) throws -> Form {
        for match in html.matches(of: /<form([^>]*)>([\s\S]*?)<\/form>/) {
            guard let sentTo = Self.attribute("action", of: match.output.1),
                sentTo == action || Self.bare(sentTo) == action
            else { continue }
            let inputs = match.output.2.matches(of: /<(input|button)\s([^>]*)>/)
            let fields = inputs.compactMap { input -> (name: String, value: String)? in
                let type = Self.attribute("type", of: input.output.2)
                guard input.output.1 == "input", type != "checkbox", type != "radio" else { return nil }
                return Self.attribute("name", of: input.output.2).map {
                    (name: $0, value: Self.attribute("value", of: input.output.2) ?? "")
                }
            }
            return Form(action: sentTo, fields: fields, policy: reply.headers["content-security-policy"])
        }
        throw Flow.Unexpected(description: "no form to \(action): \(self)")
    }

    /// The value of the first attribute of that name.
    func attribute(_ name: String) -> String? { Self.attribute(name, of: html[...]) }

    /// The texts of labels by the ids of their fields.
    var labels: [(name: String, label: String)] {
        html.matches(of: /<label for="([^"]*)">([^<]*)<\/label>/).map {
            (name: Self.plain(String($0.output.1)), label: Self.plain(String($0.output.2)))
        }
    }

    private func first(_ pattern: Regex<(Substring, Substring)>) -> String? {
        html.firstMatch(of: pattern).map { Self.plain(String($0.output.1)) }
    }

    private static func attribute(_ name: String, of tag: Substring) -> String? {
        guard let start = tag.firstRange(of: "\(name)=\"") else { return nil }
        return plain(String(tag[start.upperBound...].prefix { $0 != "\"" }))
    }

    /// The text without the escapes that templates write.
    static func plain(_ text: String) -> String {
        text.replacing("&quot;", with: "\"").replacing("&#39;", with: "'").replacing("&lt;", with: "<")
            .replacing("&gt;", with: ">").replacing("&amp;", with: "&")
    }
}

/// A form as a page has it.
struct Form: Sendable {
    let action: String
    /// The fields in their order, without boxes to tick.
    let fields: [(name: String, value: String)]
    /// The policy of the page.
    var policy: String?

    /// The value of a field.
    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}

/// The cookies of a browser.
private final class CookieJar: Sendable {
    private let cookies = Mutex<[String: String]>([:])
    private let newest = Mutex<String?>(nil)

    /// The id of the flow whose cookie was set last.
    var newestFlow: String? { newest.withLock { $0 } }
    var values: [String: String] { cookies.withLock { $0 } }

    func set(_ name: String, _ value: String?) { cookies.withLock { $0[name] = value } }

    /// Takes the value of a `Set-Cookie` field.
    func take(_ field: String) {
        let parts = field.components(separatedBy: "; ")
        let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard pair.count == 2 else { return }
        let isDeleted = parts.contains("Max-Age=0")
        set(pair[0], isDeleted ? nil : pair[1])
        if !isDeleted, pair[0].hasPrefix("tenure-flow-") {
            newest.withLock { $0 = String(pair[0].dropFirst("tenure-flow-".count)) }
        }
    }
}

extension TenureWorld {
    /// Enables the pages, and links their app to a company.
    func linkPages(to company: String) async throws {
        try await instance.commands.linkApp(try await enablePages(), to: company)
    }

    /// Enables the pages, and returns the id of their app.
    @discardableResult
    func enablePages() async throws -> UUID {
        // Tests run side by side, and one of two operators who enable the pages at once is told that the name is taken.
        do { return try await instance.commands.enablePages().view.appId } catch {
            return try await instance.commands.enablePages().view.appId
        }
    }
}
