import Canonical
import Testing

@Suite(.onServer, .sharedWorld)
struct `Scenario 2: the second employee` {
    @Test func `is no security admin, waits for authorization, and logs in once authorized`() async throws {
        let client = try sharedWorld().client
        let company = "second.example"
        _ = try await client.found(company)
        let second = Person("second", at: company)
        let device = Device()
        let pending = try await client.register(second, device)
        expectOutcome(pending, "authorizationPending")
        #expect(pending["employeePublicKey"]?.text == device.publicKey)
        #expect(pending["fingerprint"]?.text == device.fingerprint)
        #expect(pending["session"] == nil)
        let position = try #require(pending["position"]?.number)

        let listed = try await client.get(client.path(company, "/authorizations?state=pending"), at: position)
        #expect(listed["items"]?.items.map { $0["key"]?["fingerprint"]?.text } == [device.fingerprint])
        let before = try await client.logIn(second, device)
        expectOutcome(before, "authorizationPending")

        let authorized = try await client.authorize(device, of: second)
        expectOutcome(authorized, "done")
        let success = try await client.logIn(second, device)
        expectOutcome(success, "success")
        #expect(success["employee"]?["role"]?.text == "employee")
        let admin = try await client.get(
            client.path(company, "/security-admin"), at: authorized["position"]?.number)
        #expect(admin["employee"]?["companyEmployeeId"]?.text == "founder")
    }

    @Test func `is authorized once, however often that is asked`() async throws {
        let client = try sharedWorld().client
        let company = "once.example"
        let founder = try await client.found(company)
        let second = Person("second", at: company)
        let device = Device()
        _ = try await client.register(second, device)
        for _ in 0..<3 { expectOutcome(try await client.authorize(device, of: second), "done") }
        let events = try await client.events(company, "type=EmployeeKeyAuthorized&employee=second", by: founder.session)
        #expect(events.count == 1)
        let again = try await client.authorize(device, of: second)
        #expect(again["position"] == nil, "nothing was appended")
    }
}
