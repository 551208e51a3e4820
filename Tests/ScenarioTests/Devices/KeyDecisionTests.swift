import Canonical
import Testing

@Suite(.onServer, .sharedWorld)
struct `Decisions about a key` {
    @Test func `can refuse it with a reason, which denies log-ins`() async throws {
        let client = try sharedWorld().client
        let company = "refuse.example"
        let founder = try await client.found(company)
        let person = Person("second", at: company)
        let device = Device()
        _ = try await client.register(person, device)
        let path = client.path(person, "/keys/\(device.fingerprint)/refusal")
        try expectProblem(try await client.post(path), "request.invalid")
        for reason in ["", "Not A Code", String(repeating: "r", count: 65)] {
            try expectProblem(try await client.post(path, ["reason": .string(reason)]), "request.invalid")
        }
        expectOutcome(try await client.post(path, ["reason": "unknown_device"]), "done")
        let events = try await client.events(company, "type=EmployeeKeyRefused", by: founder.session)
        #expect(events.first?["data"]?["reason"]?.text == "unknown_device")
        for _ in 0..<2 {
            let authorized = try await client.authorize(device, of: person)
            #expect((400..<500).contains(authorized.status), "a refused key stays refused: \(authorized)")
            let login = try await client.logIn(person, device)
            #expect(login.outcome != "success", "\(login)")
        }
        let other = Device()
        expectOutcome(try await client.logIn(person, other), "authorizationPending")
        expectOutcome(try await client.authorize(other, of: person), "done")
        expectOutcome(try await client.logIn(person, other), "success")
    }

    @Test func `can revoke it, which ends its sessions and no others`() async throws {
        let client = try sharedWorld().client
        let company = "revoke.example"
        let founder = try await client.found(company)
        let member = try await client.join(Person("second", at: company))
        let tablet = Device()
        _ = try await client.logIn(member.person, tablet)
        _ = try await client.authorize(tablet, of: member.person)
        let second = try Member(member.person, tablet, try await client.logIn(member.person, tablet))
        let path = client.path(member.person, "/keys/\(member.device.fingerprint)/revocation")
        let revoked = try await client.post(path, ["reason": "lost"])
        expectOutcome(revoked, "done")

        try expectProblem(try await client.get("/v1/sessions", by: member.session), "session.invalid")
        let refreshed = try await client.post(
            "/v1/sessions/refresh", ["refreshToken": .string(member.refreshToken)], by: .nobody)
        try expectProblem(refreshed, "session.invalid")
        #expect(try await client.get("/v1/sessions", by: second.session).status == 200)
        #expect(try await client.get("/v1/sessions", by: founder.session).status == 200)
        let login = try await client.logIn(member.person, member.device)
        #expect(login.outcome != "success", "\(login)")
        let again = try await client.authorize(member.device, of: member.person)
        #expect((400..<500).contains(again.status), "a revoked key is never authorized again: \(again)")
        #expect(try await client.logIn(member.person, member.device).outcome != "success")
        expectOutcome(try await client.logIn(member.person, tablet), "success")
        let read = try await client.get(
            client.path(member.person), by: founder.session, at: revoked["position"]?.number)
        let states = read["keys"]?.items.map { ($0["fingerprint"]?.text ?? "", $0["state"]?.text) } ?? []
        #expect(states.first { $0.0 == member.device.fingerprint }?.1 == "revoked")
        #expect(states.first { $0.0 == tablet.fingerprint }?.1 == "authorized")
    }

    @Test(arguments: ["refusal", "revocation"])
    func `are signed by an admin, even if no app may authorize`(action: String) async throws {
        let client = try sharedWorld().client
        let company = "signed-\(action).example"
        let founder = try await client.found(company)
        let member = try await client.join(Person("second", at: company))
        try await client.change(policy: ["keyAuthorization": "securityAdmin"], of: company, by: founder)
        var device = member.device
        if action == "refusal" {
            device = Device()
            _ = try await client.logIn(member.person, device)
        }
        let path = client.path(member.person, "/keys/\(device.fingerprint)/\(action)")
        let authorization = client.path(member.person, "/keys/\(device.fingerprint)/authorization")
        try expectProblem(try await client.post(authorization), "authorization.not_permitted")
        let asked = try await client.post(path, ["reason": "lost"], by: founder.session)
        expectOutcome(asked, "signatureRequired")
        let bytes = try bytes(base64: asked["statement"]?.text)
        let tag = action == "refusal" ? "tenure/v1/key-refusal\n" : "tenure/v1/key-revocation\n"
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix(tag))
        // The signature of an authorization does not revoke, and a signature for one reason is none for another.
        let signature: JSONValue = .string(try founder.device.sign(bytes))
        let other: JSONValue = ["reason": "other", "statement": asked["statement"] ?? .null, "signature": signature]
        let refused = try await client.post(path, other, by: founder.session)
        #expect((400..<500).contains(refused.status), "\(refused)")
        expectOutcome(try await client.signed(by: founder, "POST", path, ["reason": "lost"]), "done")
        let login = try await client.logIn(member.person, device)
        #expect(login.outcome != "success", "\(login)")
    }
}

@Suite(.onServer, .sharedWorld)
struct `Waiting for keys to decide` {
    @Test func `ends when one is presented, even for a caller that has seen the others`() async throws {
        let client = try sharedWorld().client
        let company = "waiting.example"
        let founder = try await client.found(company)
        let path = client.path(company, "/authorizations?state=pending&wait=20")
        var seen: Int64 = 0
        for name in ["first", "second"] {
            // Waits from before the key is there; that it comes back with it is what is shown, not how soon.
            let asked = "\(path)&after=\(seen)"
            async let listed = client.get(asked, by: founder.session)
            let device = Device()
            expectOutcome(try await client.register(Person(name, at: company), device), "authorizationPending")
            let reply = try await listed
            try #require(reply.status == 200, "\(reply)")
            let item = try #require(reply["items"]?.items.first)
            #expect(item["key"]?["fingerprint"]?.text == device.fingerprint)
            #expect(item["statement"] != nil)
            seen = try #require(item["position"]?.number)
        }
    }
}
