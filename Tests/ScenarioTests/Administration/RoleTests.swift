import Canonical
import IdentityService
import Testing

@Suite(.onServer, .sharedWorld)
struct `The roles of a company` {
    private func give(
        _ role: String, to person: Person, on device: Device? = nil, by member: Member, _ client: Client
    ) async throws -> HTTPReply {
        var body: [String: JSONValue] = ["role": .string(role)]
        // An app vouched for the device, so the signer names it after comparing the fingerprint.
        if let device { body["fingerprints"] = [.string(device.fingerprint)] }
        return try await client.signed(by: member, "POST", client.path(person, "/role"), body)
    }

    @Test func `an admin is appointed by a signature, administers and is dismissed`() async throws {
        let client = try sharedWorld().client
        let company = "roles.example"
        let founder = try await client.found(company)
        let second = try await client.join(Person("second", at: company))
        let asked = try await client.post(
            client.path(second.person, "/role"),
            ["role": "admin", "fingerprints": [.string(second.device.fingerprint)]], by: founder.session)
        expectOutcome(asked, "signatureRequired")
        try expectProblem(
            try await client.get(client.path(company, "/events"), by: second.session), "authorization.not_permitted")
        let given = try await give("admin", to: second.person, on: second.device, by: founder, client)
        expectOutcome(given, "done")
        #expect(given["employee"]?["role"]?.text == "admin")
        let again = try await give("admin", to: second.person, on: second.device, by: founder, client)
        expectOutcome(again, "done")
        #expect(again["position"] == nil)

        // The admin decides about a key now, with a signature of their own.
        let third = Person("third", at: company)
        let device = Device()
        _ = try await client.register(third, device)
        let path = client.path(third, "/keys/\(device.fingerprint)/authorization")
        expectOutcome(try await client.signed(by: second, "POST", path), "done")

        let taken = try await give("employee", to: second.person, by: founder, client)
        expectOutcome(taken, "done")
        #expect(taken["employee"]?["role"]?.text == "employee")
        try expectProblem(
            try await client.get(client.path(company, "/events"), by: second.session), "authorization.not_permitted")
        let read = try await client.get(client.path(second.person), at: taken["position"]?.number)
        #expect(read["role"]?.text == "employee")
    }

    @Test func `a security admin is succeeded with their own signature, and there is always exactly one`() async throws
    {
        let client = try sharedWorld().client
        let company = "succession.example"
        let founder = try await client.found(company)
        let next = try await client.join(Person("next", at: company))
        let admin = try await client.join(Person("admin", at: company))
        expectOutcome(try await give("admin", to: admin.person, on: admin.device, by: founder, client), "done")
        // Only the security admin gives roles.
        let usurped = try await give("securityAdmin", to: admin.person, on: admin.device, by: admin, client)
        try expectProblem(usurped, "authorization.not_permitted")

        let done = try await give("securityAdmin", to: next.person, on: next.device, by: founder, client)
        expectOutcome(done, "done")
        let read = try await client.get(client.path(company, "/security-admin"), at: done["position"]?.number)
        #expect(read["employee"]?["companyEmployeeId"]?.text == "next", "\(read)")
        #expect(read["employee"]?["role"]?.text == "securityAdmin")
        let before = try await client.get(client.path(founder.person), at: done["position"]?.number)
        #expect(before["role"]?.text == "employee")
        // The first one has lost the power, the next one has it.
        try expectProblem(
            try await give("admin", to: founder.person, on: founder.device, by: founder, client),
            "authorization.not_permitted")
        expectOutcome(try await give("admin", to: founder.person, on: founder.device, by: next, client), "done")
    }

