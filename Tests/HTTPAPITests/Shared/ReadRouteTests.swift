import Canonical
import ErrorCodes
import IdentityService
import TenureAPI
import Testing

@testable import HTTPAPI

@Suite struct ReadRouteTests {
    private func get(
        _ path: String, _ headers: [(String, String)] = [], _ service: FakeService = FakeService(),
        publicURL: String? = nil
    ) async throws -> (answer: API.Answer, details: [String: String]) {
        let configuration = HTTPConfiguration(port: 0, publicURL: publicURL)
        let answer = try await API.with(service, configuration: configuration) {
            try await $0.send("GET", path, headers)
        }
        return (answer, await service.recorder.work.last?.details ?? [:])
    }

    @Test func `a read waits for the requested position`() async throws {
        for path in ["", "/employees", "/employees/7", "/security-admin", "/authorizations"] {
            let (answer, details) = try await get("/v1/companies/Acme" + path, [("Tenure-Wait-For", "42")])
            #expect(answer.status == 200)
            #expect(details["waitFor"] == "42")
        }
        for bad in ["-1", "x", "", "01", "9223372036854775808", "1.0", "+1"] {
            let (answer, _) = try await get("/v1/companies/Acme", [("Tenure-Wait-For", bad)])
            #expect(try answer.problem.errors.first?.place == .header("Tenure-Wait-For"))
        }
    }

    @Test func `a list of pending keys is asked once for each long poll, and then the caller is authenticated again`()
        async throws
    {
        let service = FakeService()
        let there = try await get("/v1/companies/Acme/authorizations?after=3&wait=20", [], service)
        #expect(there.answer.status == 200)
        guard case .array(let items) = try there.answer.json["items"] else { throw Refusal(.requestInvalid) }
        #expect(items.count == 1)
        #expect(there.details["wait"] == "20")
        #expect(await service.recorder.work.count == 1)
        #expect(await service.recorder.entries.map(\.name).last?.hasPrefix("authenticate") ?? false)
        let none = try await get("/v1/companies/Acme/authorizations?after=4", [], service)
        #expect(none.answer.status == 200)
        #expect(try none.answer.json["items"] == .array([]))
        #expect(none.details["wait"] == "")
        #expect(await service.recorder.entries.map(\.name).last == "authorizations")
    }

    @Test func `reading an employee includes the keys, listing employees does not`() async throws {
        #expect(try await get("/v1/companies/Acme/employees/7").answer.json["keys"] != nil)
        guard case .array(let items) = try await get("/v1/companies/Acme/employees").answer.json["items"] else {
            Issue.record("no items")
            return
        }
        #expect(items.first?["keys"] == nil)
    }

    @Test(arguments: [
        ("", "all"), ("?employeeId=02000000-0000-4000-8000-000000000002", "id(02000000-0000-4000-8000-000000000002)"),
        ("?employeeId=02ABCDEF-0000-4000-8000-000000000002", "id(02abcdef-0000-4000-8000-000000000002)"),
        ("?email=zoe%2Bx%40acme.example&limit=7", "email(\"zoe+x@acme.example\")"),
    ])
    func `employees are listed all, by id or by address`(query: String, choice: String) async throws {
        let (answer, details) = try await get("/v1/companies/Acme/employees" + query)
        #expect(answer.status == 200 && details["choice"]?.lowercased() == choice, "\(details)")
    }

    @Test(arguments: [
        ("employeeId=7", "employeeId"), ("employeeId=", "employeeId"), ("email=", "email"), ("email", "email"),
        ("email=a%40b.example&employeeId=02000000-0000-4000-8000-000000000002", "email"),
        ("mail=a%40b.example", "mail"),
    ])
    func `a malformed choice of employees is refused by its name`(query: String, name: String) async throws {
        let (answer, _) = try await get("/v1/companies/Acme/employees?" + query)
        #expect(try answer.problem.code == "request.invalid")
        #expect(try answer.problem.errors.first?.place == .parameter(name))
    }

    @Test(arguments: [ErrorCode.emailInvalid, .requestInvalid])
    func `an address that is none is named as the parameter`(code: ErrorCode) async throws {
        var service = FakeService()
        service.failure = ServiceError(code, members: [.init(pointer: "/email", detail: "one @ is expected")])
        let (answer, _) = try await get("/v1/companies/Acme/employees?email=zoe", [], service)
        #expect(try answer.problem.code == "request.invalid")
        #expect(try answer.problem.errors.map(\.place) == [.parameter("email")])
    }

