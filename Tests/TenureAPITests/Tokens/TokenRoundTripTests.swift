import Canonical
import ErrorCodes
import FoundationEssentials
import TenureAPI
import Testing

@Suite struct TokenRoundTripTests {
    private static let time = Timestamp(microseconds: 1_800_000_000_123_456)
    private static let ids = (1...5).map { UUID(uuid: ($0, 2, 3, 4, 5, 6, 64, 8, 128, 10, 11, 12, 13, 14, 15, 16)) }
    private static let claims = TokenIntrospectionResponse.Claims(
        issuer: "https://id.example", subject: ids[0], audience: "https://payroll.example/api", expiresAt: 300,
        issuedAt: 0, id: ids[1], clientID: ids[2], sessionID: ids[3], tenantID: ids[4], role: "admin",
        methods: ["pop"], authenticatedAt: 7)

    private func check<Value: JSONConvertible & Equatable>(_ value: Value) throws {
        #expect(try Value(bytes: value.bytes) == value)
        #expect(try CanonicalJSON.parse(value.bytes) == value.json)
    }

    @Test func `requests and responses round-trip`() throws {
        try check(ResourceTokenRequest(resource: "https://payroll.example/api"))
        try check(ResourceTokenResponse(accessToken: "a.b.c", expiresAt: Self.time))
        try check(TokenMetadataResponse(issuer: "https://id.example"))
        try check(TokenIntrospectionResponse.inactive)
        try check(TokenIntrospectionResponse.active(Self.claims))
        var problem = Problem(.requestInvalid, requestId: "r")
        problem.oauth = OAuthRefusal(status: 400, describing: "no")
        try check(problem)
        #expect(throws: JSONError.self) { try ResourceTokenRequest(bytes: #"{"resource":"a","x":1}"#.utf8) }
    }

    @Test func `an inactive token has one member, whatever else a service sends`() throws {
        #expect(TokenIntrospectionResponse.inactive.bytes == Array(#"{"active":false}"#.utf8))
        #expect(try TokenIntrospectionResponse(bytes: #"{"active":false,"sub":7}"#.utf8) == .inactive)
        for text in ["{}", #"{"active":"true"}"#, #"{"active":true}"#, #"{"active":true,"sub":"x"}"#] {
            #expect(throws: JSONError.self, "\(text)") { try TokenIntrospectionResponse(bytes: text.utf8) }
        }
    }

    @Test func `an active token needs every claim`() throws {
        guard case .object(let members) = TokenIntrospectionResponse.active(Self.claims).json else {
            Issue.record("no object")
            return
        }
        for name in members.keys where name != "token_type" {
            var fewer = members
            fewer[name] = nil
            #expect(throws: JSONError.self, "\(name)") { try TokenIntrospectionResponse(json: .object(fewer)) }
        }
    }

    @Test(arguments: ["a.b.c", "a+b/c=", "a b", "ß🏢", "a&token=b", "%41", "\u{1}\u{7F}"])
    func `a form keeps its token`(token: String) throws {
        for hint in [nil, "refresh_token"] {
            let request = TokenFormRequest(token: token, tokenTypeHint: hint)
            #expect(try TokenFormRequest(form: request.form) == request)
            #expect(request.form.allSatisfy { (0x21...0x7E).contains($0) })
        }
    }

    @Test func `a fault of a form names its parameter and never its value`() {
        for (form, parameter) in [("token=hunter2&token=a", "token"), ("hunter2=a", "token"), ("token=hunter2%", nil)] {
            #expect {
                try TokenFormRequest(form: form.utf8)
            } throws: { error in
                (error as? FormError)?.parameter == parameter && !"\(error)".contains("hunter2")
            }
        }
    }

    @Test(
        arguments: [
            (400, "invalid_request"), (401, "invalid_client"), (403, "unauthorized_client"), (405, "invalid_request"),
            (413, "invalid_request"), (415, "invalid_request"), (429, "temporarily_unavailable"),
            (503, "temporarily_unavailable"), (500, "server_error"),
        ])
    func `each status has an error of RFC 6749`(status: Int, error: String) {
        #expect(OAuthRefusal(status: status, describing: "x").error == error)
    }

    @Test func `a description has only the characters of RFC 6749`() {
        let refusal = OAuthRefusal(status: 400, describing: "a \"b\" \\c\nß — d")
        #expect(refusal.description == "a 'b' 'c'' ' d")
    }

    @Test func `tokens are not printed`() {
        let values: [any Sendable] = [
            ResourceTokenResponse(accessToken: "hunter2", expiresAt: Self.time), TokenFormRequest(token: "hunter2"),
        ]
        for value in values { #expect(!"\(value)".contains("hunter2")) }
    }

    @Test func `the endpoints that refuse as OAuth does are those three`() {
        #expect(
            Endpoint.all.filter { $0.family == .oauth } == [.introspectToken, .revokeToken, .issueGrantTokens])
    }
}
