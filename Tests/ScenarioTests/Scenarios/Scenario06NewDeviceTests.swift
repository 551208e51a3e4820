import Testing

@Suite(.onServer, .sharedWorld)
struct `Scenario 6: a new device` {
    @Test func `passes the challenge, waits, is authorized and succeeds, while the known one goes on`() async throws {
        let client = try sharedWorld().client
        _ = try await client.found("devices.example")
        let member = try await client.join(Person("mobile", at: "devices.example"))
        let tablet = Device()
        let flow = try await Flow.logIn(member.person, tablet, client)
        let asked = try await flow.prove(tablet)
        expectOutcome(asked, "validatePassphrase")
        let pending = try await flow.complete(member.person, asked)
        expectOutcome(pending, "authorizationPending")
        #expect(pending["fingerprint"]?.text == tablet.fingerprint)
        #expect(pending["session"] == nil)

        expectOutcome(try await client.logIn(member.person, member.device), "success")
        expectOutcome(try await client.logIn(member.person, tablet), "authorizationPending")
        expectOutcome(try await client.authorize(tablet, of: member.person), "done")
        expectOutcome(try await client.logIn(member.person, tablet), "success")
        expectOutcome(try await client.logIn(member.person, member.device), "success")
    }

    @Test func `is presented once, however often it logs in while it waits`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("waiting.example")
        let device = Device()
        for _ in 0..<3 { expectOutcome(try await client.logIn(founder.person, device), "authorizationPending") }
        let events = try await client.events("waiting.example", "type=EmployeeKeyPresented")
        #expect(events.count == 2, "the founder's first key and the new one")
    }

    @Test(arguments: Device.Form.allCases)
    func `may hand its proof in as DER or as 64 bytes`(form: Device.Form) async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("forms-\(form).example")
        let flow = try await Flow.logIn(founder.person, founder.device, client)
        let asked = try await flow.prove(founder.device, form)
        expectOutcome(try await flow.complete(founder.person, asked), "success")
    }
}
