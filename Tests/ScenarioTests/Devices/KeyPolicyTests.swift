import Canonical
import Testing

@Suite(.onServer, .sharedWorld)
struct `The policy securityAdmin` {
    /// A company with this policy, and somebody whose key waits there.
    private func waiting(
        _ company: String, _ policy: String = "securityAdmin"
    ) async throws -> (client: Client, founder: Member, person: Person, device: Device) {
        let client = try sharedWorld().client
        let founder = try await client.found(company)
        try await client.change(policy: ["keyAuthorization": .string(policy)], of: company, by: founder)
        let person = Person("second", at: company)
        let device = Device()
        expectOutcome(try await client.register(person, device), "authorizationPending")
        try await client.settle(company)
        return (client, founder, person, device)
    }

    @Test func `does not let an app authorize a key`() async throws {
        let (client, _, person, device) = try await waiting("sa-no-app.example")
        try expectProblem(try await client.authorize(device, of: person), "authorization.not_permitted")
        expectOutcome(try await client.logIn(person, device), "authorizationPending")
    }

    @Test(arguments: ["securityAdmin", "application"], Device.Form.allCases)
    func `lets the security admin sign the statement of the response`(
        policy: String, form: Device.Form
    ) async throws {
        let (client, founder, person, device) = try await waiting("sa-answer-\(policy)-\(form).example", policy)
        let path = client.path(person, "/keys/\(device.fingerprint)/authorization")
        let asked = try await client.post(path, by: founder.session)
        expectOutcome(asked, "signatureRequired")
        let bytes = try bytes(base64: asked["statement"]?.text)
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("tenure/v1/key-authorization\n"))
        expectOutcome(try await client.logIn(person, device), "authorizationPending")
        expectOutcome(try await client.signed(by: founder, "POST", path, form: form), "done")
        expectOutcome(try await client.logIn(person, device), "success")
    }

    @Test func `lets the security admin sign the statement of the list`() async throws {
        let (client, founder, person, device) = try await waiting("sa-list.example")
        try await client.settle("sa-list.example")
        let listed = try await client.get(client.path("sa-list.example", "/authorizations"), by: founder.session)
        let item = try #require(listed["items"]?.items.first)
        #expect(item["key"]?["fingerprint"]?.text == device.fingerprint)
        let body: JSONValue = [
            "statement": item["statement"] ?? .null,
            "signature": .string(try founder.device.sign(base64: item["statement"]?.text)),
        ]
        expectOutcome(try await client.authorize(device, of: person, by: founder.session, body), "done")
        expectOutcome(try await client.logIn(person, device), "success")
        let forApp = try await client.get(client.path("sa-list.example", "/authorizations"))
        #expect(forApp["items"]?.items.allSatisfy { $0["statement"] == nil } == true)
    }

    @Test func `refuses another signature and another statement`() async throws {
        let (client, founder, person, device) = try await waiting("sa-forged.example")
        let third = Person("third", at: "sa-forged.example")
        let otherDevice = Device()
        _ = try await client.register(third, otherDevice)
        let path = client.path(person, "/keys/\(device.fingerprint)/authorization")
        let statement = try #require(try await client.post(path, by: founder.session)["statement"]?.text)
        let otherPath = client.path(third, "/keys/\(otherDevice.fingerprint)/authorization")
        let other = try #require(try await client.post(otherPath, by: founder.session)["statement"]?.text)
        var tampered = try #require(Base64.decode(statement))
        tampered[tampered.count - 10] ^= 1
        let forged: [(String, String)] = [
            (statement, try device.sign(base64: statement)), (statement, try Device().sign(base64: statement)),
            (statement, try founder.device.sign(base64: other)), (other, try founder.device.sign(base64: other)),
            (Base64.encode(tampered), try founder.device.sign(tampered)),
            (Base64.encode([1, 2, 3]), try founder.device.sign([1, 2, 3])), (statement, ""), (statement, "AAAA"),
        ]
        for (number, (statement, signature)) in forged.enumerated() {
            let body: JSONValue = ["statement": .string(statement), "signature": .string(signature)]
            let reply = try await client.authorize(device, of: person, by: founder.session, body)
            #expect((400..<500).contains(reply.status), "\(number): \(reply)")
            try expectProblem(reply, reply.code ?? "")
        }
        expectOutcome(try await client.logIn(person, device), "authorizationPending")
        expectOutcome(try await client.signed(by: founder, "POST", path), "done")
    }

    @Test func `lets the security admin authorize another key of their own with an authorized one`() async throws {
        let (client, founder, _, _) = try await waiting("sa-own.example")
        let tablet = Device()
        expectOutcome(try await client.logIn(founder.person, tablet), "authorizationPending")
        let path = client.path(founder.person, "/keys/\(tablet.fingerprint)/authorization")
        let statement = try #require(try await client.post(path, by: founder.session)["statement"]?.text)
        // No key authorizes itself.
        let byItself: JSONValue = [
            "statement": .string(statement), "signature": .string(try tablet.sign(base64: statement)),
        ]
        let reply = try await client.authorize(tablet, of: founder.person, by: founder.session, byItself)
        #expect((400..<500).contains(reply.status), "\(reply)")
        expectOutcome(try await client.logIn(founder.person, tablet), "authorizationPending")
        expectOutcome(try await client.signed(by: founder, "POST", path), "done")
        expectOutcome(try await client.logIn(founder.person, tablet), "success")
    }

    @Test func `does not let another caller or the owner authorize a key`() async throws {
        let (client, founder, person, device) = try await waiting("sa-other.example")
        expectOutcome(
            try await client.signed(
                by: founder, "POST", client.path(person, "/keys/\(device.fingerprint)/authorization")), "done")
        let member = try Member(person, device, try await client.logIn(person, device))
        let tablet = Device()
        expectOutcome(try await client.logIn(person, tablet), "authorizationPending")
        let reply = try await client.authorize(tablet, of: person, by: member.session)
        try expectProblem(reply, "authorization.not_permitted")
        expectOutcome(try await client.logIn(person, tablet), "authorizationPending")
    }
}

