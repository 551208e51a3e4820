import Canonical
import FoundationEssentials
import TenureAPI
import Testing

@testable import HTTPAPI
@testable import IdentityService
@testable import TenureServer

extension FakeService {
    /// A linked identity with every member, and one of which nothing but ids is left.
    static let mpinIdentities = [
        MPinIdentityResponse(
            identityId: appId, userId: "Zoe@a.example", deviceName: "Phone", status: "started", verification: "email",
            startedAt: time, expiresAt: time, companyEmployeeId: "7", failures: 2, endReason: nil),
        MPinIdentityResponse(
            identityId: employeeId, userId: nil, deviceName: nil, status: "revoked", verification: "application",
            startedAt: time, expiresAt: nil, companyEmployeeId: nil, failures: 0, endReason: "erased"),
    ]
}

@Suite struct MPinIdentityListTests {
    private static let path = "/v1/companies/Acme/mpin/identities"

    @Test func `identities have the documented members, and no others`() async throws {
        var service = FakeService()
        service.next = 70
        let answer = try await API.with(service) { [service] api in
            let answer = try await api.send("GET", Self.path + "?after=3&limit=20", [("Tenure-Wait-For", "42")])
            let details = await service.recorder.last?.details
            #expect(details?["after"] == "3" && details?["limit"] == "20" && details?["waitFor"] == "42")
            return answer
        }
        #expect(answer.status == 200)
        #expect(answer.header("Link") == "<\(Self.path)?after=70&limit=20>; rel=\"next\"")
        let first: JSONValue = [
            "identityId": .uuid(FakeService.appId), "userId": "Zoe@a.example", "deviceName": "Phone",
            "status": "started", "verification": "email", "startedAt": .timestamp(FakeService.time),
            "expiresAt": .timestamp(FakeService.time), "companyEmployeeId": "7", "failures": 2,
        ]
        let second: JSONValue = [
            "identityId": .uuid(FakeService.employeeId), "status": "revoked", "verification": "application",
            "startedAt": .timestamp(FakeService.time), "failures": 0, "endReason": "erased",
        ]
        #expect(try answer.json["items"] == .array([first, second]))
        #expect(try answer.json["next"] == 70)
    }

    @Test func `an app and an employee may ask, nobody else, and only for a page`() async throws {
        for (authorization, caller) in [(API.basic, "app"), (API.bearer, "employee")] {
            let service = FakeService()
            let answer = try await API.with(service) {
                try await $0.send("GET", Self.path, authorization: authorization)
            }
            #expect(answer.status == 200)
            #expect(await service.recorder.last?.details["caller"] == caller)
        }
        try await API.with { api in
            let unnamed = try await api.send("GET", Self.path, authorization: nil)
            #expect(unnamed.status == 401)
            for query in ["?limit=0", "?limit=201", "?after=-1", "?status=registered"] {
                let refused = try await api.send("GET", Self.path + query)
                #expect(refused.status == 400)
            }
        }
    }
}
