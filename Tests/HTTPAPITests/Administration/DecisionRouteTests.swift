import Canonical
@testable import IdentityService
import ErrorCodes
import TenureAPI
import Testing

@testable import HTTPAPI

@Suite struct DecisionRouteTests {
    private static let key = "/v1/companies/Acme/employees/7/keys/ab"

    private func ask(
        _ method: String, _ path: String, _ headers: [(String, String)] = [], body: String? = nil,
        _ service: FakeService = FakeService()
    ) async throws -> (answer: API.Answer, details: [String: String]) {
        // Of these decisions an app takes none.
        let isOfEmployees = path.hasSuffix("/policy") || path.hasSuffix("/role") || path.contains("/apps/")
        let answer = try await API.with(service) {
            try await $0.send(
                method, path, headers, authorization: isOfEmployees ? API.bearer : API.basic, body: body)
        }
        return (answer, await service.recorder.work.last?.details ?? [:])
    }

    @Test(arguments: [
        ("authorization", "authorize", "{}", "none"), ("refusal", "refuse", #"{"reason":"a.b-c_1"}"#, "a.b-c_1"),
        ("revocation", "revoke", #"{"reason":"lost"}"#, "lost"),
    ]) func `the key decisions reach the service`(path: String, action: String, body: String, reason: String)
        async throws
    {
        let (answer, details) = try await ask("POST", "\(Self.key)/\(path)", body: body)
        #expect(answer.status == 200)
        #expect(answer.header("Tenure-Position") == "9")
        #expect(try answer.json["outcome"] == "done")
        #expect(
            details == [
                "action": action, "company": "Acme", "employee": "7", "fingerprint": "ab", "reason": reason,
                "signed": "none",
            ])
    }

    @Test func `statement and signature reach the service`() async throws {
        let body = #"{"statement":"AQI=","signature":"Aw=="}"#
        let (_, details) = try await ask("POST", Self.key + "/authorization", body: body)
        #expect(details["signed"] == "0102/03")
    }

    @Test(arguments: [
        (#"{"statement":"AQI="}"#, "/signature"), (#"{"signature":"AQI="}"#, "/statement"),
        (#"{"statement":"AQI","signature":"AQI="}"#, "/statement"), (#"{"reason":"x"}"#, "/reason"),
    ]) func `a statement without a signature and a superfluous reason are refused`(body: String, pointer: String)
        async throws
    {
        let (answer, details) = try await ask("POST", Self.key + "/authorization", body: body)
        #expect(try answer.problem.errors.first?.place == .pointer(pointer))
        #expect(details.isEmpty)
    }

    @Test(arguments: ["", "A", "ä", String(repeating: "a", count: 65), "a b"])
    func `a reason that is no code is refused`(reason: String) async throws {
        let (answer, _) = try await ask("POST", Self.key + "/refusal", body: #"{"reason":"\#(reason)"}"#)
        #expect(try answer.problem.errors.first?.place == .pointer("/reason"))
    }

    @Test func `an authorization needs no body`() async throws {
        #expect(try await ask("POST", Self.key + "/authorization").answer.status == 200)
        #expect(try await ask("POST", Self.key + "/refusal").answer.status == 400)
    }

    @Test func `an admin receives the statement to sign`() async throws {
        var service = FakeService()
        service.decision = .signatureRequired(statement: [1, 2])
        let (answer, _) = try await ask("POST", Self.key + "/authorization", body: "{}", service)
        #expect(try answer.json == ["outcome": "signatureRequired", "statement": "AQI="])
    }

    private static let statusDecisions = [
        ("approval", "approve"), ("cancellation", "cancel"), ("reinstatement", "reinstate"),
        ("sessions/end", "endSessions"),
    ]

    @Test(arguments: statusDecisions)
    func `the status decisions reach the service`(path: String, action: String) async throws {
        let isKept = action == "cancel"
        let (answer, details) = try await ask(
            "POST", "/v1/companies/Acme/employees/7/\(path)", body: isKept ? #"{"note":"why"}"# : "{}")
        #expect(answer.status == 200)
        let note = isKept ? "why" : "none"
        #expect(details == ["action": action, "company": "Acme", "employee": "7", "note": note, "signed": "none"])
    }

    @Test(arguments: statusDecisions)
    func `a note that the log would not keep is refused`(path: String, action: String) async throws {
        guard action != "cancel" else { return }
        let (answer, _) = try await ask(
            "POST", "/v1/companies/Acme/employees/7/\(path)", body: #"{"note":"why"}"#)
        #expect(answer.status == 400)
        #expect(try answer.problem.errors.first?.place == .pointer("/note"))
    }

    @Test func `a note has 1,024 bytes at most`() async throws {
        let path = "/v1/companies/Acme/employees/7/cancellation"
        let body = { (count: Int) in #"{"note":"\#(String(repeating: "ä", count: count))"}"# }
        #expect(try await ask("POST", path, body: body(512)).answer.status == 200)
        #expect(try await ask("POST", path, body: body(513)).answer.status == 400)
    }

    @Test(arguments: [
        ("PUT", "", "link"), ("PUT", #""roles":["CREATION","ACCESS"],"#, "ACCESS CREATION"), ("DELETE", "", "unlink"),
    ])
    func `an app is linked and unlinked`(method: String, roles: String, change: String) async throws {
        let (answer, details) = try await ask(
            method, "/v1/companies/Acme/apps/the%20app", body: "{\(roles)" + #""statement":"AQI=","signature":"Aw=="}"#)
        #expect(answer.status == 200)
        #expect(details == ["appId": "the app", "company": "Acme", "change": change, "signed": "0102/03"])
    }

    @Test func `an e-mail is reclaimed`() async throws {
        let (answer, details) = try await ask(
            "POST", "/v1/companies/Acme/reclaimed-emails", body: #"{"email":"a@b","reason":"left"}"#)
        #expect(answer.status == 200)
        #expect(details == ["email": "a@b", "reason": "left", "company": "Acme", "signed": "none"])
    }

    @Test func `a policy has an ETag, and a change with an outdated one is refused`() async throws {
        let path = "/v1/companies/Acme/policy"
        #expect(try await ask("GET", path).answer.header("ETag") == "\"3\"")
        let change = #"{"keyAuthorization":"securityAdmin","blindOnly":true}"#
        var (answer, details) = try await ask("PATCH", path, [("If-Match", "\"3\"")], body: change)
        #expect(answer.status == 200)
        #expect(details["ifMatch"] == "3")
        #expect(details["keyAuthorization"] == "securityAdmin")
        #expect(details["approval"] == "none")
        (answer, details) = try await ask("PATCH", path, [("If-Match", "*")], body: change)
        #expect(details["ifMatch"] == "none")
        (answer, details) = try await ask("PATCH", path, body: change)
        #expect(details["ifMatch"] == "none")
        var service = FakeService()
        service.failure = ServiceError(.requestStale)
        (answer, _) = try await ask("PATCH", path, [("If-Match", "\"2\"")], body: change, service)
        #expect(answer.status == 412)
    }

    @Test(arguments: [
        ("3", 400), ("\"3", 400), ("\"1\", \"2\"", 400), ("W/3", 400), ("", 400), ("W/\"3\"", 412), ("\"x\"", 412),
        ("\"03\"", 412), ("\"-1\"", 412), ("\"99999999999999999999\"", 412), ("\"\"", 412),
    ]) func `an unknown ETag changes nothing`(tag: String, status: Int) async throws {
        let (answer, details) = try await ask(
            "PATCH", "/v1/companies/Acme/policy", [("If-Match", tag)], body: #"{"blindOnly":true}"#)
        #expect(try answer.problem.status == status)
        #expect(details.isEmpty)
    }

    @Test(arguments: [
        ("{}", ""), (#"{"keyAuthorization":"nobody"}"#, "/keyAuthorization"), (#"{"approval":1}"#, "/approval"),
        (#"{"blindOnly":null}"#, "/blindOnly"), (#"{"version":4}"#, "/version"),
    ]) func `an unknown or malformed member of a policy is refused`(body: String, pointer: String) async throws {
        let (answer, _) = try await ask("PATCH", "/v1/companies/Acme/policy", body: body)
        #expect(try answer.problem.errors.first?.place == .pointer(pointer))
    }
}
