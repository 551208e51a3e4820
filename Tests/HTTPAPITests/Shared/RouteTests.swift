import Canonical
import TenureAPI
import Testing
@testable import HTTPAPI

@Suite struct RouteTests {
    /// Where an operation causes one call of the service.
    private static let working = ["/v1/", "/mpin/", "/oauth/", "/.well-known/"]

    @Test(arguments: Endpoint.all) func `every operation answers its sample request`(endpoint: Endpoint) async throws {
        var service = FakeService()
        service.provider = .working
        let answer = try await API.with(service) { api in
            try await api.send(
                endpoint.method, Samples.path(endpoint), authorization: Samples.authorization(endpoint),
                body: Samples.body(endpoint))
        }
        switch endpoint {
        // A form that logs out comes back with the cookie, which the sample has not.
        case .authorize, .authorizeByForm, .logOutByForm: #expect(answer.status == 303)
        case .logOut: #expect(answer.status == 200, "a page asks first")
        case .readUserInfo, .readUserInfoByForm: #expect(answer.status == 401, "the sample has no token")
        case .confirmEmail, .openReturn, .cancelReturn, .followMPinLink: #expect(answer.status == 400, "no form")
        default: #expect(answer.status == endpoint.terms?.answer.status)
        }
        // The list of questions is part of the program. A list of devices comes with notices, a passkey from that list.
        let work =
            switch endpoint {
            case .listQuestions, .readUserInfo, .readUserInfoByForm, .logOutByForm: 0
            case .confirmEmail, .openReturn, .cancelReturn, .followMPinLink: 0
            case .listDevices, .presentPasskey: 2
            case .authorize, .authorizeByForm, .logOut: 1
            case .showEmailLink, .showReturnLink, .showReturnCancellation: 1
            default: Self.working.contains(where: endpoint.template.text.hasPrefix) ? 1 : 0
            }
        #expect(await service.recorder.work.count == work)
    }

    @Test func `the routes match the operations of the contract`() {
        let served = Route.all(HTTPConfiguration(), waiting: .none).map(\.endpoint)
        #expect(served.count == Set(served).count)
        // The pages behind mailed links use them, also in a service without the pages app.
        #expect(Set(served) == Set(Endpoint.all + [.readPageAsset, .armPage, .chooseLanguage]))
    }

    @Test func `no two patterns of one method match the same path`() {
        for endpoint in Endpoint.all {
            let segments = PathTemplate.segments(of: Samples.path(endpoint)) ?? []
            let matching = Endpoint.all.filter {
                $0.method == endpoint.method && $0.template.match(segments) != nil
            }
            #expect(matching == [endpoint])
        }
    }

    @Test(arguments: Endpoint.all.filter { $0.access != .anyone })
    func `a caller without credentials causes no work`(endpoint: Endpoint) async throws {
        let service = FakeService()
        let answer = try await API.with(service) { api in
            try await api.send(
                endpoint.method, Samples.path(endpoint), authorization: nil, body: Samples.body(endpoint))
        }
        #expect(try answer.problem.code == (endpoint.access == .employee ? "session.invalid" : "app.unknown"))
        // An M-Pin client takes 401 for a wrong proof, so a refused app gets 403 and nothing to authenticate with.
        #expect(answer.status == (endpoint.family == .mpin ? 403 : 401))
        #expect((answer.header("WWW-Authenticate") ?? "").isEmpty == (endpoint.family == .mpin))
        #expect(await service.recorder.entries.isEmpty)
    }
}

@Suite struct PathCaptureTests {
    private func company(_ segment: String) async throws -> (answer: API.Answer, company: String?) {
        let service = FakeService()
        let answer = try await API.with(service) { try await $0.send("GET", "/v1/companies/" + segment) }
        return (answer, await service.recorder.work.last?.details["company"])
    }

    @Test(arguments: [
        ("Acme", "Acme"), ("A%2FB", "A/B"), ("A%2fB", "A/B"), ("A%252FB", "A%2FB"), ("%2525", "%25"),
        ("a+b", "a+b"), ("a%20b", "a b"), ("%C3%9F", "ß"), ("%F0%9F%8F%A2", "🏢"), ("a%3Fb", "a?b"),
        ("a%23b", "a#b"), ("...", "..."), (".a", ".a"), ("a;b=c", "a;b=c"), ("%7Bx%7D", "{x}"),
        ("~:@!$&'()*,", "~:@!$&'()*,"),
        ("%2F", "/"), ("..%2F..%2Fetc", "../../etc"), ("+4930123", "+4930123"), ("a%0Db", "a\rb"),
    ]) func `a capture is decoded exactly once`(segment: String, name: String) async throws {
        let (answer, company) = try await company(segment)
        #expect(answer.status == 200)
        #expect(company.map { Array($0.utf8) } == Array(name.utf8))
    }

    @Test(arguments: [
        "%", "a%", "a%4", "a%zz", "%FF", "%C3", "%C0%AF", "%ED%A0%80", "%F4%90%80%80", "%00", "a%00b", ".", "..", "%2E",
        "%2e%2E", ".%2e",
    ]) func `a capture with a dot segment or NUL is refused`(segment: String) async throws {
        let (answer, company) = try await company(segment)
        #expect(try answer.problem.code == "request.invalid")
        #expect(try answer.problem.errors.first?.place == .parameter("companyName"))
        #expect(company == nil)
    }

    @Test(arguments: [
        "/", "/v1", "/v1/", "/v1/company", "/v1/companies/", "//v1/companies/Acme", "/v1//companies/Acme",
        "/v1/companies/Acme/", "/v1/companies//employees", "/v1/companies/Acme/employees/", "/V1/companies/Acme",
        "/v1/%63ompanies/Acme", "/v1/companies/A/B", "/v1/./companies/Acme", "/v1/../v1/companies/Acme", "/healthz/",
    ]) func `only an exact match of a pattern is a route`(path: String) async throws {
        let answer = try await API.with { try await $0.send("GET", path) }
        #expect(try answer.problem.code == "route.unknown")
    }

    @Test(arguments: [
        "", "*", "v1/companies/Acme", "/v1/companies/A b", "/v1/companies/ß", "/healthz#x", "ftp://x/healthz",
    ])
    func `a request target that is not a path is refused`(target: String) async throws {
        #expect(RequestTarget(target) == nil)
    }

    @Test func `a request target in absolute form is matched by its path`() throws {
        let target = try #require(RequestTarget("HTTP://evil.example:1/v1/logins?a=b?c"))
        #expect(target.rawPath == "/v1/logins")
        #expect(target.rawQuery == "a=b?c")
        #expect(RequestTarget("http://x")?.rawPath == "/")
        #expect(RequestTarget("http://x?y")?.rawPath == "/")
    }

    @Test func `metrics are no route of the API`() async throws {
        let answer = try await API.with(live: true) { try await $0.send("GET", "/metrics", authorization: nil) }
        #expect(try answer.problem.code == "route.unknown")
    }

    @Test func `both captures of a path are decoded`() async throws {
        let service = FakeService()
        _ = try await API.with(service) { try await $0.send("GET", "/v1/companies/A%2FB/employees/%2B1%2F2") }
        #expect(await service.recorder.last?.details["company"] == "A/B")
        #expect(await service.recorder.last?.details["employee"] == "+1/2")
    }
}

extension WaitingStreams {
    /// Those of a process in which nobody waits.
    static var none: WaitingStreams { WaitingStreams(limit: 0) { .now() } }
}
