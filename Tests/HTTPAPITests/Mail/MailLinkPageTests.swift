import Canonical
import ErrorCodes
import IdentityService
import TenureAPI
import Testing
@testable import HTTPAPI

/// The pages behind links in mails, which people open.
@Suite(.timeLimit(.minutes(5))) struct MailLinkPageTests {
    private static let paths = [
        "/verify-email/0266f646-f51a-49e5-a57a-3ce9042bf1ad",
        "/mpin/acme.example/verification/0266f646-f51a-49e5-a57a-3ce9042bf1ad",
        "/return/acme.example/0266f646-f51a-49e5-a57a-3ce9042bf1ad",
        "/return/acme.example/0266f646-f51a-49e5-a57a-3ce9042bf1ad/cancellation",
    ]
    private static let query = "?expires=1800000000&key=" + String(repeating: "0", count: 64)

    private static let visitor = Base64URL.encode([UInt8](repeating: 7, count: 32))

    /// The form behind a link.
    private static func armed(_ path: String) -> ArmedForm {
        ArmedForm(
            holder: .visitor, cookie: visitor, path: path, subject: "1800000000\n" + String(repeating: "0", count: 64))
    }

    /// The fields of a form whose button somebody pressed.
    private static func pressed(_ path: String) -> [(name: String, value: String)] {
        let granted = armed(path).granted(at: .now())
        return [
            ("token", FormToken(cookie: visitor, path: path, request: "").text), ("page", granted.page),
            ("nonce", granted.nonce),
        ]
    }

    /// Opens a page, or sends its form, by a browser with the cookie of forms.
    private func send(
        _ api: API, _ method: String, _ path: String, _ headers: [(String, String)] = [],
        _ fields: [(name: String, value: String)]? = nil
    ) async throws -> API.Answer {
        let cookies = ["", "__Host-"].map { ("Cookie", "\($0)tenure-form=\(Self.visitor)") }
        let fields = fields ?? Self.pressed(String(path.prefix { $0 != "?" }))
        guard method == "POST" else { return try await api.send(method, path, cookies + headers, authorization: nil) }
        return try await api.send(
            method, path, cookies + headers + [("Content-Type", FormEncoding.mediaType)], authorization: nil,
            body: String(decoding: FormEncoding.encode(fields), as: UTF8.self))
    }

    @Test func `a link leads to its button by a link of its own page`() async throws {
        var service = FakeService()
        (service.emailLink, service.returnLink) = (.pending(), .asking(FakeService.words))
        try await API.with(service) { (api: API) async throws in
            for path in Self.paths {
                let token = "&token=" + Self.armed(path).link(at: .now())
                let old = "&token=" + Self.armed(path).link(at: Timestamp.now().adding(.seconds(-601)))
                for (query, headers) in [
                    ("", []), ("", [("Sec-Fetch-Site", "same-origin")]), (token, [("Sec-Fetch-Site", "cross-site")]),
                    (token, [("Sec-Purpose", "prefetch")]), (token + "A", []), (old, []),
                ] {
                    let text = page(try await send(api, "GET", path + Self.query + query, headers), 200, path)
                    #expect(text.contains("token=") && !text.contains("<form"), "\(path) \(query): \(text)")
                }
                // A mail program's browser has no cookie yet.
                let first = try await api.send("GET", path + Self.query, authorization: nil)
                #expect(first.header("Set-Cookie")?.contains("tenure-form=") == true, "\(path)")
                let text = page(try await send(api, "GET", path + Self.query + token), 200, path)
                #expect(text.contains("class=\"act\" disabled") && text.contains(PageAsset.arm.path), "\(text)")
                #expect(text.contains("class=\"sentence\">Press the button"), "\(text)")
                #expect(text.matches(of: /type="radio"/).count == (path.hasPrefix("/return/") ? 3 : 0))
            }
        }
        #expect(await service.recorder.entries.allSatisfy { $0.name != "spendNonce" })
    }

    @Test func `the page that confirms an address names every account whose address it is`() async throws {
        var service = FakeService()
        let accounts = [("Harbour <b>", "zoe"), ("evil.example", "mallory & co")].map { company, name in
            EmployeeSummaryResponse(
                employeeId: FakeService.employeeId, tenantId: FakeService.employeeId, companyName: company,
                companyEmployeeId: name, status: "registered", role: "employee")
        }
        service.emailLink = .pending(of: accounts)
        let path = Self.paths[0], token = "&token=" + Self.armed(path).link(at: .now())
        try await API.with(service) { (api: API) async throws in
            for query in ["", token] {
                let text = page(try await send(api, "GET", path + Self.query + query), 200, path)
                for name in ["Harbour &lt;b&gt;", "zoe", "evil.example", "mallory &amp; co"] {
                    #expect(text.contains("<dd translate=\"no\">\(name)</dd>"), "\(text)")
                }
            }
        }
    }

    @Test func `a form does nothing without the nonce of its page, and takes no room for a link of nothing`()
        async throws
    {
        let service = FakeService(), path = Self.paths[1], right = Self.pressed(path)
        try await API.with(service) { (api: API) async throws in
            for fields in [
                [right[0]], [right[0], right[1]], [right[0], right[2]], [right[0], right[1], ("nonce", "")],
                [right[0]] + Self.pressed(Self.paths[0])[1...],
            ] {
                let answer = try await send(api, "POST", path + Self.query, [], fields)
                #expect(page(answer, 403, "\(fields)").contains("did not come from the button"))
            }
            #expect(
                try await send(api, "POST", path + Self.query, [("Sec-Fetch-Site", "cross-site")], right).status == 403)
            #expect(await service.recorder.entries.allSatisfy { $0.details["confirmed"] != "true" })
            #expect(try await send(api, "POST", path + Self.query, [], right).status == 200)
            #expect(try await send(api, "POST", path + Self.query, [], right).status == 403)
        }
        #expect(await service.recorder.entries.count { $0.details["confirmed"] == "true" } == 1)
        var none = FakeService()
        (none.emailLink, none.returnLink) = (.invalid, .refused)
        let statuses = try await API.with(none) { api in
            [
                try await send(api, "POST", Self.paths[0] + Self.query).status,
                try await send(api, "POST", Self.paths[2] + Self.query).status,
            ]
        }
        #expect(statuses == [400, 410])
        #expect(await none.recorder.entries.allSatisfy { $0.name != "spendNonce" })
    }

    /// Expects a page, and returns its text.
    private func page(
        _ answer: API.Answer, _ status: Int, _ what: String, sourceLocation: SourceLocation = #_sourceLocation
    ) -> String {
        #expect(answer.status == status, "\(what)", sourceLocation: sourceLocation)
        #expect(
            answer.header("Content-Type") == "text/html; charset=utf-8", "\(what)", sourceLocation: sourceLocation)
        #expect(
            answer.header("Content-Security-Policy")?.hasPrefix("default-src 'none'") == true, "\(what)",
            sourceLocation: sourceLocation)
        return String(decoding: answer.bytes, as: UTF8.self)
    }

    /// Parameters that programs add to a link, and an encoding that is none.
    @Test(arguments: ["&utm_source=news&utm_source=again", "&fbclid=%ZZ", "&x", "&=&&"])
    func `a parameter that the service does not know is ignored`(added: String) async throws {
        for path in Self.paths {
            for method in ["GET", "POST"] {
                let answer = try await API.with { try await send($0, method, path + Self.query + added) }
                _ = page(answer, 200, "\(method) \(path)")
            }
        }
        let link = MailLinkParameters(Self.query.dropFirst() + added)
        #expect(link.expires == "1800000000" && link.key == String(repeating: "0", count: 64))
    }

    @Test(arguments: [
        ("", "", ""), ("key=a", "", "a"), ("expires=7&key=a%2Db", "7", "a-b"), ("key=a&key=a&expires=7", "7", ""),
        ("Key=a&expires=7", "7", ""), ("key&expires=7", "7", ""), ("expires=7&key=%ZZ", "7", ""),
    ])
    func `a link has each parameter once`(query: String, expires: String, key: String) {
        let link = MailLinkParameters(query[...])
        #expect(link.expires == expires && link.key == key)
    }

    /// A refusal, and what its page says and does not say.
    @Test(arguments: [
        (ErrorCode.mpinBlocked, "register the PIN again", "Ask for"), (.mpinEnded, "Register the PIN again", "Ask for"),
        (.mpinRequestExpired, "Ask for another mail", "valid"), (.mpinDisabled, "does not permit PINs", "in the mail"),
        (.mpinWrongState, "app on your device", "Ask for"), (.mpinUnknown, "as it is in the mail", "Ask for"),
        (.companyNameMissing, "as it is in the mail", "Ask for"), (.requestInvalid, "as it is in the mail", "Ask for"),
        (.requestRateLimited, "Wait a minute", "not valid"), (.serviceUnavailable, "in a few minutes", "not valid"),
        (.serviceBusy, "in a few minutes", "not valid"), (.requestStale, "in a few minutes", "not valid"),
    ])
    func `a refusal is a page that says what to do`(code: ErrorCode, says: String, saysNot: String) async throws {
        var service = FakeService()
        service.failure = ServiceError(code, retryAfterSeconds: code.status == 429 ? 7 : nil)
        for path in Self.paths {
            for method in ["GET", "POST"] {
                let answer = try await API.with(service) {
                    try await send($0, method, path + Self.query, [("X-Request-Id", "help-me-1")])
                }
                let text = page(answer, code.status, "\(code) \(method) \(path)")
                #expect(text.contains(says) && !text.contains(saysNot), "\(code): \(text)")
                #expect(text.contains("help-me-1") && !text.contains("<form"), "\(text)")
                #expect(answer.header("Retry-After") == (code.status == 429 ? "7" : code.status == 503 ? "1" : nil))
            }
        }
    }

    @Test func `a link that is too late or not valid shows the request's id`() async throws {
        for (email, way, status) in [
            (ConfirmEmail.Answer.expired, ConfirmReturn.Answer.expired, 410), (.invalid, .invalid, 400),
            (.pending(), .pending, 200), (.verified, .done, 200),
        ] {
            var service = FakeService()
            (service.emailLink, service.returnLink) = (email, way)
            for path in [Self.paths[0]] + Self.paths[2...] {
                let answer = try await API.with(service) {
                    try await $0.send(
                        "GET", path + Self.query, [("X-Request-Id", "help-me-2")], authorization: nil)
                }
                let text = page(answer, status, "\(way) \(path)")
                #expect(text.contains("help-me-2") == (status != 200), "\(text)")
            }
        }
    }

    @Test func `a refusal before the route is a page too`() async throws {
        let body = String(repeating: "x", count: 70_000)
        for path in Self.paths {
            let answers = try await API.with { api in
                [
                    try await api.send("DELETE", path, authorization: nil),
                    try await api.send("POST", path, authorization: nil, body: body),
                    try await api.send("POST", path, authorization: nil, body: "{}"),
                    try await api.send(
                        "GET", path.replacing("0266f646-f51a-49e5-a57a-3ce9042bf1ad", with: "%FF"), authorization: nil),
                ]
            }
            for (answer, status) in zip(answers, [405, 413, 415, 400]) { _ = page(answer, status, "\(status) \(path)") }
            #expect(answers[0].header("Allow")?.contains("POST") == true)
        }
    }

    @Test func `a page is in the language of the reader`() async throws {
        var service = FakeService()
        service.failure = ServiceError(.mpinBlocked)
        let answer = try await API.with(service) {
            try await $0.send("GET", Self.paths[1], [("Accept-Language", "de-AT, en;q=0.5")], authorization: nil)
        }
        #expect(page(answer, 410, "de").contains("registrieren Sie die PIN neu"))
    }
}
