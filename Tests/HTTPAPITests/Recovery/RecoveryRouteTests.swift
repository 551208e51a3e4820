import Canonical
@testable import IdentityService
import TenureAPI
import Testing

@testable import HTTPAPI

@Suite struct RecoveryRouteTests {
    private static let path = "/v1/companies/Acme/employees/7/recoveries/ab"

    private func ask(
        _ method: String, _ path: String, body: String? = nil, authorization: String? = API.bearer,
        _ service: FakeService = FakeService()
    ) async throws -> (answer: API.Answer, details: [String: String]) {
        let answer = try await API.with(service) {
            try await $0.send(method, path, authorization: authorization, body: body)
        }
        return (answer, await service.recorder.work.last?.details ?? [:])
    }

    @Test(arguments: [
        ("opening", "open", "{}", "none"), ("confirmation", "confirm", "{}", "none"),
        ("cancellation", "cancel", #"{"reason":"mistake"}"#, "mistake"),
    ]) func `the recovery decisions reach the service`(path: String, action: String, body: String, reason: String)
        async throws
    {
        let (answer, details) = try await ask("POST", "\(Self.path)/\(path)", body: body)
        #expect(answer.status == 200)
        #expect(
            details == [
                "action": action, "company": "Acme", "employee": "7", "fingerprint": "ab", "reason": reason,
                "signed": "none",
            ])
    }

    @Test func `statement and signature reach the service, and an unexpected reason is refused`() async throws {
        let body = #"{"statement":"AQI=","signature":"Aw=="}"#
        #expect(try await ask("POST", Self.path + "/opening", body: body).details["signed"] == "0102/03")
        let (answer, details) = try await ask("POST", Self.path + "/opening", body: #"{"reason":"x"}"#)
        #expect(try answer.problem.errors.first?.place == .pointer("/reason"))
        #expect(details.isEmpty)
        #expect(try await ask("POST", Self.path + "/cancellation").answer.status == 400)
    }

    @Test func `an app can neither decide nor list recoveries`() async throws {
        for (method, path) in [("POST", Self.path + "/opening"), ("GET", "/v1/companies/Acme/recoveries")] {
            let (answer, details) = try await ask(method, path, authorization: API.basic)
            #expect(try answer.problem.code == "session.invalid")
            #expect(details.isEmpty)
        }
    }

    @Test func `the list shows pending recoveries and their openers`() async throws {
        let (answer, details) = try await ask("GET", "/v1/companies/Acme/recoveries")
        #expect(details == ["company": "Acme"])
        guard case .array(let items)? = try answer.json["items"] else {
            Issue.record("no items")
            return
        }
        #expect(items.map { $0["state"] } == ["opened", "waiting"])
        #expect(items[0]["openedBy"] == "founder" && items[1]["openedBy"] == nil)
        let subject = items[1]["subject"]
        let ids = ["tenantId", "userId", "employeeId"].map { subject?[$0] }
        #expect(ids == FakeService.recoveryIds.map { .uuid($0) })
        #expect(try await ask("GET", "/v1/companies/Acme/recoveries?limit=1").answer.status == 400)
    }
}
