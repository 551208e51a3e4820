import Canonical
import Testing

@Suite(.onServer, .sharedWorld)
struct `Reading one's own account` {
    @Test func `returns stable ids, names, role, status, session and app`() async throws {
        let world = try sharedWorld(), client = try world.client
        let company = "me.example"
        let founder = try await client.found(company)
        let member = try await client.join(Person("Second", at: company))
        let me = try await client.get("/v1/me", by: member.session)
        #expect(me.status == 200, "\(me)")
        #expect(me["companyName"]?.text == company && me["companyEmployeeId"]?.text == "Second")
        #expect(me["role"]?.text == "employee" && me["status"]?.text == "active")
        #expect(me["app"]?["appId"]?.text == world.app.appId && me["app"]?["name"]?.text == "scenarios")
        #expect(me["notices"]?.items.isEmpty == true)
        let listed = try await client.get("/v1/sessions", by: member.session)["items"]?.items.first
        for name in ["sessionId", "fingerprint", "createdAt", "expiresAt"] {
            #expect(me["session"]?[name]?.text != nil && me["session"]?[name]?.text == listed?[name]?.text, "\(name)")
        }
        // The ids of the log, in every session.
        let registered = try await client.events(company, "type=EmployeeRegistered&employee=Second").first
        #expect(me["employeeId"]?.text == registered?["data"]?["employeeId"]?.text)
        let again = try Member(member.person, member.device, try await client.logIn(member.person, member.device))
        let second = try await client.get("/v1/me", by: again.session)
        for name in ["employeeId", "tenantId"] { #expect(second[name] == me[name]) }
        let admin = try await client.get("/v1/me", by: founder.session)
        #expect(admin["tenantId"] == me["tenantId"] && admin["employeeId"] != me["employeeId"])
        #expect(admin["role"]?.text == "securityAdmin" && admin["session"]?["role"]?.text == "securityAdmin")
        try expectProblem(try await client.get("/v1/me"), "session.invalid")
        try expectProblem(try await client.get("/v1/me", by: .nobody), "session.invalid")
    }

    @Test func `returns the role of the device key, not only of the account`() async throws {
        let client = try sharedWorld().client
        let company = "me-role.example"
        let founder = try await client.found(company)
        let member = try await client.join(Person("second", at: company))
        let tablet = Device()
        expectOutcome(try await client.logIn(member.person, tablet), "authorizationPending")
        expectOutcome(try await client.authorize(tablet, of: member.person), "done")
        let other = try Member(member.person, tablet, try await client.logIn(member.person, tablet))
        // An app vouched for both keys; the appointment names one of them.
        expectOutcome(
            try await client.signed(
                by: founder, "POST", client.path(member.person, "/role"),
                ["role": "admin", "fingerprints": [.string(tablet.fingerprint)]]), "done")
        let me = try await client.get("/v1/me", by: member.session)
        #expect(me["role"]?.text == "admin" && me["session"]?["role"]?.text == "employee", "\(me)")
        let carrying = try await client.get("/v1/me", by: other.session)
        #expect(carrying["role"]?.text == "admin" && carrying["session"]?["role"]?.text == "admin", "\(carrying)")
        try expectProblem(
            try await client.get(client.path(company, "/authorizations"), by: member.session),
            "authorization.not_permitted")
    }
}

@Suite(.onServer, .sharedWorld)
struct `Ending all sessions` {
    @Test func `ends the caller's sessions on every device, and no others`() async throws {
        let client = try sharedWorld().client
        let company = "end-all.example"
        let founder = try await client.found(company)
        let first = try await client.join(Person("second", at: company))
        var own = [first]
        for _ in 0..<3 {
            own.append(try Member(first.person, first.device, try await client.logIn(first.person, first.device)))
        }
        let ended = try await client.send(client.request("DELETE", "/v1/sessions", by: own[1].session))
        #expect(ended.status == 204 && ended.body.isEmpty, "\(ended)")
        for member in own {
            try expectProblem(try await client.get("/v1/me", by: member.session), "session.invalid")
            try expectProblem(
                try await client.post(
                    "/v1/sessions/refresh", ["refreshToken": .string(member.refreshToken)], by: .nobody),
                "session.invalid")
        }
        #expect(try await client.get("/v1/me", by: founder.session).status == 200)
        let closed = try await client.events(company, "type=SessionClosed")
        #expect(closed.compactMap { $0["data"]?["reason"]?.text } == Array(repeating: "endedByOwner", count: 4))
        // The device is as authorized as before.
        expectOutcome(try await client.logIn(first.person, first.device), "success")
        try expectProblem(
            try await client.send(client.request("DELETE", "/v1/sessions", by: .nobody)), "session.invalid")
    }

    @Test func `has the same result for two concurrent calls`() async throws {
        let client = try sharedWorld().client
        let company = "end-race.example"
        let member = try await client.found(company)
        let other = try Member(member.person, member.device, try await client.logIn(member.person, member.device))
        let replies = try await concurrently(6) { index in
            try await client.send(
                client.request("DELETE", "/v1/sessions", by: (index.isMultiple(of: 2) ? member : other).session))
        }
        #expect(replies.contains { $0.status == 204 })
        for reply in replies where reply.status != 204 { try expectProblem(reply, "session.invalid") }
        #expect(try await client.events(company, "type=SessionClosed").count == 2)
    }
}
