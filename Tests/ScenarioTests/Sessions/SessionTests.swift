import Canonical
import IdentityService
import Testing

@Suite(.onServer, .sharedWorld)
struct `A session` {
    private func refresh(_ token: String) async throws -> HTTPReply {
        try await sharedWorld().client.post("/v1/sessions/refresh", ["refreshToken": .string(token)], by: .nobody)
    }

    @Test func `is refreshed with tokens that replace the old ones`() async throws {
        let client = try sharedWorld().client
        let member = try await client.found("refresh.example")
        let reply = try await refresh(member.refreshToken)
        #expect(reply.status == 200, "\(reply)")
        let access = try #require(reply["accessToken"]?.text)
        let token = try #require(reply["refreshToken"]?.text)
        #expect(access != member.accessToken && token != member.refreshToken)
        #expect(reply["expiresAt"]?.text != nil)
        #expect(try await client.get("/v1/sessions", by: .session(access)).status == 200)
        try expectProblem(try await client.get("/v1/sessions", by: member.session), "session.invalid")
        #expect(try await refresh(token).status == 200)
    }

    @Test func `ends when a refresh token is used a second time`() async throws {
        let client = try sharedWorld().client
        let member = try await client.found("reuse.example")
        let first = try await refresh(member.refreshToken)
        let access = try #require(first["accessToken"]?.text)
        try expectProblem(try await refresh(member.refreshToken), "session.reused")
        try expectProblem(try await client.get("/v1/sessions", by: .session(access)), "session.invalid")
        try expectProblem(try await refresh(try #require(first["refreshToken"]?.text)), "session.invalid")
        let closed = try await client.events("reuse.example", "type=SessionClosed")
        #expect(closed.compactMap { $0["data"]?["reason"]?.text } == ["refreshReused"])
    }

    @Test func `is refreshed once by concurrent calls`() async throws {
        let client = try sharedWorld().client
        let member = try await client.found("refresh-race.example")
        let body: JSONValue = ["refreshToken": .string(member.refreshToken)]
        let replies = try await concurrently(8) { _ in
            try await client.post("/v1/sessions/refresh", body, by: .nobody)
        }
        #expect(replies.filter { $0.status == 200 }.count <= 1)
        for reply in replies where reply.status != 200 {
            try expectProblem(reply, reply.code == "session.reused" ? "session.reused" : "session.invalid")
        }
        #expect(replies.filter { $0.code == "session.reused" }.count >= 1)
    }

    @Test func `replays a lost refresh if the request had an idempotency key`() async throws {
        let client = try sharedWorld().client
        let member = try await client.found("refresh-lost.example")
        let body: JSONValue = ["refreshToken": .string(member.refreshToken)]
        let request = client.request("POST", "/v1/sessions/refresh", body, by: .nobody, key: "r-\(Person.word())")
        try await client.lose(request, cut: .whenReplyArrives)
        let reply = try await client.send(request)
        #expect(reply.status == 200, "\(reply)")
        let access = try #require(reply["accessToken"]?.text)
        #expect(try await client.get("/v1/sessions", by: .session(access)).status == 200)
    }

    @Test func `ends when it is closed, without affecting others`() async throws {
        let client = try sharedWorld().client
        let member = try await client.found("close.example")
        let other = try Member(member.person, member.device, try await client.logIn(member.person, member.device))
        let closed = try await client.send(client.request("DELETE", "/v1/sessions/current", by: member.session))
        #expect(closed.status == 204 && closed.body.isEmpty)
        try expectProblem(try await client.get("/v1/sessions", by: member.session), "session.invalid")
        try expectProblem(try await refresh(member.refreshToken), "session.invalid")
        #expect(try await client.get("/v1/sessions", by: other.session).status == 200)
        let events = try await client.events("close.example", "type=SessionClosed")
        #expect(events.compactMap { $0["data"]?["reason"]?.text } == ["closed"])
    }

    @Test func `is listed with the others of the same employee`() async throws {
        let client = try sharedWorld().client
        let company = "list.example"
        let member = try await client.found(company)
        _ = try await client.join(Person("somebody else", at: company))
        let tablet = Device()
        _ = try await client.logIn(member.person, tablet)
        let path = client.path(member.person, "/keys/\(tablet.fingerprint)/authorization")
        expectOutcome(try await client.signed(by: member, "POST", path), "done")
        let second = try Member(member.person, tablet, try await client.logIn(member.person, tablet))
        let items = try await client.get("/v1/sessions", by: second.session)["items"]?.items ?? []
        #expect(items.count == 2)
        #expect(items.filter { $0["isCurrent"]?.flag == true }.map { $0["fingerprint"]?.text } == [tablet.fingerprint])
        #expect(Set(items.compactMap { $0["fingerprint"]?.text }) == [tablet.fingerprint, member.device.fingerprint])
        #expect(Set(items.compactMap { $0["sessionId"]?.text }).count == 2)
    }

    @Test func `is refused to a malformed refresh token`() async throws {
        let client = try sharedWorld().client
        let member = try await client.found("no-token.example")
        for wrong in ["", "x", member.accessToken, String(member.refreshToken.dropLast()), member.refreshToken + "A"] {
            let reply = try await refresh(wrong)
            #expect(["session.invalid", "request.invalid"].contains(reply.code), "\(reply)")
        }
        #expect(try await refresh(member.refreshToken).status == 200)
    }
}

@Suite(.onServer)
struct `A session whose refresh token has expired` {
    @Test func `is over`() async throws {
        let clock = TestClock()
        var options = WorldOptions()
        options.settings.refreshLifetime = .seconds(1_800)
        options.settings.now = { clock.now }
        try await inTurn(options) { world in
            let client = try world.client
            let member = try await client.found("refresh-expired.example")
            clock.pass(.seconds(1_800))
            let reply = try await client.post(
                "/v1/sessions/refresh", ["refreshToken": .string(member.refreshToken)], by: .nobody)
            #expect(["session.expired", "session.invalid"].contains(reply.code), "\(reply)")
            expectOutcome(try await client.logIn(member.person, member.device), "success")
        }
    }
}

/// Somebody who copied a refresh token, and the owner of the session.
@Suite(.onServer, .sharedWorld)
struct `A stolen refresh token` {
    private func refresh(_ token: String, key: String? = nil) async throws -> HTTPReply {
        try await sharedWorld().client.post(
            "/v1/sessions/refresh", ["refreshToken": .string(token)], by: .nobody, key: key)
    }

    /// Refreshes `count` times and returns the last tokens.
    private func refreshed(_ token: String, times count: Int) async throws -> (access: String, refresh: String) {
        var access = "", token = token
        for _ in 0..<count {
            let reply = try await refresh(token)
            try #require(reply.status == 200, "\(reply)")
            access = try #require(reply["accessToken"]?.text)
            token = try #require(reply["refreshToken"]?.text)
        }
        return (access, token)
    }

    @Test(arguments: 1...4)
    func `ends the session when its owner presents an older one, after any number of refreshes`(
        times: Int
    ) async throws {
        let client = try sharedWorld().client
        let company = "thief-\(times).example"
        let owner = try await client.found(company)
        let thief = try await refreshed(owner.refreshToken, times: times)
        #expect(try await client.get("/v1/sessions", by: .session(thief.access)).status == 200)

        try expectProblem(try await refresh(owner.refreshToken), "session.reused")
        try expectProblem(try await client.get("/v1/sessions", by: .session(thief.access)), "session.invalid")
        try expectProblem(try await refresh(thief.refresh), "session.invalid")
        let closed = try await client.events(company, "type=SessionClosed")
        #expect(closed.compactMap { $0["data"]?["reason"]?.text } == ["refreshReused"])
    }

    @Test func `ends the session even if the owner refreshed first`() async throws {
        let client = try sharedWorld().client
        let owner = try await client.found("late-thief.example")
        let tokens = try await refreshed(owner.refreshToken, times: 3)
        try expectProblem(try await refresh(owner.refreshToken), "session.reused")
        try expectProblem(try await client.get("/v1/sessions", by: .session(tokens.access)), "session.invalid")
        // Another session of the same person is another family.
        expectOutcome(try await client.logIn(owner.person, owner.device), "success")
    }

    @Test func `that is forged has no effect`() async throws {
        let client = try sharedWorld().client
        let company = "forged.example"
        let owner = try await client.found(company), other = try await client.found("forged-other.example")
        let genuine = try #require(Base64URL.decode(owner.refreshToken))
        let foreign = try #require(Base64URL.decode(other.refreshToken))
        var forged: [[UInt8]] = genuine.indices.map { index in
            var bytes = genuine
            bytes[index] ^= 1
            return bytes
        }
        // Ledger, session and counter of one session, and the code of another.
        forged.append(Array(genuine.dropLast(32)) + foreign.suffix(32))
        let events = try await client.events(company).count
        for bytes in forged { try expectProblem(try await refresh(Base64URL.encode(bytes)), "session.invalid") }
        #expect(try await client.events(company).count == events)
        #expect(try await client.get("/v1/sessions", by: owner.session).status == 200)
        #expect(try await refresh(owner.refreshToken).status == 200)
    }

    @Test func `whose session has ended is refused, also under the key of a call that succeeded`() async throws {
        let client = try sharedWorld().client
        let owner = try await client.found("ended-twice.example")
        let key = "ended-\(Person.word())"
        let first = try await refresh(owner.refreshToken, key: key)
        let token = try #require(first["accessToken"]?.text)
        let closed = try await client.send(
            client.request("DELETE", "/v1/sessions/current", by: .session(token)))
        #expect(closed.status == 204)
        try expectProblem(try await refresh(owner.refreshToken, key: key), "session.invalid")
    }

    @Test func `that its owner resends with the idempotency key is not reuse`() async throws {
        let client = try sharedWorld().client
        let company = "lost-twice.example"
        let owner = try await client.found(company)
        let key = "lost-\(Person.word())"
        let first = try await refresh(owner.refreshToken, key: key)
        try #require(first.status == 200)
        for _ in 0..<3 {
            let again = try await refresh(owner.refreshToken, key: key)
            #expect(again.status == 200 && again["refreshToken"]?.text == first["refreshToken"]?.text, "\(again)")
        }
        let token = try #require(first["refreshToken"]?.text)
        let next = try await refreshed(token, times: 1)
        // The reply of then, of a session that goes on.
        #expect(try await refresh(owner.refreshToken, key: key).status == 200)
        #expect(try await client.get("/v1/sessions", by: .session(next.access)).status == 200)
        // With another key it is a second use.
        try expectProblem(try await refresh(owner.refreshToken, key: key + "-other"), "session.reused")
        try expectProblem(try await client.get("/v1/sessions", by: .session(next.access)), "session.invalid")
        #expect(try await client.events(company, "type=SessionClosed").count == 1)
    }
}
