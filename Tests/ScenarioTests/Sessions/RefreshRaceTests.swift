import Canonical
import Foundation
import Postgres
import Testing

/// Tabs, threads and processes of one app that refresh at the same moment.
@Suite(.onServer, .sharedWorld)
struct `Two refreshes of one token at once` {
    private func refresh(_ token: String, by caller: Caller? = nil) async throws -> HTTPReply {
        let client = try sharedWorld().client
        return try await client.post(
            "/v1/sessions/refresh", ["refreshToken": .string(token)], by: caller ?? .app(client.app))
    }

    private func reasons(_ company: String) async throws -> [String] {
        try await sharedWorld().client.events(company, "type=SessionClosed").compactMap { $0["data"]?["reason"]?.text }
    }

    @Test func `make one exchange of fifty, and all get its reply`() async throws {
        let client = try sharedWorld().client
        let company = "fifty-tabs.example"
        let member = try await client.found(company)
        let replies = try await concurrently(50) { _ in try await refresh(member.refreshToken) }
        for reply in replies { #expect(reply.status == 200, "\(reply)") }
        #expect(Set(replies.map(\.body)).count == 1)
        let token = try #require(replies.first?["refreshToken"]?.text)
        let access = try #require(replies.first?["accessToken"]?.text)
        #expect(try await client.get("/v1/sessions", by: .session(access)).status == 200)
        #expect(try await refresh(token).status == 200)
        #expect(try await reasons(company).isEmpty)
    }

    @Test func `end the session without the secret, and say so`() async throws {
        let client = try sharedWorld().client
        let company = "no-secret.example"
        let member = try await client.found(company)
        #expect(try await refresh(member.refreshToken).status == 200)
        try expectProblem(try await refresh(member.refreshToken, by: .nobody), "session.reused")
        try expectProblem(try await refresh(member.refreshToken), "session.invalid")
        #expect(try await reasons(company) == ["refreshReused"])
    }

    @Test func `end the session when another app presents its secret`() async throws {
        let world = try sharedWorld(), client = try world.client
        let company = "other-secret.example"
        let member = try await client.found(company)
        let other = try await world.makeApp(name: company)
        try await world.linkApp(other, to: company)
        #expect(try await refresh(member.refreshToken).status == 200)
        try expectProblem(try await refresh(member.refreshToken, by: .app(other)), "session.reused")
        #expect(try await reasons(company) == ["refreshReused"])
    }

    @Test func `are refused with a wrong secret, and the session goes on`() async throws {
        let client = try sharedWorld().client
        let member = try await client.found("wrong-secret.example")
        var app = client.app
        app.secret += "x"
        try expectProblem(try await refresh(member.refreshToken, by: .app(app)), "app.secret_invalid")
        #expect(try await refresh(member.refreshToken).status == 200)
    }

    @Test func `end the session once the successor was used`() async throws {
        let client = try sharedWorld().client
        let company = "successor.example"
        let member = try await client.found(company)
        let first = try await refresh(member.refreshToken)
        let second = try await refresh(try #require(first["refreshToken"]?.text))
        #expect(second.status == 200)
        try expectProblem(try await refresh(member.refreshToken), "session.reused")
        try expectProblem(try await refresh(try #require(second["refreshToken"]?.text)), "session.invalid")
        #expect(try await reasons(company) == ["refreshReused"])
    }

    @Test func `end the session ten seconds later`() async throws {
        let world = try sharedWorld(), client = try world.client
        let company = "ten-seconds.example"
        let member = try await client.found(company)
        #expect(try await refresh(member.refreshToken).status == 200)
        // The reply is bound to its time, so that setting it forward does not help either.
        let bytes = try #require(Base64URL.decode(member.refreshToken))
        let session = try #require(UUID(bytes: Array(bytes[16..<32])))
        for seconds in [-10, 5] as [Int64] {
            _ = try await world.superuser { connection in
                try await connection.query(
                    """
                    UPDATE tenure.refresh_reply SET exchanged_at = exchanged_at + \(seconds) * interval '1 second'
                    WHERE session_id = \(session)
                    """)
            }
        }
        try expectProblem(try await refresh(member.refreshToken), "session.reused")
        #expect(try await reasons(company) == ["refreshReused"])
    }

    @Test func `find no reply of an app that is unlinked`() async throws {
        let world = try sharedWorld(), client = try world.client
        let company = "unlinked-tabs.example"
        let founder = try await client.found(company)
        let other = try await world.makeApp(name: company)
        try await world.linkApp(other, to: company)
        let joined = try await client.join(Person("second", at: company))
        let member = try Member(
            joined.person, joined.device, try await client.by(other).logIn(joined.person, joined.device))
        #expect(try await refresh(member.refreshToken, by: .app(other)).status == 200)
        let path = client.path(company, "/apps/\(other.appId.lowercased())")
        expectOutcome(try await client.signed(by: founder, "DELETE", path), "done")
        #expect(try await refresh(member.refreshToken, by: .app(other)).status == 401)
    }
}
