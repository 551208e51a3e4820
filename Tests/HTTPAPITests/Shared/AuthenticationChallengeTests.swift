import ErrorCodes
import IdentityService
import TenureAPI
import Testing

@testable import HTTPAPI

@Suite struct AuthenticationChallengeTests {
    private static let basic = #"Basic realm="tenure", charset="UTF-8""#
    private static let bearer = #"Bearer realm="tenure""#
    private static let stranger = "Bearer b3RoZXI"

    private func challenge(
        _ path: String, _ authorization: String?, _ headers: [(String, String)] = [], failure: String? = nil
    ) async throws -> (status: Int, text: String?) {
        var service = FakeService()
        service.failure = failure.flatMap { ServiceErrors.named($0) }
        let answer = try await API.with(service) {
            try await $0.send("GET", path, headers, authorization: authorization)
        }
        return (answer.status, answer.header("WWW-Authenticate"))
    }

    @Test func `a caller without a token learns the schemes only`() async throws {
        #expect(try await challenge("/v1/sessions", nil) == (401, Self.bearer))
        #expect(try await challenge("/v1/sessions", API.basic) == (401, Self.bearer))
        #expect(try await challenge("/v1/sessions", "Digest x") == (401, Self.bearer))
        #expect(try await challenge("/v1/companies/A", nil) == (401, "\(Self.basic), \(Self.bearer)"))
    }

    @Test func `a refused token is an invalid one`() async throws {
        let error = #", error="invalid_token", error_description="The token is not valid""#
        #expect(try await challenge("/v1/sessions", Self.stranger) == (401, Self.bearer + error))
        #expect(
            try await challenge("/v1/companies/A", Self.stranger) == (401, "\(Self.basic), \(Self.bearer)\(error)"))
    }

    @Test func `an expired token is an invalid one too`() async throws {
        let text = try await challenge("/v1/sessions", API.bearer, failure: "session.expired").text
        #expect(text == Self.bearer + #", error="invalid_token", error_description="The session has expired""#)
    }

    @Test(arguments: ["Bearer", "Bearer a b", "Bearer ?", "bearer"])
    func `a malformed token is an invalid request`(authorization: String) async throws {
        let (status, text) = try await challenge("/v1/sessions", authorization)
        #expect(status == 401)
        #expect(text?.contains(#"error="invalid_token""#) == true)
    }

    @Test func `two tokens are an invalid request`() async throws {
        let both = [("Authorization", API.bearer), ("Authorization", API.bearer)]
        let (status, text) = try await challenge("/v1/sessions", nil, both)
        #expect(status == 401)
        #expect(text?.contains(#"error="invalid_token""#) == true)
    }

    @Test func `an employee without the permission has an insufficient scope`() async throws {
        let refused = try await challenge("/v1/companies/A", API.bearer, failure: "authorization.not_permitted")
        let error = #", error="insufficient_scope", error_description="The caller may not do this""#
        #expect(refused == (403, Self.bearer + error))
        #expect(try await challenge("/v1/companies/A", API.basic, failure: "authorization.not_permitted") == (403, nil))
    }

    @Test func `an old log-in is answered with the age that suffices`() async throws {
        let refused = try await challenge("/v1/companies/A", API.bearer, failure: "session.login_required")
        #expect(refused.status == 403)
        let error = #", error="insufficient_user_authentication", error_description="A recent log-in is required""#
        #expect(refused.text == Self.bearer + error + #", max_age="600""#)
    }

    @Test(arguments: ["employee.inactive", "company.unknown", "request.rate_limited"])
    func `other refusals carry no challenge`(code: String) async throws {
        #expect(try await challenge("/v1/companies/A", API.bearer, failure: code).text == nil)
    }

    @Test func `an app's challenge is that of Basic, whatever was wrong`() async throws {
        let wrong = "Basic YXBwOndyb25n"
        for authorization in [nil, wrong, Self.stranger, "Bearer ?"] {
            let answer = try await API.with {
                try await $0.send("POST", "/v1/logins", authorization: authorization, body: Samples.login)
            }
            #expect(answer.status == 401)
            #expect(answer.header("WWW-Authenticate") == Self.basic)
        }
    }

    @Test func `a stored refusal keeps its challenge`() {
        let challenge = AuthenticationChallenge(access: .appOrEmployee, presented: .bearer("t"))
        let reply = Reply(
            Refusal(.authorizationNotPermitted), requestId: "r", challenge: challenge, publicURL: "")
        #expect(Reply(reply.stored).headers["WWW-Authenticate"]?.contains("insufficient_scope") == true)
    }

    /// RFC 6750 §3 permits these characters in a description.
    @Test(arguments: ErrorCode.all) func `a title may be the description of an error`(code: ErrorCode) {
        #expect(code.title.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
    }
}
