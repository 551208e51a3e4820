import Canonical
import Testing

@Suite(.onServer, .sharedWorld)
struct `A reclaimed e-mail` {
    /// A company with a confirmed domain and an employee whose address it owns.
    private func company(_ name: String) async throws -> (client: Client, admin: Member, owner: Member) {
        let world = try sharedWorld()
        let client = try world.client
        let admin = try await client.found(name)
        try await world.confirmDomain(of: name)
        var person = Person("owner", at: name, email: "Owner@\(name)")
        person.isCompanyOwnedEmail = true
        return (client, admin, try await client.join(person))
    }

    private func reclaim(_ email: String, _ company: String, _ client: Client, by caller: Caller) async throws
        -> HTTPReply
    {
        try await client.post(
            client.path(company, "/reclaimed-emails"), ["email": .string(email), "reason": "has left us"], by: caller)
    }

    private func reclaim(_ email: String, _ company: String, _ client: Client, by admin: Member) async throws
        -> HTTPReply
    {
        try await client.signed(
            by: admin, "POST", client.path(company, "/reclaimed-emails"),
            ["email": .string(email), "reason": "has left us"])
    }

    @Test func `ends its user's account in that tenant at once`() async throws {
        let (client, admin, owner) = try await company("ends.example")
        expectOutcome(try await reclaim(" OWNER@ends.example ", "ends.example", client, by: admin), "done")
        try expectProblem(try await client.get("/v1/sessions", by: owner.session), "session.invalid")
        try expectProblem(try await client.logIn(owner.person, owner.device), "employee.inactive")
        try expectProblem(try await client.logIn(owner.person, Device()), "employee.inactive")
        let last = try await client.events("ends.example", by: admin.session).last?["position"]?.number
        let read = try await client.get(client.path(owner.person), by: admin.session, at: last)
        #expect(read["status"]?.text == "cancelled" && read["email"] == nil)
        #expect(read["keys"]?.items.contains { $0["state"]?.text == "authorized" } == false)
    }

    @Test func `leaves the person's accounts in other tenants`() async throws {
        let (client, admin, owner) = try await company("leaves.example")
        _ = try await client.found("stays.example")
        let there = try await client.join(owner.person.also("me", at: "stays.example"))
        expectOutcome(try await reclaim(owner.person.email, "leaves.example", client, by: admin), "done")
        #expect(try await client.get("/v1/sessions", by: there.session).status == 200)
        expectOutcome(try await client.logIn(there.person, there.device), "success")
        expectOutcome(try await client.logIn(there.person, Device()), "authorizationPending")
    }

    @Test func `is free for a new person, who does not accept the old credentials`() async throws {
        let (client, admin, owner) = try await company("free.example")
        expectOutcome(try await reclaim(owner.person.email, "free.example", client, by: admin), "done")
        var heir = Person("heir", at: "free.example", email: owner.person.email)
        heir.isCompanyOwnedEmail = true
        let device = Device()
        let flow = try await Flow.register(heir, device, client)
        let asked = try await flow.prove(device)
        expectOutcome(asked, "setCredentials")
        expectOutcome(try await flow.complete(heir, asked), "authorizationPending")
        expectOutcome(try await client.authorize(device, of: heir), "done")
        expectOutcome(try await client.logIn(heir, device), "success")

        var thief = owner.person
        thief.id = "heir"
        try expectProblem(try await client.logIn(thief, device), "passphrase.incorrect", goesOn: true)
        // The old person registers elsewhere with the address that is no longer theirs: the new person's challenge.
        let elsewhere = owner.person.also("x", at: "thief.example")
        try expectProblem(try await client.register(elsewhere, Device()), "passphrase.incorrect", goesOn: true)
        let read = try await client.get(client.path(heir), by: admin.session)
        #expect(read["email"]?.text == owner.person.email)
    }

    @Test func `does not give the old employee id out again`() async throws {
        let (client, admin, owner) = try await company("ids.example")
        expectOutcome(try await reclaim(owner.person.email, "ids.example", client, by: admin), "done")
        let heir = Person("owner", at: "ids.example", email: owner.person.email)
        try expectProblem(try await client.register(heir, Device()), "employee.already_registered")
    }

