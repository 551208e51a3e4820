import Canonical
import TenureAPI
import Testing

@testable import HTTPAPI
@testable import IdentityService

@Suite struct TokenFormTests {
    private static let paths = ["/oauth/introspect", "/oauth/revoke"]

    private func post(
        _ path: String, _ body: String?, _ headers: [(String, String)] = [], authorization: String? = API.basic,
        service: FakeService = FakeService(), configuration: HTTPConfiguration = HTTPConfiguration(port: 0)
    ) async throws -> (answer: API.Answer, token: String?) {
        let answer = try await API.with(service, configuration: configuration) {
            try await $0.send("POST", path, headers, authorization: authorization, body: body)
        }
        return (answer, await service.recorder.work.last?.details["token"])
    }

    @Test(
        arguments: [
            ("token=a.b.c", "a.b.c"), ("token=a%2Eb", "a.b"), ("token=a+b", "a b"), ("token=a%2Bb", "a+b"),
            ("token=a%2bb", "a+b"), ("t%6Fken=a", "a"), ("token=a=b", "a=b"), ("&&token=a&", "a"),
            ("token=%C3%9F", "ß"), ("x=1&token=a&x=2", "a"), ("token_type_hint=none&token=a", "a"),
            ("token=a&client_id=b&Token=c", "a"), ("token=a&token_type_hint=", "a"), ("token=a%2525", "a%25"),
        ])
    func `a form is decoded as HTML forms are encoded`(body: String, token: String) async throws {
        for path in Self.paths {
            let (answer, received) = try await post(path, body)
            #expect(answer.status == 200)
            #expect(received == token)
        }
    }

    @Test(
        arguments: [
            ("x=1", "token"), ("token=", "token"), ("token", "token"), ("&", "token"), ("token=a&token=a", "token"),
            ("token=a&token=", "token"), ("token=a&t%6Fken=b", "token"),
            ("token=a&token_type_hint=a&token_type_hint=b", "token_type_hint"), ("token=%", nil), ("token=%4", nil),
            ("token=%zz", nil), ("token=%FF", nil), ("token=%C3", nil), ("token=a%00b", nil), ("token=a&x=%00", nil),
            ("token=a&%FF=b", nil), ("token=%ED%A0%80", nil),
        ] as [(String, String?)])
    func `a malformed form is refused with its place`(body: String, parameter: String?) async throws {
        for path in Self.paths {
            let (answer, received) = try await post(path, body)
            let problem = try answer.problem
            #expect(problem.code == "request.invalid")
            #expect(problem.errors.map(\.place) == [parameter.map { .parameter($0) } ?? .none])
            #expect(problem.oauth?.error == "invalid_request")
            #expect(problem.oauth?.description == problem.errors.first?.detail)
            #expect(received == nil)
        }
    }

    @Test func `a form without a body is refused`() async throws {
        for path in Self.paths {
            let (answer, received) = try await post(path, nil)
            #expect(try answer.problem.code == "request.invalid" && answer.problem.oauth?.error == "invalid_request")
            #expect(received == nil)
        }
    }

    @Test(arguments: ["application/json", "text/plain", "", "multipart/form-data; boundary=x"])
    func `another media type than a form is refused`(type: String) async throws {
        for path in Self.paths {
            let (answer, received) = try await post(path, "token=a", [("Content-Type", type)])
            let problem = try answer.problem
            #expect(problem.errors.first?.place == .header("Content-Type"))
            #expect(problem.errors.first?.detail == "application/x-www-form-urlencoded is expected")
            #expect(problem.oauth?.error == "invalid_request")
            #expect(received == nil)
        }
    }

    @Test(arguments: ["application/x-www-form-urlencoded", "Application/X-WWW-Form-Urlencoded; charset=UTF-8"])
    func `the media type of a form may name UTF-8`(type: String) async throws {
        #expect(try await post("/oauth/introspect", "token=a", [("Content-Type", type)]).token == "a")
    }

    @Test func `a JSON endpoint takes no form`() async throws {
        let service = FakeService()
        let answer = try await API.with(service) {
            try await $0.send("POST", "/v1/logins", [("Content-Type", FormEncoding.mediaType)], body: Samples.login)
        }
        #expect(try answer.problem.errors.first?.detail == "application/json is expected")
        #expect(try answer.problem.oauth == nil)
    }

    @Test func `an app that is not authenticated is an invalid client`() async throws {
        let wrong = "Basic " + Base64.encode(Array("app:wrong".utf8))
        for path in Self.paths {
            for authorization in [nil, "Basic ?", wrong, API.bearer] {
                let (answer, received) = try await post(path, "token=a", authorization: authorization)
                #expect(answer.status == 401)
                #expect(try answer.problem.oauth?.error == "invalid_client")
                #expect(answer.header("WWW-Authenticate") == #"Basic realm="tenure", charset="UTF-8""#)
                #expect(received == nil)
            }
        }
    }

    @Test(
        arguments: [
            ("app.role_missing", "unauthorized_client"), ("service.busy", "temporarily_unavailable"),
            ("service.unavailable", "temporarily_unavailable"), ("request.rate_limited", "temporarily_unavailable"),
            ("request.invalid", "invalid_request"),
        ])
    func `a refusal has an error of RFC 6749`(code: String, error: String) async throws {
        var service = FakeService()
        service.failure = ServiceErrors.named(code)
        for path in Self.paths {
            let problem = try await post(path, "token=a", service: service).answer.problem
            #expect(problem.code == code && problem.oauth?.error == error)
            #expect(problem.oauth?.description.isEmpty == false)
        }
    }

    @Test func `refusals before the handler have an error of RFC 6749, too`() async throws {
        var configuration = HTTPConfiguration(port: 0)
        configuration.limits.bodyBytes = 4
        let large = try await post("/oauth/revoke", "token=a", configuration: configuration).answer
        #expect(try large.problem.oauth?.error == "invalid_request")
        let method = try await API.with { try await $0.send("GET", "/oauth/introspect") }
        #expect(method.status == 405)
        #expect(try method.problem.oauth?.error == "invalid_request")
        let tokens = try await API.with { try await $0.send("GET", "/oauth/token") }
        #expect(try tokens.status == 405 && tokens.problem.oauth?.error == "invalid_request")
        let unknown = try await API.with { try await $0.send("POST", "/oauth/unknown", body: "token=a") }
        #expect(unknown.status == 404)
        #expect(try unknown.problem.oauth == nil)
    }

    @Test func `other endpoints have no error of RFC 6749`() async throws {
        let answer = try await API.with { try await $0.send("POST", "/v1/logins", authorization: nil, body: "{}") }
        #expect(try answer.json["error"] == nil && answer.json["error_description"] == nil)
    }
}
