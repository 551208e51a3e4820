import Canonical
@testable import IdentityService
import TenureAPI
import Testing

@testable import HTTPAPI

@Suite struct InvitationRouteTests {
    private static let path = "/v1/companies/Acme/invitations"

    private func ask(
        _ method: String, _ path: String, body: String? = nil, authorization: String? = API.bearer,
        _ service: FakeService = FakeService()
    ) async throws -> (answer: API.Answer, details: [String: String]) {
        let answer = try await API.with(service) {
            try await $0.send(method, path, authorization: authorization, body: body)
        }
        return (answer, await service.recorder.work.last?.details ?? [:])
    }

    @Test func `an invitation lasts a week unless the caller sets another time`() async throws {
        let (answer, details) = try await ask("POST", Self.path, body: #"{"companyEmployeeId":"7"}"#)
        #expect(answer.status == 200)
        #expect(
            details == ["company": "Acme", "employee": "7", "email": "none", "seconds": "604800", "signed": "none"])
        #expect(try answer.json["invitation"] == "AAAAAAAAAAAAAAAAAAAAAA")
        let body =
            #"{"companyEmployeeId":"7","email":"a@b","expiresInSeconds":60,"statement":"AQI=","signature":"Aw=="}"#
        let (_, more) = try await ask("POST", Self.path, body: body, authorization: API.basic)
        #expect(more["email"] == "a@b" && more["seconds"] == "60" && more["signed"] == "0102/03")
    }

    @Test(arguments: [
        #"{"companyEmployeeId":"7","expiresInSeconds":59}"#, #"{"companyEmployeeId":"7","expiresInSeconds":2592001}"#,
        #"{"companyEmployeeId":"7","days":1}"#, #"{"companyEmployeeId":"7","statement":"AQI="}"#,
        #"{"companyEmployeeId":"7","subjectSalt":"?"}"#,
    ]) func `a malformed invitation request is refused`(body: String) async throws {
        let (answer, details) = try await ask("POST", Self.path, body: body)
        #expect(try answer.problem.code == "request.invalid")
        #expect(details.isEmpty)
    }

    @Test func `open invitations are listed, and one is revoked by its id`() async throws {
        let (listed, company) = try await ask("GET", Self.path)
        #expect(company == ["company": "Acme"])
        guard case .array(let items)? = try listed.json["items"] else {
            Issue.record("no items")
            return
        }
        #expect(items.map { $0["companyEmployeeId"] } == ["7"] && items[0]["invitation"] == nil)
        let (answer, details) = try await ask("DELETE", Self.path + "/abc")
        #expect(answer.status == 200 && details == ["company": "Acme", "id": "abc", "signed": "none"])
    }
}