    @Test func `needs a confirmed domain and an admin`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let name = "unconfirmed.example"
        let admin = try await client.found(name)
        var person = Person("owner", at: name, email: "owner@unconfirmed.example")
        person.isCompanyOwnedEmail = true
        let owner = try await client.join(person)
        try expectProblem(
            try await reclaim(person.email, name, client, by: admin), "email.not_reclaimable")
        try await world.confirmDomain(of: name)
        let byApp = try await reclaim(person.email, name, client, by: .app(client.app))
        try expectProblem(byApp, "app.role_missing")
        let byOwner = try await reclaim(person.email, name, client, by: owner.session)
        try expectProblem(byOwner, "authorization.not_permitted")
        expectOutcome(try await client.logIn(person, owner.device), "success")
        expectOutcome(try await reclaim(person.email, name, client, by: admin), "done")
    }

    @Test func `of an admin needs the security admin and ends role, keys and sessions`() async throws {
        let world = try sharedWorld(), client = try world.client
        let name = "reclaimed-admin.example"
        let attack = try await Attack(name, client), founder = attack.founder
        try await world.confirmDomain(of: name)
        var person = Person("admin", at: name, email: "admin@\(name)")
        person.isCompanyOwnedEmail = true
        let device = Device()
        expectOutcome(try await client.register(person, device), "authorizationPending")
        let admin = try await attack.authorize(device, of: person), colleague = try await attack.hire("colleague")
        for member in [admin, colleague] { try await attack.appoint(member) }

        let events = client.path(name, "/events")
        let asAdmin = try Member(person, device, try await client.logIn(person, device))
        #expect(try await client.get(events, by: asAdmin.session).status == 200)
        try await attack.expectNoDecision {
            try expectProblem(
                try await self.reclaim(person.email, name, client, by: colleague), "authorization.not_permitted")
        }
        #expect(try await client.get(events, by: asAdmin.session).status == 200)

        let reclaimed = try await reclaim(person.email, name, client, by: founder)
        expectOutcome(reclaimed, "done")
        for ended in [admin, asAdmin] {
            try expectProblem(try await client.get("/v1/me", by: ended.session), "session.invalid")
            try expectProblem(
                try await client.post(
                    "/v1/sessions/refresh", ["refreshToken": .string(ended.refreshToken)], by: .nobody),
                "session.invalid")
        }
        try expectProblem(try await client.logIn(person, device), "employee.inactive")
        let position = try #require(reclaimed["position"]?.number)
        let read = try await client.get(client.path(person), by: founder.session, at: position)
        #expect(read["status"]?.text == "cancelled" && read["role"]?.text == "employee", "\(read)")
        #expect(read["keys"]?.items.contains { $0["state"]?.text == "authorized" } == false)
        let registered = try await client.events(name, "type=EmployeeRegistered")
        let id = registered.first { $0["data"]?["companyEmployeeId"]?.text == "admin" }?["data"]?["employeeId"]?.text
        let dismissed = try await client.events(name, "type=AdminDismissed").map { $0["data"]?["employeeId"]?.text }
        #expect(id != nil && dismissed == [id])
        // Nothing brings the role back, because nothing brings the account back.
        try await attack.expectNoDecision {
            expectRefused(try await attack.decide(.reinstatement, about: person, by: founder))
            expectRefused(try await attack.decide("POST", client.path(person, "/role"), ["role": "admin"], by: founder))
        }
    }

    @Test func `is refused to a tenant that only bears the domain's name`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        var victim = Person("victim", at: "victim.example", email: "victim@victim.example")
        victim.isCompanyOwnedEmail = true
        // The address belongs to a user of another tenant; the company of that name is the attacker's.
        let attacker = try await client.found("victim.example")
        let home = try await client.found("home.example", by: victim.also("me", at: "home.example"))
        try expectProblem(
            try await reclaim(victim.email, "victim.example", client, by: attacker.session), "email.not_reclaimable")
        expectOutcome(try await client.logIn(home.person, home.device), "success")
    }

    @Test func `cannot be taken back by reinstating its old employee`() async throws {
        let (client, admin, owner) = try await company("back.example")
        expectOutcome(try await reclaim(owner.person.email, "back.example", client, by: admin), "done")
        _ = try await client.signed(by: admin, "POST", client.path(owner.person, "/reinstatement"))
        let login = try await client.logIn(owner.person, owner.device)
        #expect(login.outcome != "success", "the key ended with the reclaim: \(login)")
    }
}
