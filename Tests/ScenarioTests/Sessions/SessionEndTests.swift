import Canonical
import ErrorCodes
import IdentityService
import TenureAPI
import TenureServer
import Testing

/// Time passes only for the call that is told another time, so this speaks to the service behind the address.
@Suite(.onServer, .sharedWorld)
struct `The end of a session` {
    private func refresh(_ token: String, at time: Timestamp, key: String? = nil) async throws -> SessionResponse {
        let call = Call(requestId: Person.word(), time: time, idempotencyKey: key, fingerprintInput: [[1]])
        let reply = try await sharedWorld().service.reply(to: RefreshSession(refreshToken: token), call)
        return try #require(reply.answer)
    }

    @Test func `comes a day after it was opened, despite refreshes`() async throws {
        let client = try sharedWorld().client
        _ = try await client.found("day.example")
        let member = try await client.join(Person("second", at: "day.example"))
        let opened = Timestamp.now()
        var token = member.refreshToken
        for hours in [1, 12, 23] {
            let tokens = try await refresh(token, at: opened.adding(.seconds(hours * 3_600)))
            #expect(tokens.expiresAt <= opened.adding(.seconds(86_400)))
            token = tokens.refreshToken
        }
        let late = try await refresh(token, at: opened.adding(.seconds(86_400 - 60)))
        // It was opened some moments before `opened`.
        #expect(late.expiresAt <= opened.adding(.seconds(86_400)), "the access token ends with the session")
        let end = opened.adding(.seconds(86_401)), key = Person.word()
        for time in [end, end.adding(.seconds(1))] {
            await #expect(throws: ServiceError(.sessionExpired), "also the repeated call") {
                try await refresh(late.refreshToken, at: time, key: key)
            }
        }
        await #expect("there is no session any more") {
            try await refresh(late.refreshToken, at: end, key: Person.word())
        } throws: {
            ($0 as? ServiceError)?.code == .sessionInvalid
        }
        try expectProblem(try await client.get("/v1/sessions", by: .session(late.accessToken)), "session.invalid")
        let closed = try await client.events("day.example", "type=SessionClosed")
        #expect(closed.compactMap { $0["data"]?["reason"]?.text } == ["expired"])
    }

    @Test func `is shown in the list of sessions and in the log`() async throws {
        let client = try sharedWorld().client
        let began = Timestamp.now()
        _ = try await client.found("day-told.example")
        let member = try await client.join(Person("second", at: "day-told.example"))
        let ends = (began.adding(.seconds(86_400)), Timestamp.now().adding(.seconds(86_400)))
        let listed = try await client.get("/v1/sessions", by: member.session)["items"]?.items.first?["expiresAt"]?.text
        let opened = try await client.events("day-told.example", "type=SessionOpened")
        for text in [listed, opened.last?["data"]?["expiresAt"]?.text] {
            let told = try #require(text)
            let end = try #require(Timestamp(told))
            #expect(ends.0 <= end && end <= ends.1)
        }
    }
}

@Suite(.onServer, .sharedWorld { $0.settings.sessionLifetime = .seconds(600) })
struct `The end of a session that a deployment sets` {
    @Test func `ends its access token too`() async throws {
        let client = try sharedWorld().client
        let began = Timestamp.now()
        let member = try await client.found("short.example")
        let reply = try await client.logIn(member.person, member.device)
        let text = try #require(reply["session"]?["expiresAt"]?.text)
        let expiry = try #require(Timestamp(text))
        #expect(expiry >= began.adding(.seconds(600)) && expiry <= Timestamp.now().adding(.seconds(600)))
    }
}

/// Somebody with authority ends all sessions of an employee.
@Suite(.onServer, .sharedWorld)
struct `The sessions of an employee that an admin ends` {
    private func end(_ person: Person, by member: Member, _ client: Client) async throws -> HTTPReply {
        try await client.signed(by: member, "POST", client.path(person, "/sessions/end"))
    }

    @Test func `are refused at once, on every device, and the log proves who ended them`() async throws {
        let client = try sharedWorld().client
        let company = "ended.example"
        let founder = try await client.found(company)
        let member = try await client.join(Person("second", at: company))
        let other = try Member(member.person, member.device, try await client.logIn(member.person, member.device))
        let path = client.path(member.person, "/sessions/end")

        // A token alone decides nothing.
        expectOutcome(try await client.post(path, [:], by: founder.session), "signatureRequired")
        #expect(try await client.get("/v1/me", by: member.session).status == 200)

        expectOutcome(try await end(member.person, by: founder, client), "done")
        for ended in [member, other] {
            try expectProblem(try await client.get("/v1/me", by: ended.session), "session.invalid")
            try expectProblem(
                try await client.post(
                    "/v1/sessions/refresh", ["refreshToken": .string(ended.refreshToken)], by: .nobody),
                "session.invalid")
        }
        #expect(try await client.get("/v1/me", by: founder.session).status == 200)
        let event = try await client.events(company, "type=EmployeeSessionsEnded").first?["data"]
        #expect(event?["by"]?["kind"]?.text == "employee" && event?["by"]?["signature"]?.text != nil)
        // Keys and account are as before.
        expectOutcome(try await client.logIn(member.person, member.device), "success")
    }

