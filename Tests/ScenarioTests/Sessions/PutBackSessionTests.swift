import Canonical
import Foundation
import IdentityService
import Postgres
import TenureAPI
import TenureServer
import Testing

/// A row has a right code for ever, so somebody who writes the database can put back what an end deleted. The log
/// decides, on the pages too.
@Suite(.onServer, .sharedWorld)
struct `A session row that somebody puts back` {
    /// What ended the session.
    enum Ending: String, CaseIterable {
        case change, byAdmin, logOut, keyRevoked, cancelled, unlinked, secretRevoked
    }

    /// A member who is logged in in a browser by an app of their own, and a client.
    private struct Scene {
        let world: TenureWorld, party: RelyingParty, founder: Member, member: Member, cookie: String
        let app: TestApp, secret: UUID, company: String
        private let table: String

        init(_ company: String) async throws {
            world = try sharedWorld()
            self.company = company
            founder = try await world.client.found(company)
            let joined = try await world.client.join(Person("second", at: company))
            let made = try await world.makeApp(name: company), id = try #require(UUID(uuidString: made.appId))
            let issued = try await world.instance.commands.issueSecret(
                appId: id, roles: Set(AppLinkRequest.Role.allCases))
            secret = issued.secretId
            app = TestApp(appId: made.appId, secret: issued.secret, salt: made.salt)
            try await world.linkApp(app, to: company)
            member = try Member(
                joined.person, joined.device,
                try await world.client.by(app).logIn(joined.person, joined.device))
            party = try await RelyingParty.make(world, of: [company])
            cookie = try await party.cookie(of: member)
            table = "public.kept_" + company.filter(\.isLetter)
        }

        /// Keeps the rows of the session, as a dump of the database has them.
        func keep() async throws {
            let id = try #require(Base64URL.decode(member.refreshToken))[16..<32]
            let session = try #require(UUID(bytes: Array(id)))
            for (suffix, name) in [("s", "session"), ("b", "browser_session")] {
                try await run(
                    "CREATE TABLE \(table)_\(suffix) AS SELECT * FROM tenure.\(name) WHERE session_id = '\(session)'")
            }
        }

        /// Puts the rows back, and takes away what ended sessions of the app.
        func putBack() async throws {
            try await run("DELETE FROM tenure.session_cutoff WHERE subject IN ('\(app.appId)', '\(secret)')")
            try await run("INSERT INTO tenure.session SELECT * FROM \(table)_s ON CONFLICT DO NOTHING")
            try await run("INSERT INTO tenure.browser_session SELECT * FROM \(table)_b ON CONFLICT DO NOTHING")
        }

        private func run(_ script: String) async throws {
            try await world.superuser { try await $0.executeScript(script) }
        }

        func end(_ ending: Ending) async throws {
            let client = try world.client, person = member.person
            func signed(_ path: String, _ method: String = "POST", _ body: [String: JSONValue] = [:]) async throws {
                expectOutcome(try await client.signed(by: founder, method, path, body), "done")
            }
            switch ending {
            case .change:
                var new = person
                new.passphrase = "another passphrase of \(company)"
                expectOutcome(try await client.change(person, to: new, member.device), "success")
            case .byAdmin: try await signed(client.path(person, "/sessions/end"))
            case .logOut:
                let out = try await client.send(HTTPRequest("DELETE", "/v1/sessions/current", by: member.session))
                #expect(out.status == 204)
            case .keyRevoked:
                try await signed(
                    client.path(person, "/keys/\(member.device.fingerprint)/revocation"), "POST", ["reason": "lost"])
            case .cancelled: try await signed(client.path(person, "/cancellation"))
            case .unlinked:
                try await signed(client.path(company, "/apps/\(app.appId)"), "DELETE")
                // Linking again revives nothing.
                try await world.linkApp(app, to: company)
            case .secretRevoked:
                try await world.instance.commands.revokeSecret(
                    appId: try #require(UUID(uuidString: app.appId)), secretId: secret)
            }
        }
    }

    @Test(arguments: Ending.allCases)
    func `opens no page, gives no code and no token`(_ ending: Ending) async throws {
        let scene = try await Scene("back-\(ending.rawValue.lowercased()).example"), party = scene.party
        let tokens = try await party.tokens(cookie: scene.cookie)
        let code = try await party.code(cookie: scene.cookie)
        try await scene.keep()
        try await scene.putBack()
        #expect(try await found(scene) != nil, "before the end")
        try await scene.end(ending)
        try await scene.putBack()
        #expect(try await found(scene) == nil)
        let silent = try party.answer(try await party.authorize(["prompt": "none"], cookie: scene.cookie))
        #expect(silent["code"] == nil, "\(silent)")
        #expect(try await party.redeem(code)["access_token"] == nil)
        #expect(try await party.userInfo(tokens.access).status == 401)
        let refreshed = try await scene.world.client.post(
            "/v1/sessions/refresh", ["refreshToken": .string(scene.member.refreshToken)], by: .nobody)
        #expect(refreshed.status == 401, "\(refreshed)")
    }

    private func found(_ scene: Scene) async throws -> BrowserSession? {
        try await scene.world.service.run(FindBrowserSession(cookie: scene.cookie), Call(requestId: "page"))
    }
}
