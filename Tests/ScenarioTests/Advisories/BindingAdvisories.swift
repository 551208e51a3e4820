import Canonical
import Foundation
import Ledger
import Postgres
import Testing

/// Advisories about objects of another company, stale state, races for power, and what answers give away.
@Suite(.onServer, .sharedWorld)
struct `Advisories about whose it is` {
    @Test func `CVE-2026-107623: changing one rule of a policy leaves the others`() async throws {
        let client = try sharedWorld().client
        let company = "round-trip.example"
        let founder = try await client.found(company)
        try await client.change(
            policy: ["keyAuthorization": "securityAdmin", "blindOnly": true], of: company, by: founder)
        try await client.change(policy: ["approval": "admin"], of: company, by: founder)
        let read = try await client.get(client.path(company, "/policy"), by: founder.session)
        #expect(read["keyAuthorization"]?.text == "securityAdmin" && read["blindOnly"] == .bool(true))
        #expect(read["approval"]?.text == "admin")
    }

    @Test func `CVE-2026-105209, CVE-2025-27507: an admin cannot find another tenant's employee or key`() async throws {
        let client = try sharedWorld().client
        let one = try await client.found("org-one.example"), two = try await client.found("org-two.example")
        let victim = try await client.join(Person("victim", at: "org-two.example"))
        let device = Device()
        expectOutcome(try await client.logIn(victim.person, device), "authorizationPending")
        var moved = victim.person
        moved.company = "org-one.example"
        for person in [victim.person, moved] {
            for (rest, body) in [
                ("/keys/\(device.fingerprint)/authorization", nil), ("/cancellation", nil),
                ("/role", ["role": "admin"]),
                ("/keys/\(victim.device.fingerprint)/revocation", ["reason": "lost"]),
            ] as [(String, JSONValue?)] {
                let reply = try await client.post(client.path(person, rest), body, by: one.session)
                #expect(reply.status == 404, "\(rest): \(reply)")
            }
        }
        #expect(try await client.get("/v1/sessions", by: victim.session).status == 200)
        try await client.settle("org-two.example")
        let waiting = try await client.get(
            client.path("org-two.example", "/authorizations"), by: two.session)
        #expect(waiting["items"]?.items.count == 1)
    }

    @Test func `CVE-2026-109373, CVE-2026-105211: ids prove nothing, and no response contains another's proof`()
        async throws
    {
        let client = try sharedWorld().client
        let company = "ids.example"
        let founder = try await client.found(company)
        let member = try await client.join(Person("second", at: company))
        // Tenant and session are right, the signature is not.
        let parts = member.accessToken.split(separator: ".").map(String.init)
        let signature = try bytes(base64url: parts[2])
        for wrong in [[UInt8](repeating: 0, count: 64), Array(signature.reversed())] {
            let made = "\(parts[0]).\(parts[1]).\(Base64URL.encode(wrong))"
            try expectProblem(try await client.get("/v1/sessions", by: .session(made)), "session.invalid")
        }
        let secrets = [member, founder].flatMap {
            [Forms("token", $0.accessToken), Forms("refresh token", $0.refreshToken)]
        }
        for path in [
            "/v1/sessions", "/v1/devices", client.path(company, "/employees/second"), client.path(company, "/events"),
            client.path(company, "/authorizations"),
        ] {
            let reply = try await client.get(path, by: founder.session)
            #expect(reply.status == 200, "\(path)")
            for secret in secrets { #expect(!secret.isFound(in: Data(reply.body)), "\(secret.name) in \(path)") }
        }
    }

    @Test func `CVE-2024-45042: decisions neither wait for projections nor read them`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "stale.example"
        let founder = try await client.found(company)
        let member = try await client.join(Person("second", at: company))
        // The views say what they said: nothing of this company is projected any more.
        let ledger = try await world.ledger(company).uuid
        _ = try await world.superuser { connection in
            try await connection.query("DELETE FROM tenure.pending_authorizations WHERE ledger_id = \(ledger)")
        }
        _ = try await world.superuser { connection in
            try await connection.query(
                "UPDATE tenure.employee_keys SET state = 'authorized' WHERE ledger_id = \(ledger)")
        }
        let path = client.path(member.person, "/keys/\(member.device.fingerprint)/revocation")
        expectOutcome(try await client.signed(by: founder, "POST", path, ["reason": "lost"]), "done")
        _ = try await world.superuser { connection in
            try await connection.query(
                "UPDATE tenure.employee_keys SET state = 'authorized' WHERE ledger_id = \(ledger)")
        }
        try expectProblem(try await client.get("/v1/sessions", by: member.session), "session.invalid")
        try expectProblem(try await client.logIn(member.person, member.device), "authorization.not_permitted")
    }

    @Test func `CVE-2026-33503: a cursor that is no number is refused`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("cursors.example")
        for after in ["-1", "1;", "1%20OR%201=1", "'", "x", "1e3", "99999999999999999999", "%00"] {
            for rest in ["/events", "/employees", "/authorizations"] {
                let reply = try await client.get(
                    client.path("cursors.example", rest + "?after=\(after)"), by: founder.session)
                #expect(reply.status == 400 && reply.code == "request.invalid", "\(rest) \(after): \(reply)")
            }
        }
    }

    @Test func `PR 21630, 21631, 23626: one of thirty concurrent first registrations is the security admin`()
        async throws
    {
        let client = try sharedWorld().client
        let company = "first-thirty.example"
        let replies = try await concurrently(30) { number in
            let person = Person("p\(number)", at: company)
            return number.isMultiple(of: 3)
                ? try await client.registerBlind(person, Device()) : try await client.register(person, Device())
        }
        let admins = replies.filter { $0["employee"]?["role"]?.text == "securityAdmin" }
        #expect(admins.count == 1 && replies.count { $0.outcome == "success" } == 1, "\(replies)")
        let founders = try await client.events(company, "type=EmployeeKeyAuthorized")
        #expect(founders.count { $0["data"]?["by"]?["kind"]?.text == "founding" } == 1)
    }
}