@Suite(.onServer, .sharedWorld)
struct `The policy automatic` {
    @Test func `countersigns an employee's first key at once, and no other`() async throws {
        let client = try sharedWorld().client
        let company = "automatic.example"
        let founder = try await client.found(company)
        try await client.change(policy: ["keyAuthorization": "automatic"], of: company, by: founder)
        let person = Person("second", at: company)
        let first = Device()
        let registered = try await client.register(person, first)
        expectOutcome(registered, "success")
        #expect(registered["employee"]?["role"]?.text == "employee")
        let second = Device()
        expectOutcome(try await client.logIn(person, second), "authorizationPending")
        expectOutcome(try await client.logIn(person, first), "success")
        let events = try await client.events(company, "type=EmployeeKeyAuthorized&employee=second")
        #expect(events.count == 1)
        #expect(events.first?["data"]?["by"]?["kind"]?.text == "app", "a secret vouches, and the log says which")
    }

    @Test func `countersigns only for a secret that may authorize`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "automatic-roles.example"
        let founder = try await client.found(company)
        try await client.change(policy: ["keyAuthorization": "automatic"], of: company, by: founder)
        let creating = client.with(secret: try await world.issueSecret(for: world.app, roles: ["ACCESS", "CREATION"]))
        let person = Person("second", at: company)
        let device = Device()
        expectOutcome(try await creating.register(person, device), "authorizationPending")
        expectOutcome(try await client.authorize(device, of: person), "done")
        expectOutcome(try await creating.logIn(person, device), "success")
    }

    @Test func `does not countersign the first key of an employee who needs approval`() async throws {
        let client = try sharedWorld().client
        let company = "automatic-approval.example"
        let founder = try await client.found(company)
        try await client.change(
            policy: ["keyAuthorization": "automatic", "approval": "admin"], of: company, by: founder)
        let person = Person("second", at: company)
        let device = Device()
        let reply = try await client.register(person, device)
        #expect(reply.outcome != "success", "\(reply)")
        try expectProblem(try await client.logIn(person, device), "employee.not_approved")
        expectOutcome(try await client.signed(by: founder, "POST", client.path(person, "/approval")), "done")
        let after = try await client.logIn(person, device)
        #expect(["success", "authorizationPending"].contains(after.outcome), "\(after)")
    }
}
