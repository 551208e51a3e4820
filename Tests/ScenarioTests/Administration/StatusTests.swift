import Canonical
import Testing

@Suite(.onServer, .sharedWorld)
struct `Decisions about an employee` {
    @Test func `need an admin to approve if the policy says so, and refuse an app`() async throws {
        let client = try sharedWorld().client
        let company = "approval.example"
        let founder = try await client.found(company)
        try await client.change(policy: ["approval": "admin"], of: company, by: founder)
        let person = Person("second", at: company)
        let device = Device()
        let pending = try await client.register(person, device)
        let read = try await client.get(client.path(person), by: founder.session, at: pending["position"]?.number)
        #expect(read["status"]?.text == "registered")
        _ = try await client.authorize(device, of: person)
        try expectProblem(try await client.logIn(person, device), "employee.not_approved")
        try expectProblem(try await client.post(client.path(person, "/approval")), "app.role_missing")
        let approved = try await client.signed(by: founder, "POST", client.path(person, "/approval"))
        expectOutcome(approved, "done")
        #expect(approved["employee"]?["status"]?.text == "active")
        expectOutcome(try await client.logIn(person, device), "success")
        let again = try await client.signed(by: founder, "POST", client.path(person, "/approval"))
        expectOutcome(again, "done")
        #expect(again["position"] == nil)
    }

    @Test func `end all sessions by a cancellation, and can reinstate`() async throws {
        let client = try sharedWorld().client
        let company = "cancel.example"
        let founder = try await client.found(company)
        let member = try await client.join(Person("second", at: company))
        let reply = try await client.signed(by: founder, "POST", client.path(member.person, "/cancellation"))
        expectOutcome(reply, "done")
        #expect(reply["employee"]?["status"]?.text == "cancelled")
        try expectProblem(try await client.get("/v1/sessions", by: member.session), "session.invalid")
        let refreshed = try await client.post(
            "/v1/sessions/refresh", ["refreshToken": .string(member.refreshToken)], by: .nobody)
        try expectProblem(refreshed, "session.invalid")
        try expectProblem(try await client.logIn(member.person, member.device), "employee.inactive")
        try expectProblem(
            try await client.register(Person("second", at: company), Device()), "employee.already_registered")

        expectOutcome(
            try await client.signed(by: founder, "POST", client.path(member.person, "/reinstatement")), "done")
        // The device key ended with the account; another one waits for somebody with authority.
        try expectProblem(try await client.logIn(member.person, member.device), "authorization.not_permitted")
        expectOutcome(try await client.logIn(member.person, Device()), "authorizationPending")
        try expectProblem(try await client.get("/v1/sessions", by: member.session), "session.invalid")
    }

    @Test func `never cancel the security admin`() async throws {
        let client = try sharedWorld().client
        let company = "headless.example"
        let founder = try await client.found(company)
        let reply = try await client.signed(by: founder, "POST", client.path(founder.person, "/cancellation"))
        #expect((400..<500).contains(reply.status), "\(reply)")
        expectOutcome(try await client.logIn(founder.person, founder.device), "success")
    }
}

/// What a cancellation ends, a reinstatement does not bring back.
@Suite(.onServer, .sharedWorld)
struct `A reinstated employee` {
    @Test func `has no keys or sessions from before the cancellation`() async throws {
        let attack = try await Attack("reinstated.example", try sharedWorld().client)
        let member = try await attack.hire("member")
        try await attack.decided(attack.decide(.cancellation, about: member.person, by: attack.founder))
        try expectProblem(try await attack.client.get("/v1/sessions", by: member.session), "session.invalid")
        try await attack.decided(attack.decide(.reinstatement, about: member.person, by: attack.founder))
        try expectProblem(try await attack.client.get("/v1/sessions", by: member.session), "session.invalid")
        let login = try await attack.logIn(as: member.person, with: member.device)
        #expect(login.outcome != "success", "\(login)")
        // A new device starts as every device does: it waits for somebody with authority.
        let device = Device()
        expectOutcome(try await attack.logIn(as: member.person, with: device), "authorizationPending")
        _ = try await attack.authorize(device, of: member.person)
    }

    @Test func `is no admin any more`() async throws {
        let attack = try await Attack("reinstated-admin.example", try sharedWorld().client)
        let admin = try await attack.hire("admin")
        let colleague = try await attack.hire("colleague")
        try await attack.appoint(admin)
        try await attack.decided(attack.decide(.cancellation, about: admin.person, by: attack.founder))
        try await attack.decided(attack.decide(.reinstatement, about: admin.person, by: attack.founder))
        try await attack.client.settle(attack.company)
        let read = try await attack.client.get(attack.client.path(admin.person), by: attack.founder.session)
        #expect(read["role"]?.text == "employee", "\(read["role"]?.text ?? "")")
        try await attack.expectNoDecision {
            let login = try await attack.logIn(as: admin.person, with: admin.device)
            #expect(login.outcome != "success", "\(login)")
            guard login.outcome == "success" else { return }
            let back = try Member(admin.person, admin.device, login)
            expectRefused(try await attack.decide(.cancellation, about: colleague.person, by: back))
        }
    }

    @Test func `is not reinstated by an app after a person cancelled the account`() async throws {
        let world = try sharedWorld()
        let attack = try await Attack("reinstated-app.example", try world.client)
        let personnel = try await world.makeApp(name: "personnel")
        let secret = try await world.issueSecret(for: personnel, roles: ["ACCESS", "ADMINISTRATION"])
        let app = attack.client.by(personnel).with(secret: secret)
        try await attack.decided(attack.link(personnel, roles: ["ACCESS", "ADMINISTRATION"]))
        let member = try await attack.hire("member")
        try await attack.decided(attack.decide(.cancellation, about: member.person, by: attack.founder))
        try await attack.expectNoDecision {
            expectRefused(try await attack.decideUnsigned(.reinstatement, about: member.person, by: .app(app.app)))
        }
        // What the app cancelled itself it takes back.
        let other = try await attack.hire("other")
        expectOutcome(try await attack.decideUnsigned(.cancellation, about: other.person, by: .app(app.app)), "done")
        expectOutcome(try await attack.decideUnsigned(.reinstatement, about: other.person, by: .app(app.app)), "done")
    }

    @Test func `was not an admin if an app with ADMINISTRATION cancelled the account`() async throws {
        let world = try sharedWorld()
        let attack = try await Attack("personnel-admin.example", try world.client)
        let personnel = try await world.makeApp(name: "personnel of admins")
        let secret = try await world.issueSecret(for: personnel, roles: ["ACCESS", "ADMINISTRATION"])
        let app = attack.client.by(personnel).with(secret: secret)
        try await attack.decided(attack.link(personnel, roles: ["ACCESS", "ADMINISTRATION"]))
        let admin = try await attack.hire("admin")
        try await attack.appoint(admin)
        try await attack.expectNoDecision {
            for person in [admin.person, attack.founder.person] {
                expectRefused(try await attack.decideUnsigned(.cancellation, about: person, by: .app(app.app)))
            }
        }
    }
}
