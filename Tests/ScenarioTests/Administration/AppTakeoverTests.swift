import Canonical
import Testing

/// An app with ACCESS and AUTHORIZATION that sees answers, in direct mode all of them.
@Suite(.onServer, .sharedWorld)
struct `An app that saw an admin's answers` {
    @Test func `cannot become the security admin with a key of its own`() async throws {
        let attack = try await Attack("takeover.example", try sharedWorld().client)
        let victim = attack.founder
        let device = Device()
        try await attack.expectNoDecision {
            #expect(try await attack.logIn(as: victim.person, with: device).outcome != "success")
            try expectProblem(
                try await attack.client.authorize(device, of: victim.person), "authorization.not_permitted")
            let login = try await attack.logIn(as: victim.person, with: device)
            #expect(login.outcome != "success", "\(login)")
            guard login.outcome == "success" else { return }
            let thief = try Member(victim.person, device, login)
            expectRefused(
                try await attack.decide(
                    "PATCH", attack.client.path(attack.company, "/policy"), ["approval": "admin"], by: thief))
            expectRefused(
                try await attack.decide(
                    "POST", attack.client.path(victim.person, "/keys/\(victim.device.fingerprint)/revocation"),
                    ["reason": "lost"], by: thief))
        }
        expectOutcome(try await attack.logIn(as: victim.person, with: victim.device), "success")
    }

    @Test func `cannot become an admin with a key of its own`() async throws {
        let attack = try await Attack("takeover-admin.example", try sharedWorld().client)
        let admin = try await attack.hire("admin")
        try await attack.appoint(admin)
        let colleague = try await attack.hire("colleague")
        let device = Device()
        try await attack.expectNoDecision {
            #expect(try await attack.logIn(as: admin.person, with: device).outcome != "success")
            try expectProblem(
                try await attack.client.authorize(device, of: admin.person), "authorization.not_permitted")
            let login = try await attack.logIn(as: admin.person, with: device)
            #expect(login.outcome != "success", "\(login)")
            guard login.outcome == "success" else { return }
            let thief = try Member(admin.person, device, login)
            expectRefused(try await attack.decide(.cancellation, about: colleague.person, by: thief))
        }
        expectOutcome(try await attack.logIn(as: colleague.person, with: colleague.device), "success")
    }

    @Test(arguments: ["refusal", "revocation"])
    func `cannot end an admin's keys with its own secret`(step: String) async throws {
        let attack = try await Attack("takeover-\(step).example", try sharedWorld().client)
        let admin = try await attack.hire("admin")
        let (spare, pending) = (Device(), Device())
        expectOutcome(try await attack.logIn(as: admin.person, with: spare), "authorizationPending")
        _ = try await attack.authorize(spare, of: admin.person)
        try await attack.appoint(admin)
        expectOutcome(try await attack.logIn(as: admin.person, with: pending), "authorizationPending")
        expectOutcome(try await attack.logIn(as: attack.founder.person, with: pending), "authorizationPending")
        let (founder, device) = (attack.founder, step == "refusal" ? pending : admin.device)
        try await attack.expectNoDecision {
            for (person, device) in [
                (admin.person, device), (founder.person, step == "refusal" ? pending : founder.device),
            ] {
                let path = attack.client.path(person, "/keys/\(device.fingerprint)/\(step)")
                try expectProblem(
                    try await attack.client.post(path, ["reason": "lost"]), "authorization.not_permitted")
            }
        }
    }
}

/// A device key that an app vouched for while its owner was an ordinary employee.
@Suite(.onServer, .sharedWorld)
struct `A key that an app vouched for` {
    @Test func `signs nothing as admin after its owner's appointment`() async throws {
        let attack = try await Attack("vouched.example", try sharedWorld().client)
        let admin = try await attack.hire("admin")
        let thief = try await attack.vouch(for: admin.person)
        let colleague = try await attack.hire("colleague")
        let newcomer = Device()
        expectOutcome(try await attack.logIn(as: colleague.person, with: newcomer), "authorizationPending")
        try await attack.appoint(admin)
        try await attack.expectNoDecision {
            expectRefused(try await attack.decide(.cancellation, about: colleague.person, by: thief))
            let key = attack.client.path(colleague.person, "/keys/\(newcomer.fingerprint)")
            expectRefused(try await attack.decide("POST", key + "/authorization", by: thief))
            expectRefused(try await attack.decide("POST", key + "/refusal", ["reason": "lost"], by: thief))
        }
        // The key that the founder signed for decides, so the refusals are about the key and not about the person.
        expectOutcome(try await attack.decide(.cancellation, about: colleague.person, by: admin), "done")
    }

    @Test func `neither authorizes further keys of an admin nor ends the admin's own`() async throws {
        let attack = try await Attack("vouched-keys.example", try sharedWorld().client)
        let admin = try await attack.hire("admin")
        let thief = try await attack.vouch(for: admin.person)
        try await attack.appoint(admin)
        let next = Device()
        expectOutcome(try await attack.logIn(as: admin.person, with: next), "authorizationPending")
        try await attack.expectNoDecision {
            let keys = attack.client.path(admin.person, "/keys")
            expectRefused(try await attack.decide("POST", "\(keys)/\(next.fingerprint)/authorization", by: thief))
            expectRefused(
                try await attack.decide(
                    "POST", "\(keys)/\(admin.device.fingerprint)/revocation", ["reason": "lost"], by: thief))
        }
    }

    @Test func `cannot give a role to an employee without another key`() async throws {
        let attack = try await Attack("vouched-only.example", try sharedWorld().client)
        let member = try await attack.client.join(Person("only", at: attack.company))
        for role in ["admin", "securityAdmin"] {
            try await attack.expectNoDecision {
                expectRefused(
                    try await attack.decide(
                        "POST", attack.client.path(member.person, "/role"), ["role": .string(role)],
                        by: attack.founder))
            }
        }
    }
}
