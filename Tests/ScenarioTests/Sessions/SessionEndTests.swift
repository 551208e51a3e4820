import Canonical
import IdentityService
import Testing

/// Time passes only for the call that is told another time, so this speaks to the service behind the address.
@Suite(.onServer, .sharedWorld)
struct `The end of a session` {
    private func refresh(_ token: String, at time: Timestamp, key: String? = nil) async throws -> SessionTokens {
        let call = Call(requestId: Person.word(), time: time, idempotencyKey: key, fingerprintInput: [1])
        return try await sharedWorld().service.refreshSession(refreshToken: token, call: call)
    }

    @Test func `is a day after it was opened, however often it is refreshed`() async throws {
        let client = try sharedWorld().client
        let member = try await client.found("day.example")
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
        await #expect(throws: ServiceError(.sessionInvalid), "there is no session any more") {
            try await refresh(late.refreshToken, at: end, key: Person.word())
        }
        try expectProblem(try await client.get("/v1/sessions", by: .session(late.accessToken)), "session.invalid")
        let closed = try await client.events("day.example", "type=SessionClosed")
        #expect(closed.compactMap { $0["data"]?["reason"]?.text } == ["expired"])
    }

    @Test func `is told where sessions are listed, and in the log`() async throws {
        let client = try sharedWorld().client
        let began = Timestamp.now()
        let member = try await client.found("day-told.example")
        let ends = (began.adding(.seconds(86_400)), Timestamp.now().adding(.seconds(86_400)))
        let listed = try await client.get("/v1/sessions", by: member.session)["items"]?.items.first?["expiresAt"]?.text
        let opened = try await client.events("day-told.example", "type=SessionOpened")
        for text in [listed, opened.first?["data"]?["expiresAt"]?.text] {
            let told = try #require(text)
            let end = try #require(Timestamp(told))
            #expect(ends.0 <= end && end <= ends.1)
        }
    }
}

@Suite(.onServer, .sharedWorld { $0.settings.sessionLifetime = .seconds(600) })
struct `The end of a session that a deployment sets` {
    @Test func `is the end of its access token too`() async throws {
        let client = try sharedWorld().client
        let began = Timestamp.now()
        let member = try await client.found("short.example")
        let reply = try await client.logIn(member.person, member.device)
        let text = try #require(reply["session"]?["expiresAt"]?.text)
        let expiry = try #require(Timestamp(text))
        #expect(expiry >= began.adding(.seconds(600)) && expiry <= Timestamp.now().adding(.seconds(600)))
    }
}
