import Canonical
import Testing

@Suite(.onServer, .sharedWorld)
struct `Scenario 1: the first employee` {
    @Test func `registers with five questions and a passphrase and is the security admin of a tenant that exists`()
        async throws
    {
        let client = try sharedWorld().client
        let founder = Person("username@bayunsystems.com", at: "bayunsystems.com", email: "username@bayunsystems.com")
        let device = Device()
        let flow = try await Flow.register(founder, device, client)
        let asked = try await flow.prove(device)
        expectOutcome(asked, "setCredentials")
        #expect(asked["rules"]?["questions"]?.number == 5)
        #expect(asked["rules"]?["passphraseMinimumLength"]?.number == 8)

        let reply = try await flow.complete(founder, asked)
        let member = try Member(founder, device, reply)
        #expect(reply["employee"]?["companyName"]?.text == "bayunsystems.com")
        #expect(reply["employee"]?["companyEmployeeId"]?.text == "username@bayunsystems.com")
        #expect(reply["employee"]?["role"]?.text == "securityAdmin")
        #expect(reply["employee"]?["status"]?.text == "active")
        let position = try #require(reply["position"]?.number)
        #expect(reply.headers["tenure-position"] == String(position))

        let company = try await client.get(client.path("bayunsystems.com"), at: position)
        #expect(company.status == 200 && company["employees"]?.number == 1)
        let admin = try await client.get(client.path("bayunsystems.com", "/security-admin"), at: position)
        #expect(admin["employee"]?["companyEmployeeId"]?.text == "username@bayunsystems.com")
        #expect(admin["position"]?.number == 1)
        let employee = try await client.get(client.path(founder), by: member.session, at: position)
        let keys = employee["keys"]?.items ?? []
        #expect(keys.count == 1 && keys.first?["state"]?.text == "authorized")
        #expect(keys.first?["fingerprint"]?.text == device.fingerprint)
    }

    @Test func `starts the tenant's ledger with the event that proves who the security admin is`() async throws {
        let client = try sharedWorld().client
        let member = try await client.found("ledger.example")
        let events = try await client.events("ledger.example", by: member.session)
        #expect(events.map { $0["position"]?.number } == (1...Int64(events.count)).map { $0 })
        #expect(events.first?["type"]?.text == "EmployeeRegistered")
        #expect(events.first?["data"]?["companyName"]?.text == "ledger.example")
        let admin = try await client.get(client.path("ledger.example", "/security-admin"), at: 1)
        #expect(admin["eventId"] == events.first?["eventId"])
        #expect(admin["since"] == events.first?["time"])
    }
}
