import Canonical
import Foundation
import IdentityService
import Postgres
import TestSupport
import TenureServer
import Testing

/// Redemptions that something ends between the code and the reply: nothing is doubled and nothing is lost.
@Suite(.onOneServer)
struct `A redemption that is cut off` {
    private func withScene(
        _ body: (_ party: RelyingParty, _ cookie: String) async throws -> Void
    ) async throws {
        try await inTurn { world in
            let member = try await world.client.found("cut.example")
            let party = try await RelyingParty.make(world, of: ["cut.example"])
            try await body(party, try await party.cookie(of: member))
        }
    }

    private func expect(
        opened: Int, closed: Int, _ world: TenureWorld, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let events = (try await world.count("GrantOpened"), try await world.count("GrantClosed"))
        let rows = try await world.number("SELECT count(*) FROM tenure.client_grant")
        #expect(events == (opened, closed) && rows == Int64(opened - closed), sourceLocation: sourceLocation)
    }

    @Test func `before its commit writes nothing, and the code still opens one grant`() async throws {
        try await withScene { party, cookie in
            let world = party.world, code = try await party.code(cookie: cookie)
            try await world.superuser { connection in
                try await connection.executeScript(
                    """
                    CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS
                        $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = 'disk_full'; END $$;
                    CREATE TRIGGER refuse BEFORE INSERT ON tenure.client_grant FOR EACH ROW
                        EXECUTE FUNCTION public.refuse();
                    """)
            }
            let failed = try await party.redeem(code)
            #expect(failed.status != 200, "\(failed)")
            try await expect(opened: 0, closed: 0, world)
            try await world.superuser { connection in
                try await connection.executeScript("DROP FUNCTION public.refuse() CASCADE")
            }
            let tokens = try GrantTokens(try await party.redeem(code))
            #expect(try await party.userInfo(tokens.access).status == 200)
            try await expect(opened: 1, closed: 0, world)
        }
    }

    @Test func `after its commit is a second use, and the client begins again in silence`() async throws {
        try await withScene { party, cookie in
            let world = party.world, code = try await party.code(cookie: cookie)
            let text = [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", RelyingParty.redirect),
                ("code_verifier", party.verifier),
            ].map { "\($0.0)=\(segment($0.1))" }.joined(separator: "&")
            let request = HTTPRequest("POST", "/oauth/token", by: .app(party.app))
                .with("Content-Type", "application/x-www-form-urlencoded").with(body: text)
            try await world.client.lose(request, cut: .whenReplyArrives)
            try await world.until { try await world.count("GrantOpened") == 1 }
            #expect(try await party.redeem(code)["error"] == "invalid_grant")
            try await expect(opened: 1, closed: 1, world)
            let answer = try party.answer(try await party.authorize(["prompt": "none"], cookie: cookie))
            let tokens = try GrantTokens(try await party.redeem(try #require(answer["code"])))
            #expect(try await party.userInfo(tokens.access).status == 200)
            try await expect(opened: 2, closed: 1, world)
        }
    }

    @Test func `between code and token by the end of the service, goes on at another instance`() async throws {
        try await withScene { party, cookie in
            let world = party.world
            try await ServiceProcess.with(1, in: world) { processes in
                let query = party.parameters().map { "\(segment($0.0))=\(segment($0.1))" }.joined(separator: "&")
                let authorized = try await processes[0].client.send(
                    HTTPRequest("GET", "/authorize?" + query).with("Cookie", "tenure=\(cookie)"))
                let code = try #require(try party.answer(authorized)["code"])
                processes[0].kill()
                let next = try await processes[0].replaced()
                let fields = [
                    ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", RelyingParty.redirect),
                    ("code_verifier", party.verifier),
                ]
                let tokens = try GrantTokens(try await next.client.form("/oauth/token", fields, by: .app(party.app)))
                #expect(try await party.userInfo(tokens.access).status == 200)
                #expect(try await next.client.get("/oauth/userinfo", by: .session(tokens.access)).status == 200)
            }
        }
    }

    @Test func `refresh that is lost is repeated by its idempotency key, and rotates once`() async throws {
        try await withScene { party, cookie in
            let world = party.world, first = try await party.tokens(cookie: cookie)
            let request = HTTPRequest("POST", "/oauth/token", by: .app(party.app))
                .with("Content-Type", "application/x-www-form-urlencoded").with("Idempotency-Key", "lost")
                .with(body: "grant_type=refresh_token&refresh_token=\(first.refresh)")
            try await world.client.lose(request, cut: .whenReplyArrives)
            let second = try GrantTokens(try await world.client.send(request))
            #expect(try await party.userInfo(second.access).status == 200)
            let counter = try await world.number("SELECT refresh_counter FROM tenure.client_grant")
            #expect(counter == 1)
        }
    }
}