    @Test func `are not ended by a colleague, by an app without the role, or for the security admin`()
        async throws
    {
        let world = try sharedWorld(), client = try world.client
        let company = "not-ended.example"
        let founder = try await client.found(company)
        let member = try await client.join(Person("second", at: company))
        let colleague = try await client.join(Person("third", at: company))
        try expectProblem(try await end(member.person, by: colleague, client), "authorization.not_permitted")
        try expectProblem(try await end(founder.person, by: colleague, client), "authorization.not_permitted")
        #expect(try await end(founder.person, by: founder, client).status != 200)
        let secret = try await world.issueSecret(for: world.app, roles: ["ACCESS", "CREATION", "AUTHORIZATION"])
        try expectProblem(
            try await client.with(secret: secret).post(client.path(member.person, "/sessions/end")),
            "app.role_missing")
        for kept in [founder, member, colleague] {
            #expect(try await client.get("/v1/me", by: kept.session).status == 200)
        }
    }
}

/// Time passes only for the call that is told another time, so this speaks to the service behind the address.
@Suite(.onServer, .sharedWorld)
struct `The session of an admin` {
    private func refresh(_ token: String, at time: Timestamp) async throws -> SessionResponse {
        let call = Call(requestId: Person.word(), time: time, fingerprintInput: [[1]])
        return try await sharedWorld().service.run(RefreshSession(refreshToken: token), call)
    }

    private func expectExpired(_ member: Member, at time: Timestamp) async throws {
        await #expect(throws: ServiceError(.sessionExpired)) { try await refresh(member.refreshToken, at: time) }
    }

    private func end(_ member: Member, _ client: Client) async throws -> Timestamp {
        let text = try #require(try await client.get("/v1/me", by: member.session)["session"]?["expiresAt"]?.text)
        return try #require(Timestamp(text))
    }

    @Test func `ends an hour after it was opened, including the founder's`() async throws {
        let client = try sharedWorld().client
        let before = Timestamp.now()
        let founder = try await client.found("admin-hour.example")
        let opened = Timestamp.now()
        let end = try await end(founder, client)
        #expect(end >= before.adding(.seconds(3_600)) && end <= opened.adding(.seconds(3_600)))
        let tokens = try await refresh(founder.refreshToken, at: before.adding(.seconds(3_590)))
        #expect(tokens.expiresAt <= opened.adding(.seconds(3_600)))
        await #expect(throws: ServiceError(.sessionExpired)) {
            try await refresh(tokens.refreshToken, at: opened.adding(.seconds(3_601)))
        }
        let again = try Member(founder.person, founder.device, try await client.logIn(founder.person, founder.device))
        try await expectExpired(again, at: Timestamp.now().adding(.seconds(3_601)))
    }

    @Test func `has an admin's lifetime even if it was opened before the appointment`() async throws {
        let client = try sharedWorld().client
        let company = "appointed.example"
        let founder = try await client.found(company)
        let member = try await client.join(Person("second", at: company))
        let ordinary = try await client.join(Person("third", at: company))
        let before = try await end(member, client)
        #expect(before > Timestamp.now().adding(.seconds(23 * 3_600)))
        expectOutcome(
            try await client.signed(
                by: founder, "POST", client.path(member.person, "/role"),
                ["role": "admin", "fingerprints": [.string(member.device.fingerprint)]]), "done")
        #expect(try await end(member, client) < Timestamp.now().adding(.seconds(3_601)))
        try await expectExpired(member, at: Timestamp.now().adding(.seconds(3_601)))
        _ = try await refresh(ordinary.refreshToken, at: Timestamp.now().adding(.seconds(3_601)))
    }

    @Test func `has an admin's lifetime after a succession`() async throws {
        let world = try sharedWorld(), client = try world.client
        let company = "succeeded.example"
        let founder = try await client.found(company)
        // A key that the security admin authorized carries the role.
        let person = Person("second", at: company), device = Device()
        expectOutcome(try await client.register(person, device), "authorizationPending")
        let path = client.path(person, "/keys/\(device.fingerprint)/authorization")
        expectOutcome(try await client.signed(by: founder, "POST", path), "done")
        let member = try Member(person, device, try await client.logIn(person, device))
        try await world.succeedSecurityAdmin(of: company, by: "second")
        try await expectExpired(member, at: Timestamp.now().adding(.seconds(3_601)))
    }

    @Test func `follows the policy, and a shorter policy applies at once`() async throws {
        let client = try sharedWorld().client
        let company = "admin-hours.example"
        let founder = try await client.found(company)
        try await client.change(policy: ["adminSessionHours": 3], of: company, by: founder)
        let long = try Member(founder.person, founder.device, try await client.logIn(founder.person, founder.device))
        #expect(try await end(long, client) > Timestamp.now().adding(.seconds(2 * 3_600)))
        try await client.change(policy: ["adminSessionHours": 2], of: company, by: long)
        #expect(try await end(long, client) < Timestamp.now().adding(.seconds(2 * 3_600 + 1)))
        // Those that are open already are not prolonged. The end is recorded an hour ahead, so it comes last: statements
        // of now would be too late after it.
        try await expectExpired(founder, at: Timestamp.now().adding(.seconds(3_601)))
    }
}
