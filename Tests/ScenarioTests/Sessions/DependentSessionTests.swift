import Canonical
import Foundation
import IdentityService
import TenureAPI
import Testing

/// A session is valid only while its app is linked and the secret that opened it is not revoked.
@Suite(.onServer, .sharedWorld)
struct `A session that an app opened` {
    /// A company with two apps, of which the second opened a session.
    private struct Scene {
        var company: String
        var founder: Member
        var app: TestApp
        var secretId: UUID
        /// The session that the second app opened.
        var member: Member

        init(_ company: String, _ world: TenureWorld) async throws {
            self.company = company
            let client = try world.client
            founder = try await client.found(company)
            let made = try await world.makeApp(name: company)
            let appId = try #require(UUID(uuidString: made.appId))
            let issued = try await world.instance.commands.issueSecret(
                appId: appId, roles: Set(AppLinkRequest.Role.allCases))
            secretId = issued.secretId
            app = TestApp(appId: made.appId, secret: issued.secret, salt: made.salt)
            try await world.linkApp(app, to: company)
            let joined = try await client.join(Person("second", at: company))
            member = try Member(
                joined.person, joined.device, try await client.by(app).logIn(joined.person, joined.device))
        }

        var appId: UUID { get throws { try #require(UUID(uuidString: app.appId)) } }
    }

    private func expectEnded(_ member: Member, _ client: Client) async throws {
        try expectProblem(try await client.get("/v1/sessions", by: member.session), "session.invalid")
        try expectProblem(try await client.get("/v1/me", by: member.session), "session.invalid")
        try expectProblem(
            try await client.post("/v1/sessions/refresh", ["refreshToken": .string(member.refreshToken)], by: .nobody),
            "session.invalid")
    }

    private func reasons(_ company: String, _ client: Client) async throws -> [String] {
        try await client.events(company, "type=SessionClosed").compactMap { $0["data"]?["reason"]?.text }
    }

    @Test func `names the app and the secret in the log`() async throws {
        let world = try sharedWorld()
        let scene = try await Scene("named-app.example", world)
        let opened = try await world.client.events(scene.company, "type=SessionOpened").last?["data"]
        #expect(opened?["appId"]?.text == scene.app.appId.lowercased())
        #expect(opened?["secretId"]?.text == scene.secretId.uuidString.lowercased())
    }

    @Test(arguments: [false, true])
    func `is refused from the moment the app is unlinked, and the sweeper closes it`(isByOperator: Bool) async throws {
        let world = try sharedWorld(), client = try world.client
        let scene = try await Scene(isByOperator ? "unlinked-op.example" : "unlinked.example", world)
        #expect(try await client.get("/v1/me", by: scene.member.session).status == 200)
        if isByOperator {
            try await world.instance.commands.unlinkApp(try scene.appId, from: scene.company)
        } else {
            expectOutcome(
                try await client.signed(
                    by: scene.founder, "DELETE", client.path(scene.company, "/apps/\(scene.app.appId)")), "done")
        }
        try expectProblem(try await client.get("/v1/me", by: scene.member.session), "session.invalid")
        #expect(try await client.get("/v1/me", by: scene.founder.session).status == 200, "of another app")

        try await world.instance.closeEndedSessions()
        try await expectEnded(scene.member, client)
        #expect(try await reasons(scene.company, client) == ["appUnlinked"])
        try await world.instance.closeEndedSessions()
        #expect(try await reasons(scene.company, client) == ["appUnlinked"], "closed once")
    }

    @Test func `stays refused after the app is linked again, and a new session is valid`() async throws {
        let world = try sharedWorld(), client = try world.client
        let scene = try await Scene("relinked.example", world)
        for _ in 0..<2 {
            try await world.instance.commands.unlinkApp(try scene.appId, from: scene.company)
            try await world.linkApp(scene.app, to: scene.company)
        }
        try expectProblem(try await client.get("/v1/me", by: scene.member.session), "session.invalid")
        let again = try Member(
            scene.member.person, scene.member.device,
            try await client.by(scene.app).logIn(scene.member.person, scene.member.device))
        #expect(try await client.get("/v1/me", by: again.session).status == 200)
        try await world.instance.closeEndedSessions()
        #expect(try await client.get("/v1/me", by: again.session).status == 200)
        #expect(try await reasons(scene.company, client) == ["appUnlinked"])
        let listed = try await client.get("/v1/sessions", by: again.session)["items"]?.items ?? []
        #expect(listed.contains { $0["isCurrent"]?.flag == true })
        // A second time, of the new session too.
        try await world.instance.commands.unlinkApp(try scene.appId, from: scene.company)
        try expectProblem(try await client.get("/v1/me", by: again.session), "session.invalid")
    }

    @Test func `cannot be refreshed, and the refresh closes it with the reason`() async throws {
        let world = try sharedWorld(), client = try world.client
        let scene = try await Scene("unlinked-refresh.example", world)
        try await world.instance.commands.unlinkApp(try scene.appId, from: scene.company)
        try await expectEnded(scene.member, client)
        #expect(try await reasons(scene.company, client) == ["appUnlinked"])
    }

    @Test func `ends with the secret that opened it in every tenant, and with no other`() async throws {
        let world = try sharedWorld(), client = try world.client
        let scene = try await Scene("revoked-secret.example", world)
        let other = TestApp(
            appId: scene.app.appId, secret: try await world.issueSecret(for: scene.app, roles: ["ACCESS"]),
            salt: scene.app.salt)
        let kept = try Member(
            scene.member.person, scene.member.device,
            try await client.by(other).logIn(scene.member.person, scene.member.device))
        let elsewhere = try await client.by(scene.app).found("revoked-secret-elsewhere.example")

        try await world.instance.commands.revokeSecret(appId: try scene.appId, secretId: scene.secretId)
        for ended in [scene.member, elsewhere] {
            try expectProblem(try await client.get("/v1/me", by: ended.session), "session.invalid")
        }
        #expect(try await client.get("/v1/me", by: kept.session).status == 200)
        try await world.instance.closeEndedSessions()
        for ended in [scene.member, elsewhere] { try await expectEnded(ended, client) }
        #expect(try await reasons(scene.company, client) == ["secretRevoked"])
        #expect(try await client.get("/v1/me", by: kept.session).status == 200)
        #expect(
            try await client.post("/v1/sessions/refresh", ["refreshToken": .string(kept.refreshToken)], by: .nobody)
                .status == 200)
    }

    @Test func `continues after its secret is retired, which opens no further session`() async throws {
        let world = try sharedWorld(), client = try world.client
        let scene = try await Scene("retired-secret.example", world)
        try await world.instance.commands.retireSecret(appId: try scene.appId, secretId: scene.secretId)
        try expectProblem(try await client.by(scene.app).get(client.path(scene.company)), "app.secret_invalid")
        #expect(try await client.get("/v1/me", by: scene.member.session).status == 200)
        let refreshed = try await client.post(
            "/v1/sessions/refresh", ["refreshToken": .string(scene.member.refreshToken)], by: .nobody)
        #expect(refreshed.status == 200, "\(refreshed)")
        try await world.instance.closeEndedSessions()
        let token = try #require(refreshed["accessToken"]?.text)
        #expect(try await client.get("/v1/me", by: .session(token)).status == 200)
        #expect(try await reasons(scene.company, client).isEmpty)
        // Revoked after that, it ends them.
        try await world.instance.commands.revokeSecret(appId: try scene.appId, secretId: scene.secretId)
        try expectProblem(try await client.get("/v1/me", by: .session(token)), "session.invalid")
    }
}
