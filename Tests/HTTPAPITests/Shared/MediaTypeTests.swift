import ErrorCodes
import HTTPTypes
import TenureAPI
import Testing

@testable import HTTPAPI

@Suite struct MediaTypeTests {
    private func refusal(
        _ method: String, _ path: String, _ headers: [(String, String)], body: String = "{}"
    ) async throws -> API.Answer {
        let service = FakeService()
        let isOfEmployees = path.hasSuffix("/policy") || path.contains("/apps/")
        let answer = try await API.with(service) {
            try await $0.send(
                method, path, headers, authorization: isOfEmployees ? API.bearer : API.basic, body: body)
        }
        #expect(try answer.problem.code == "request.media_type")
        #expect(answer.status == 415)
        #expect(await service.recorder.work.isEmpty)
        return answer
    }

    @Test(arguments: [
        "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "appli cation/json", "",
        "application/json; charset=latin1", "application/json; charset = utf-8", "application/json, application/json",
        "multipart/form-data; boundary=x", "application/json; x=y", "application/problem+json", "text/json",
    ]) func `only JSON content types are accepted`(type: String) async throws {
        let answer = try await refusal("POST", "/v1/logins", [("Content-Type", type)], body: Samples.login)
        #expect(try answer.problem.errors.first?.place == .header("Content-Type"))
        #expect(answer.header("Accept-Encoding") == nil)
    }

    @Test func `a body without a content type is refused`() async throws {
        let headers = RequestHeaders(fields: [:])
        #expect { try MediaType.json.require(headers, method: "POST") } throws: { error in
            (error as? Refusal)?.code == .requestMediaType
        }
    }

    @Test(arguments: [
        ("POST", "/v1/logins", "Accept-Post"), ("PATCH", "/v1/companies/A/policy", "Accept-Patch"),
        ("PUT", "/v1/companies/A/apps/x", "Accept"), ("DELETE", "/v1/companies/A/apps/x", "Accept"),
        ("PUT", "/mpin/A/rps/user", "Accept"),
    ]) func `the refusal says which media type the method takes`(
        method: String, path: String, field: String
    ) async throws {
        let answer = try await refusal(method, path, [("Content-Type", "text/plain")])
        for name in ["Accept-Post", "Accept-Patch", "Accept"] {
            #expect(answer.header(name) == (name == field ? "application/json" : nil))
        }
    }

    @Test(arguments: ["gzip", "br", "identity, gzip", "x"])
    func `a body with a content coding is refused`(coding: String) async throws {
        let answer = try await refusal("POST", "/v1/logins", [("Content-Encoding", coding)], body: Samples.login)
        #expect(try answer.problem.errors.first?.place == .header("Content-Encoding"))
        #expect(answer.header("Accept-Encoding") == "identity")
        #expect(answer.header("Accept-Post") == nil)
    }

    @Test func `the coding identity is none`() async throws {
        let answer = try await API.with {
            try await $0.send("POST", "/v1/logins", [("Content-Encoding", "Identity")], body: Samples.login)
        }
        #expect(answer.status == 201)
    }

    @Test(arguments: [
        "application/json", "Application/JSON", "application/json;charset=UTF-8",
        "application/json ; charset=\"utf-8\"", "application/json;; Charset=\"UTF\\-8\";",
    ])
    func `a JSON content type may name the charset UTF-8`(type: String) async throws {
        let answer = try await API.with {
            try await $0.send("POST", "/v1/logins", [("Content-Type", type)], body: Samples.login)
        }
        #expect(answer.status == 201)
    }

    @Test func `two content types are not valid`() async throws {
        let answer = try await API.with {
            try await $0.send(
                "POST", "/v1/logins", [("Content-Type", "application/json"), ("Content-Type", "application/json")],
                body: Samples.login)
        }
        #expect(try answer.problem.code == "request.invalid")
    }

    @Test func `a call without a body needs no media type`() async throws {
        let answer = try await API.with {
            try await $0.send("DELETE", "/v1/companies/A/apps/x", authorization: API.bearer)
        }
        #expect(answer.status == 200)
    }
}
