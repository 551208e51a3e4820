import Canonical
import Testing

/// A call needs its role in the presented secret and in the company's link.
@Suite(.onServer, .sharedWorld)
struct `The roles of a link` {
    @Test(arguments: ["ACCESS", "CREATION", "AUTHORIZATION"])
    func `refuse a role that only the secret has`(missing: String) async throws {
        let world = try sharedWorld()
        let attack = try await Attack("link-\(missing.lowercased()).example", try world.client)
        let member = try await attack.hire("member")
        let pending = Device()
        expectOutcome(try await attack.logIn(as: member.person, with: pending), "authorizationPending")
        let app = try await world.makeApp(name: "link without \(missing)")
        let hostile = attack.client.by(app)
        try await attack.decided(
            attack.link(app, roles: ["ACCESS", "CREATION", "AUTHORIZATION"].filter { $0 != missing }))
        try await attack.expectNoDecision {
            switch missing {
            case "ACCESS": #expect(try await self.logIn(member, hostile) != "success")
            case "CREATION":
                expectRefused(
                    try await hostile.post(
                        "/v1/registrations", Person("new", at: attack.company).registration(Device())))
            default: expectRefused(try await hostile.authorize(pending, of: member.person))
            }
        }
    }

    /// A log-in ends somewhere; what is told on the way may be a decoy's.
    private func logIn(_ member: Member, _ client: Client) async throws -> String? {
        let start = try await client.post("/v1/logins", member.person.login(member.device))
        guard start.status == 201 else { return start.code }
        let reply = try await client.logIn(member.person, member.device)
        return reply.outcome ?? reply.code
    }

    @Test func `always leave one app with ACCESS`() async throws {
        let world = try sharedWorld()
        let attack = try await Attack("last-app.example", try world.client)
        let other = try await world.makeApp(name: "no access")
        try await attack.decided(attack.link(other, roles: ["CREATION", "AUTHORIZATION"]))
        try await attack.expectNoDecision {
            expectRefused(
                try await attack.decide(
                    "DELETE", attack.client.path(attack.company, "/apps/\(attack.client.app.appId)"),
                    by: attack.founder))
            expectRefused(try await attack.link(attack.client.app, roles: ["CREATION", "AUTHORIZATION"]))
        }
        expectOutcome(try await attack.logIn(as: attack.founder.person, with: attack.founder.device), "success")
    }

    @Test func `can be set only by the security admin, like policy and appointments`() async throws {
        let world = try sharedWorld()
        let attack = try await Attack("admin-decides.example", try world.client)
        let admin = try await attack.hire("admin")
        let friend = try await attack.hire("friend")
        let linked = try await world.makeApp(name: "linked")
        try await world.linkApp(linked, to: attack.company)
        try await attack.appoint(admin)
        let app = try await world.makeApp(name: "an admin's")
        let client = attack.client
        try await attack.expectNoDecision {
            for (method, path, body) in [
                ("POST", client.path(friend.person, "/role"), ["role": "admin"] as [String: JSONValue]),
                ("POST", client.path(friend.person, "/role"), ["role": "securityAdmin"]),
                ("POST", client.path(admin.person, "/role"), ["role": "employee"]),
                ("PATCH", client.path(attack.company, "/policy"), ["approval": "admin"]),
                ("PUT", client.path(attack.company, "/apps/\(app.appId)"), [:]),
                ("DELETE", client.path(attack.company, "/apps/\(linked.appId)"), [:]),
            ] {
                try expectProblem(try await attack.decide(method, path, body, by: admin), "authorization.not_permitted")
            }
        }
    }

    @Test func `leave an admin's keys and status to the security admin`() async throws {
        let attack = try await Attack("admin-about-admin.example", try sharedWorld().client)
        let admin = try await attack.hire("admin")
        let colleague = try await attack.hire("colleague")
        for member in [admin, colleague] { try await attack.appoint(member) }
        let device = Device()
        expectOutcome(try await attack.logIn(as: colleague.person, with: device), "authorizationPending")
        let keys = attack.client.path(colleague.person, "/keys")
        try await attack.expectNoDecision {
            for (path, body) in [
                ("\(keys)/\(device.fingerprint)/authorization", [:] as [String: JSONValue]),
                ("\(keys)/\(device.fingerprint)/refusal", ["reason": "lost"]),
                ("\(keys)/\(colleague.device.fingerprint)/revocation", ["reason": "lost"]),
                (attack.client.path(colleague.person, "/cancellation"), [:]),
            ] {
                try expectProblem(try await attack.decide("POST", path, body, by: admin), "authorization.not_permitted")
            }
        }
        expectOutcome(try await attack.decide(.cancellation, about: colleague.person, by: attack.founder), "done")
    }
}

/// A bearer token alone decides nothing about others.
@Suite(.onServer, .sharedWorld)
struct `A token without a signature` {
    @Test(arguments: Attack.StatusStep.allCases)
    func `cannot decide an employee's status`(step: Attack.StatusStep) async throws {
        let name = step.rawValue.dropFirst()
        let attack = try await Attack("token-\(name).example", try sharedWorld().client)
        let member = try await attack.hire("member")
        let admin = try await attack.hire("admin")
        try await attack.appoint(admin)
        let subject = try await self.subject(of: step, attack)
        try await attack.expectNoDecision {
            for caller in [attack.founder.session, admin.session, member.session, .app(attack.client.app)] {
                expectUndecided(try await attack.decideUnsigned(step, about: subject, by: caller))
            }
            // A signature by somebody without the role is none.
            expectRefused(try await attack.decide(step, about: subject, by: member))
        }
        expectOutcome(try await attack.decide(step, about: subject, by: admin), "done")
    }

    @Test func `cannot reclaim an address`() async throws {
        let world = try sharedWorld()
        let attack = try await Attack("token-reclaim.example", try world.client)
        let member = try await attack.hire("member")
        try await world.confirmDomain(of: attack.company)
        var victim = Person("victim", at: attack.company, email: "victim@token-reclaim.example")
        victim.isCompanyOwnedEmail = true
        _ = try await attack.client.register(victim, Device())
        let path = attack.client.path(attack.company, "/reclaimed-emails")
        let body: [String: JSONValue] = ["email": .string(victim.email), "reason": "left"]
        try await attack.expectNoDecision {
            for caller in [attack.founder.session, member.session, .app(attack.client.app)] {
                expectUndecided(try await attack.client.post(path, .object(body), by: caller))
            }
            expectRefused(try await attack.decide("POST", path, body, by: member))
        }
        expectOutcome(try await attack.decide("POST", path, body, by: attack.founder), "done")
    }

    /// Somebody whose status the step would change.
    private func subject(of step: Attack.StatusStep, _ attack: Attack) async throws -> Person {
        switch step {
        case .approval:
            try await attack.client.change(policy: ["approval": "admin"], of: attack.company, by: attack.founder)
            let person = Person("subject", at: attack.company)
            _ = try await attack.client.register(person, Device())
            return person
        case .cancellation: return try await attack.hire("subject").person
        case .reinstatement:
            let person = try await attack.hire("subject").person
            try await attack.decided(attack.decide(.cancellation, about: person, by: attack.founder))
            return person
        }
    }
}