    @Test func `the security admin is not dismissed, and an ineligible employee gets no role`() async throws {
        let client = try sharedWorld().client
        let company = "last.example"
        let founder = try await client.found(company)
        let second = try await client.join(Person("second", at: company))
        expectOutcome(try await give("admin", to: second.person, on: second.device, by: founder, client), "done")
        for (role, member) in [("employee", founder), ("admin", founder), ("employee", second)] {
            let reply = try await give(role, to: founder.person, by: member, client)
            try expectProblem(reply, "authorization.not_permitted")
        }
        // Registered with a key that waits: there is no key that could speak for the follower.
        let waiting = Person("waiting", at: company)
        _ = try await client.register(waiting, Device())
        let keyless = try await give("securityAdmin", to: waiting, by: founder, client)
        try expectProblem(keyless, "authorization.unknown_key")
        expectOutcome(
            try await client.signed(by: founder, "POST", client.path(second.person, "/cancellation")), "done")
        let cancelled = try await give("securityAdmin", to: second.person, on: second.device, by: founder, client)
        try expectProblem(cancelled, "employee.inactive")
        try expectProblem(
            try await give("admin", to: Person("nobody", at: company), by: founder, client), "employee.unknown")
        try expectProblem(
            try await give("king", to: second.person, by: founder, client), "request.invalid")
        try expectProblem(
            try await client.post(client.path(second.person, "/role"), ["role": "admin"]), "session.invalid")
    }

    @Test func `a key that an app vouched for carries a role only when the signer names it`() async throws {
        let client = try sharedWorld().client
        let company = "unnamed.example"
        let founder = try await client.found(company)
        let second = try await client.join(Person("second", at: company))
        try expectProblem(
            try await give("admin", to: second.person, by: founder, client), "authorization.unknown_key")
        try expectProblem(
            try await give("admin", to: second.person, on: Device(), by: founder, client), "authorization.unknown_key")
        expectOutcome(
            try await give("admin", to: second.person, on: second.device, by: founder, client), "done")
        #expect(try await client.get(client.path(company, "/events"), by: second.session).status == 200)
    }

    @Test func `a statement about a role is used once and for nothing else`() async throws {
        let client = try sharedWorld().client
        let company = "role-replay.example"
        let founder = try await client.found(company)
        let second = try await client.join(Person("second", at: company))
        let third = try await client.join(Person("third", at: company))
        let path = client.path(second.person, "/role")
        let keys: JSONValue = [.string(second.device.fingerprint)]
        let asked = try await client.post(path, ["role": "admin", "fingerprints": keys], by: founder.session)
        let signature = try founder.device.sign(base64: asked["statement"]?.text)
        func body(_ role: String) -> JSONValue {
            [
                "role": .string(role), "fingerprints": keys, "statement": asked["statement"] ?? .null,
                "signature": .string(signature),
            ]
        }
        for (path, role) in [(client.path(third.person, "/role"), "admin"), (path, "securityAdmin")] {
            let reply = try await client.post(path, body(role), by: founder.session)
            #expect((400..<500).contains(reply.status), "\(reply)")
        }
        // An employee has that role already, so nothing is decided, whatever is presented.
        let already = try await client.post(path, body("employee"), by: founder.session)
        #expect(already.outcome == "done" && already["position"] == nil, "\(already)")
        #expect(try await client.events(company, "type=SecurityAdminSucceeded").isEmpty)
        #expect(try await client.events(company, "type=AdminAppointed").isEmpty)
        expectOutcome(try await client.post(path, body("admin"), by: founder.session), "done")
        let dismissed = try await give("employee", to: second.person, by: founder, client)
        expectOutcome(dismissed, "done")
        let replayed = try await client.post(path, body("admin"), by: founder.session)
        #expect((400..<500).contains(replayed.status), "\(replayed)")
        let position = try #require(dismissed["position"]?.number)
        let read = try await client.get(client.path(second.person), by: founder.session, at: position)
        #expect(read["role"]?.text == "employee")
    }

    @Test func `the operator names the next security admin if the present one is lost`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "lost.example"
        _ = try await client.found(company)
        let next = try await client.join(Person("next", at: company))
        try await world.succeedSecurityAdmin(of: company, by: "next", on: next.device)
        try await client.settle(company)
        let read = try await client.get(client.path(company, "/security-admin"))
        #expect(read["employee"]?["companyEmployeeId"]?.text == "next")
        expectOutcome(
            try await client.signed(
                by: next, "PATCH", client.path(company, "/policy"), ["approval": "admin"]), "done")
    }
}
