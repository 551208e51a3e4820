import Canonical
import Testing

/// Credentials belong to a user, so whoever replaces them on one account replaces them on all.
@Suite(.onServer, .sharedWorld)
struct `Credentials that several accounts share` {
    /// The same person with another passphrase.
    private func renewed(_ person: Person) -> Person {
        var new = person
        new.passphrase = "another passphrase \(Person.word()) \(Person.word())"
        return new
    }

    @Test func `are not replaced by an app that knows the answers and registers another account`()
        async throws
    {
        let world = try sharedWorld(), client = try world.client
        let company = "reach.example", stranger = client.by(try await world.makeApp(name: "reach"))
        let founder = try await client.found(company)
        let victim = try await client.join(Person("victim", at: company))
        for (number, member) in [founder, victim].enumerated() {
            let elsewhere = "reach-attacker-\(number).example"
            let ghost = try await stranger.found(elsewhere, by: member.person.also("ghost", at: elsewhere))
            try expectProblem(
                try await stranger.change(ghost.person, to: renewed(ghost.person), ghost.device),
                "authorization.not_permitted")
            expectOutcome(try await client.logIn(member.person, member.device), "success")
        }
        // Within the company too, with a device key that the app vouches for.
        let second = try await client.join(founder.person.also("second", at: company))
        try expectProblem(
            try await client.change(second.person, to: renewed(second.person), second.device),
            "authorization.not_permitted")
        expectOutcome(try await client.logIn(founder.person, founder.device), "success")

        // The oldest account, with a key that carries its role, changes them for all.
        let new = renewed(founder.person)
        expectOutcome(try await client.change(founder.person, to: new, founder.device), "success")
        expectOutcome(try await client.logIn(new.also("second", at: company), second.device), "success")
    }

    @Test func `are not replaced with an admin's key that carries no role`() async throws {
        let client = try sharedWorld().client
        let company = "reach-vouched.example", founder = try await client.found(company)
        let admin = try await client.join(Person("admin", at: company)), device = Device()
        // The app vouches for both keys, and the security admin lets one of them carry the role.
        expectOutcome(try await client.logIn(admin.person, device), "authorizationPending")
        expectOutcome(try await client.authorize(device, of: admin.person), "done")
        try await client.appoint(admin, by: founder)
        let new = renewed(admin.person)
        try expectProblem(try await client.change(admin.person, to: new, device), "authorization.not_permitted")
        expectOutcome(try await client.change(admin.person, to: new, admin.device), "success")
    }

    @Test func `of the security admin are not recovered through a second account`() async throws {
        let client = try sharedWorld().client
        let company = "reach-recovery.example", scene = try await RecoveryScene(company, client)
        let second = try await client.join(Person("second", at: company))
        try await client.appoint(second, by: scene.founder)
        let other = try await client.join(scene.founder.person.also("too", at: company)), device = Device()
        expectOutcome(try await client.askToRecover(other.person, device).reply, "authorizationPending")
        let opened = try await client.decide("opening", other.person, device, by: scene.admin)
        try expectProblem(opened, "authorization.not_permitted")
        // Nor are an admin's by another admin; the security admin opens that one.
        let admins = try await client.join(scene.admin.person.also("admin-too", at: company)), another = Device()
        expectOutcome(try await client.askToRecover(admins.person, another).reply, "authorizationPending")
        try expectProblem(
            try await client.decide("opening", admins.person, another, by: second), "authorization.not_permitted")
        expectOutcome(try await client.decide("opening", admins.person, another, by: scene.founder), "done")
    }

    @Test func `are not recovered after the decider lost a role or the person gained one`() async throws {
        let client = try sharedWorld().client
        for promotes in [true, false] {
            let scene = try await RecoveryScene("reach-decided-\(promotes).example", client)
            let opener = try await client.join(Person("opener", at: scene.founder.person.company))
            try await client.appoint(opener, by: scene.founder)
            _ = try await scene.ask()
            expectOutcome(try await scene.open(by: opener), "done")
            expectOutcome(try await scene.confirm(), "done")
            if promotes {
                try await client.appoint(scene.lost, by: scene.founder)
            } else {
                expectOutcome(
                    try await client.signed(
                        by: scene.founder, "POST", client.path(opener.person, "/role"), ["role": "employee"]), "done")
            }
            let reply = try await client.finishRecovery(scene.renewed, scene.device, blind: false)
            try expectProblem(reply, "request.stale")
            expectOutcome(try await client.logIn(scene.lost.person, scene.lost.device), "success")
        }
    }
}

/// A signed statement is used once, although it is valid for a quarter of an hour.
@Suite(.onServer, .sharedWorld)
struct `A used statement` {
    /// Signs what the service asks for, and returns the body.
    private func signed(
        _ path: String, _ body: [String: JSONValue] = [:], by member: Member, _ client: Client
    ) async throws -> JSONValue {
        let asked = try await client.post(path, .object(body), by: member.session)
        try #require(asked.outcome == "signatureRequired", "\(asked)")
        var signed = body
        signed["statement"] = asked["statement"]
        signed["signature"] = .string(try member.device.sign(base64: asked["statement"]?.text))
        return .object(signed)
    }

    @Test func `cannot cancel a reinstated employee`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("statement-once.example")
        let member = try await client.join(Person("member", at: "statement-once.example"))
        let path = client.path(member.person, "/cancellation")
        let body = try await signed(path, by: founder, client)
        expectOutcome(try await client.post(path, body, by: founder.session), "done")
        expectOutcome(
            try await client.signed(by: founder, "POST", client.path(member.person, "/reinstatement")), "done")
        try expectProblem(try await client.post(path, body, by: founder.session), "request.stale")
    }

    @Test func `cannot issue a second invitation, even after the first was revoked`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("statement-invitation.example")
        let path = client.path("statement-invitation.example", "/invitations")
        let salt = Base64.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        let body = try await signed(
            path, ["companyEmployeeId": "guest", "subjectSalt": .string(salt)], by: founder, client)
        let issued = try await client.post(path, body, by: founder.session)
        try expectProblem(try await client.post(path, body, by: founder.session), "request.stale")
        let id = try #require(issued["issued"]?["invitationId"]?.text, "\(issued)")
        expectOutcome(try await client.signed(by: founder, "DELETE", "\(path)/\(id)"), "done")
        try expectProblem(try await client.post(path, body, by: founder.session), "request.stale")
    }
}
