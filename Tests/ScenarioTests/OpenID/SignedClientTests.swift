import Canonical
import Foundation
import Postgres
import TestSupport
import Testing

/// A process that has the key of the codes but not that of the operator changes where a client's codes go.
@Suite(.onServer)
struct `A client that the operator did not sign` {
    @Test func `gets no code, and no page sends anybody to it`() async throws {
        try await inTurn { world in
            let founder = try await world.client.found("unsigned-client.example")
            let party = try await RelyingParty.make(world, of: ["unsigned-client.example"])
            let other = try await RelyingParty.make(world, of: ["unsigned-client.example"])
            let cookie = try await party.cookie(of: founder)
            let kept = try await party.tokens(cookie: cookie)
            let id = try #require(UUID(uuidString: party.app.appId))
            // Whoever changes the log under a running service finds the old event in no cache.
            let changed = try await world.rewrite(
                """
                UPDATE tenure.event SET entry = convert_to(
                    replace(convert_from(entry, 'UTF8'), 'app.example.com', 'app.evil.example'), 'UTF8')
                WHERE type = 'AppClientChanged' AND stream_id = \(id)
                """)
            #expect(changed == 1)
            let evil = "https://app.evil.example/callback"
            let reply = try await party.authorize(["redirect_uri": evil], cookie: cookie)
            #expect(reply.status != 303 && Page(reply: reply).refresh == nil, "\(reply)")
            #expect(!String(decoding: reply.body, as: UTF8.self).contains("code="))
            #expect(try await party.authorize(cookie: cookie).status != 303)
            #expect(try await party.refresh(kept.refresh)["error"] == "invalid_client")
            // Other clients go on.
            _ = try await other.tokens(cookie: cookie)
        }
    }
}