    @Test func `an app lists its companies`() async throws {
        let (answer, details) = try await get("/v1/companies?after=3&limit=2")
        guard case .array(let items) = try answer.json["items"] else { throw Refusal(.requestInvalid) }
        #expect(items.first?["companyName"] == "Acme" && items.first?["tenantId"] != nil)
        #expect(details["after"] == "3" && details["limit"] == "2")
    }

    @Test func `the link to the next page uses the configured address only`() async throws {
        var service = FakeService()
        service.next = 70
        let path = "/v1/companies/A%2Fb%20%C3%9F/employees?limit=20&after=3"
        let headers = [("X-Forwarded-Host", "evil.example"), ("Forwarded", "host=evil.example")]
        let (answer, details) = try await get(path, headers, service, publicURL: "https://id.example/base")
        #expect(details["after"] == "3")
        #expect(details["limit"] == "20")
        #expect(try answer.json["next"] == 70)
        #expect(
            answer.header("Link")
                == "<https://id.example/base/v1/companies/A%2Fb%20%C3%9F/employees?after=70&limit=20>; rel=\"next\"")
        let relative = try await get("/v1/companies/Acme/employees", [], service).answer
        #expect(relative.header("Link") == "</v1/companies/Acme/employees?after=70&limit=50>; rel=\"next\"")
    }

    @Test func `a link keeps and re-encodes the other parameters`() async throws {
        var service = FakeService()
        service.next = 5
        let (answer, details) = try await get("/v1/companies/Acme/events?type=X&employee=%2B4%3E9+1", [], service)
        #expect(details["employee"] == "+4>9+1")
        #expect(
            answer.header("Link")
                == "</v1/companies/Acme/events?after=5&limit=100&type=X&employee=%2B4%3E9%2B1>; rel=\"next\"")
    }

    @Test func `the last page has no link`() async throws {
        let answer = try await get("/v1/companies/Acme/employees").answer
        #expect(answer.header("Link") == nil)
        #expect(try answer.json["next"] == nil)
    }

    @Test(arguments: [
        ("/employees?limit=0", "limit"), ("/employees?limit=201", "limit"), ("/employees?limit=ten", "limit"),
        ("/employees?after=-1", "after"), ("/employees?limit=1&limit=2", "limit"), ("/employees?x=1", "x"),
        ("/events?limit=501", "limit"), ("/events?as_of=yesterday", "as_of"),
        ("/events?as_of=2026-13-01T00:00:00Z", "as_of"),
        ("/events?as_of=2026-01-01T00:00:00.1234567Z", "as_of"), ("/authorizations?state=done", "state"),
        ("/authorizations?wait=21", "wait"), ("/employees?wait=1", "wait"), ("?after=1", "after"),
        ("/mpin/identities?x", "x"),
        ("/security-admin?%C3%A4=1", "ä"),
    ]) func `an invalid, repeated or unknown query parameter is refused`(path: String, parameter: String) async throws {
        let (answer, details) = try await get("/v1/companies/Acme" + path)
        #expect(try answer.problem.code == "request.invalid")
        #expect(try answer.problem.errors.first?.place == .parameter(parameter))
        #expect(details.isEmpty)
    }

    @Test(arguments: ["?limit=%", "?limit=%4", "?limit=%zz", "?type=%FF", "?type=%00", "?%C3=1"])
    func `a query that is not percent-encoded UTF-8 is refused`(query: String) async throws {
        #expect(try await get("/v1/companies/Acme/events" + query).answer.problem.code == "request.invalid")
    }

    @Test(arguments: [
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000000Z"),
        ("2026-01-02T03:04:05.5Z", "2026-01-02T03:04:05.500000Z"),
        ("2026-01-02T03:04:05.123456Z", "2026-01-02T03:04:05.123456Z"),
    ]) func `a time may omit its fraction`(text: String, read: String) async throws {
        #expect(try await get("/v1/companies/Acme/events?as_of=\(text)").details["asOf"] == read)
    }

    @Test func `an admin can read with a session`() async throws {
        let service = FakeService()
        _ = try await API.with(service) {
            try await $0.send("GET", "/v1/companies/Acme", authorization: API.bearer)
        }
        #expect(await service.recorder.last?.details["caller"] == "employee")
    }
}
