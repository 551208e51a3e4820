import Canonical
import Testing

/// What strangers did with names and addresses before anything was provisional.
@Suite(.onServer, .sharedWorld)
struct `Names taken by a squatter` {
    @Test func `the tenant with the confirmed domain reclaims an address taken in any tenant`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let stranger = try await client.found(
            "stranger.example", by: Person("boss", at: "stranger.example", email: "alice@victim.example"))
        let admin = try await client.found("victim.example")
        try await world.confirmDomain(of: "victim.example")
        let alice = Person("alice", at: "victim.example", email: "alice@victim.example")
        // The address is the stranger's: alice is asked for the stranger's secret.
        let asked = try await Flow.register(alice, Device(), client).prove(Device())
        #expect(asked.outcome != "setCredentials", "\(asked)")

        expectOutcome(try await reclaim(alice.email, "victim.example", client, by: admin), "done")
        let device = Device()
        let flow = try await Flow.register(alice, device, client)
        let free = try await flow.prove(device)
        expectOutcome(free, "setCredentials")
        expectOutcome(try await flow.complete(alice, free), "authorizationPending")
        // Elsewhere only the address is lost.
        expectOutcome(try await client.logIn(stranger.person, stranger.device), "success")
        let events = try await client.events("victim.example").compactMap { $0["type"]?.text }
        #expect(events.contains("AddressReclaimed"))
    }

    @Test func `an address is reclaimed whether or not it was claimed as company-owned`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let admin = try await client.found("flags.example")
        try await world.confirmDomain(of: "flags.example")
        let squatter = try await client.join(Person("squatter", at: "flags.example", email: "bob@flags.example"))
        expectOutcome(try await reclaim("Bob@Flags.Example", "flags.example", client, by: admin), "done")
        try expectProblem(try await client.get("/v1/sessions", by: squatter.session), "session.invalid")
        // The id belonged to somebody, and is given to nobody else.
        let bob = Person("squatter", at: "flags.example", email: "bob@flags.example")
        try expectProblem(try await client.register(bob, Device()), "employee.already_registered")
        let other = Person("bob", at: "flags.example", email: "bob@flags.example")
        expectOutcome(try await client.register(other, Device()), "authorizationPending")
    }

    @Test func `other tenants cannot reclaim the address`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let admin = try await client.found("grabber.example")
        try await world.confirmDomain(of: "grabber.example")
        _ = try await client.found(
            "owner.example", by: Person("owner", at: "owner.example", email: "owner@owner.example"))
        for email in ["owner@owner.example", "nobody@grabber.example", "owner@sub.grabber.example"] {
            try expectProblem(
                try await reclaim(email, "grabber.example", client, by: admin), "email.not_reclaimable")
        }
    }

    @Test func `a cancellation releases the employee id, once and not permanently`() async throws {
        let client = try sharedWorld().client
        let admin = try await client.found("burned.example")
        let squatter = Person("1001", at: "burned.example")
        expectOutcome(try await client.register(squatter, Device()), "authorizationPending")
        let person = Person("1001", at: "burned.example")
        try expectProblem(try await client.register(person, Device()), "employee.already_registered")

        expectOutcome(try await cancel(squatter, client, by: admin), "done")
        let device = Device()
        expectOutcome(try await client.register(person, device), "authorizationPending")
        expectOutcome(try await client.authorize(device, of: person), "done")
        expectOutcome(try await client.logIn(person, device), "success")
        // Now the id belongs to somebody for good.
        expectOutcome(try await cancel(person, client, by: admin), "done")
        try expectProblem(
            try await client.register(Person("1001", at: "burned.example"), Device()), "employee.already_registered")

        let released = try await client.events("burned.example").filter { $0["type"]?.text == "EmployeeIdReleased" }
        #expect(released.count == 1 && released.first?["data"]?["reason"]?.text == "cancelled")
        try await client.settle("burned.example")
        let listed = try await client.get(client.path("burned.example", "/employees"), by: admin.session)
        #expect(listed["items"]?.items.count { $0["companyEmployeeId"]?.text == "1001" } == 2)
    }

    @Test func `a released registration frees the address of a user without another account`() async throws {
        let client = try sharedWorld().client
        let admin = try await client.found("goes.example")
        let squatter = Person("2001", at: "goes.example", email: "carol@goes-mail.example")
        expectOutcome(try await client.register(squatter, Device()), "authorizationPending")
        expectOutcome(try await cancel(squatter, client, by: admin), "done")
        // Somebody new, who sets credentials of their own.
        let carol = Person("2002", at: "goes.example", email: "carol@goes-mail.example")
        expectOutcome(try await client.register(carol, Device()), "authorizationPending")
    }

    @Test func `a released registration keeps the address of a user with another account`() async throws {
        let client = try sharedWorld().client
        let elsewhere = try await client.found("kept-home.example")
        let admin = try await client.found("kept.example")
        let second = elsewhere.person.also("3001", at: "kept.example")
        expectOutcome(try await client.register(second, Device()), "authorizationPending")
        expectOutcome(try await cancel(second, client, by: admin), "done")
        let other = Person("3002", at: "kept.example", email: elsewhere.person.email)
        let device = Device()
        let asked = try await Flow.register(other, device, client).prove(device)
        #expect(asked.outcome == "validatePassphrase", "\(asked)")
        expectOutcome(try await client.logIn(elsewhere.person, elsewhere.device), "success")
    }

    @Test func `refusing the device key does not release the name`() async throws {
        let client = try sharedWorld().client
        _ = try await client.found("refused.example")
        let squatter = Person("4001", at: "refused.example"), device = Device()
        expectOutcome(try await client.register(squatter, device), "authorizationPending")
        let refused = try await client.post(
            client.path(squatter, "/keys/\(device.fingerprint)/refusal"), ["reason": "unknown"])
        expectOutcome(refused, "done")
        try expectProblem(
            try await client.register(Person("4001", at: "refused.example"), Device()), "employee.already_registered")
    }

    @Test func `an app-built address of another employee or tenant is refused`() async throws {
        let client = try sharedWorld().client
        _ = try await client.found("built.example")
        for email in [
            "5002@built.example.dummy-email", "5001@other.example.dummy-email",
            "5001@built.example.dummy-email.dummy-email",
        ] {
            let reply = try await client.post(
                "/v1/registrations", Person("5001", at: "built.example", email: email).registration(Device()))
            try expectProblem(reply, "email.invalid")
        }
        let own = Person("5001", at: "built.example", email: "5001@Built.Example.dummy-email")
        expectOutcome(try await client.register(own, Device()), "authorizationPending")
    }

    @Test(arguments: ["a\u{200B}b", "a\u{202E}b", "a\tb", "a\u{2066}b", "a\u{AD}b", "a\u{FE0F}", "a\u{9B}b"])
    func `a name with invisible characters is refused`(text: String) async throws {
        let client = try sharedWorld().client
        let good = Person("6001", at: "seen.example")
        for person in [
            Person(text, at: "seen.example"), Person("6001", at: text),
            Person("6001", at: "seen.example", email: "\(text)@mail.example"),
        ] {
            try expectProblem(
                try await client.post("/v1/registrations", person.registration(Device())), "request.invalid")
        }
        try expectProblem(
            try await client.post("/v1/logins", Person(text, at: good.company).login(Device())), "request.invalid")
    }

    private func reclaim(
        _ email: String, _ company: String, _ client: Client, by admin: Member
    ) async throws -> HTTPReply {
        try await client.signed(
            by: admin, "POST", client.path(company, "/reclaimed-emails"),
            ["email": .string(email), "reason": "not ours"])
    }

    private func cancel(_ person: Person, _ client: Client, by admin: Member) async throws -> HTTPReply {
        try await client.signed(by: admin, "POST", client.path(person, "/cancellation"))
    }
}
