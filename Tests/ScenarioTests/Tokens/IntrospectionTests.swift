import Canonical
import Foundation
import IdentityService
import Testing

@Suite(.onServer, .sharedWorld)
struct `Introspection` {
    private func uuid(_ app: TestApp) throws -> UUID { try #require(UUID(uuidString: app.appId)) }

    @Test func `tells the app everything that the token says`() async throws {
        let world = try sharedWorld(), client = try world.client
        let member = try await client.found("introspect.example")
        let reply = try await client.form(
            "/oauth/introspect", [("token", member.accessToken), ("token_type_hint", "access_token"), ("x", "y")])
        let me = try await client.get("/v1/me", by: member.session)
        #expect(reply["active"] == .bool(true) && reply["token_type"]?.text == "Bearer", "\(reply)")
        #expect(reply["sub"] == me["employeeId"] && reply["tenant"] == me["tenantId"])
        #expect(reply["sid"] == me["session"]?["sessionId"] && reply["aud"]?.text == world.app.appId)
        #expect(reply["client_id"]?.text == world.app.appId && reply["role"]?.text == "securityAdmin")
        for name in ["iss", "exp", "iat", "jti", "amr", "auth_time"] { #expect(reply[name] != nil, "\(name)") }
    }

    @Test func `tells nobody else anything`() async throws {
        let world = try sharedWorld(), client = try world.client
        let member = try await client.found("introspect-others.example")
        let linked = try await world.makeApp(name: "linked"), stranger = try await world.makeApp(name: "stranger")
        try await world.linkApp(linked, to: "introspect-others.example")
        #expect(try await !client.isActive(member.accessToken, by: .app(linked)), "it is not the audience")
        #expect(try await !client.isActive(member.accessToken, by: .app(stranger)))
        let uri = "https://shared.introspect-others.example"
        for app in [world.app, linked, stranger] {
            try await world.instance.commands.addResource(appId: try uuid(app), resource: uri)
        }
        let token = try #require(
            try await client.post("/v1/me/tokens", ["resource": .string(uri)], by: member.session)["accessToken"]?
                .text)
        #expect(try await client.isActive(token, by: .app(linked)), "it serves the resource and is linked")
        #expect(try await !client.isActive(token, by: .app(stranger)), "it is not linked")
        for garbage in ["x", "a.b.c", member.refreshToken, String(repeating: "A", count: 5_000)] {
            #expect(try await !client.isActive(garbage))
        }
        for caller in [Caller.nobody, .session(member.accessToken), .raw("Basic eDp5")] {
            let reply = try await client.form("/oauth/introspect", [("token", token)], by: caller)
            #expect(reply.status == 401 && reply["error"]?.text == "invalid_client", "\(reply)")
        }
        let reply = try await client.form("/oauth/introspect", [("hint", token)])
        #expect(reply.status == 400 && reply["error"]?.text == "invalid_request", "\(reply)")
        let creation = try await world.issueSecret(for: world.app, roles: ["CREATION"])
        let unfit = try await client.with(secret: creation).form("/oauth/introspect", [("token", token)])
        try expectProblem(unfit, "app.role_missing")
    }

    @Test func `calls a token inactive as soon as its session has ended`() async throws {
        let client = try sharedWorld().client
        let company = "introspect-end.example"
        let founder = try await client.found(company)
        let leaving = try await client.join(Person("leaving", at: company))
        let closing = try await client.join(Person("closing", at: company))
        for member in [leaving, closing] { #expect(try await client.isActive(member.accessToken)) }
        let closed = try await client.send(
            client.request("DELETE", "/v1/sessions/current", by: closing.session))
        #expect(closed.status == 204)
        expectOutcome(
            try await client.signed(by: founder, "POST", client.path(leaving.person, "/cancellation")), "done")
        for member in [leaving, closing] { #expect(try await !client.isActive(member.accessToken)) }
        #expect(try await client.isActive(founder.accessToken))
    }
}

@Suite(.onServer, .sharedWorld)
struct `Revocation` {
    @Test(arguments: [true, false])
    func `ends the session of either token at the app that opened it, and of no other`(byRefresh: Bool) async throws {
        let world = try sharedWorld(), client = try world.client
        let company = byRefresh ? "revoke-r.example" : "revoke-a.example"
        let member = try await client.found(company)
        let other = try await world.makeApp(name: "other-\(byRefresh)")
        try await world.linkApp(other, to: company)
        let token = byRefresh ? member.refreshToken : member.accessToken
        #expect(try await client.form("/oauth/revoke", [("token", token)], by: .app(other)).status == 200)
        #expect(try await client.get("/v1/me", by: member.session).status == 200, "it is another app's session")
        let reply = try await client.form("/oauth/revoke", [("token", token)])
        #expect(reply.status == 200 && reply.body.isEmpty)
        try expectProblem(try await client.get("/v1/me", by: member.session), "session.invalid")
        #expect(try await !client.isActive(member.accessToken))
        try expectProblem(
            try await client.post(
                "/v1/sessions/refresh", ["refreshToken": .string(member.refreshToken)], by: .nobody),
            "session.invalid")
        let closed = try await client.events(company, "type=SessionClosed")
        #expect(closed.compactMap { $0["data"]?["reason"]?.text } == ["tokenRevoked"])
        for token in [token, "unknown"] {
            #expect(try await client.form("/oauth/revoke", [("token", token)]).status == 200)
        }
        let refused = try await client.form("/oauth/revoke", [("token", token)], by: .nobody)
        #expect(refused.status == 401 && refused["error"]?.text == "invalid_client")
    }
}
