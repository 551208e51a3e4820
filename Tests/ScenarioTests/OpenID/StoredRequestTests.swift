import Canonical
import IdentityService
import Postgres
import TenureServer
import Testing

/// How many requests browsers of one network may leave behind.
@Suite(.onServer)
struct `Stored authorization requests` {
    @Test func `are bounded for each network, however they come`() async throws {
        var options = WorldOptions()
        options.settings.unknownAttempts = RateLimit(perSecond: 0.001, burst: 4)
        try await inTurn(options) { world in
            _ = try await world.client.found("bounded.example")
            let party = try await RelyingParty.make(world, of: ["bounded.example"])
            func post() async throws -> HTTPReply {
                try await party.browse("/authorize", party.parameters(), cookie: nil, method: "POST")
            }
            for _ in 0..<4 {
                #expect(try await post().status == 303)
                #expect(try await party.authorize(cookie: nil).status == 303)
            }
            let refused = [try await post(), try await party.authorize(cookie: nil)]
            #expect(refused.map(\.status) == [429, 429] && refused.allSatisfy { $0.headers["retry-after"] != nil })
            #expect(try await world.number("SELECT count(*) FROM tenure.authorization_request") == 8)
            // Nobody who wants to log out is held up.
            let cookie = try await world.cookie(of: try await world.client.found("held-up.example").accessToken)
            let out = try await party.browse("/logout", [], cookie: cookie)
            #expect(out.status == 303 && out.headers["location"]?.hasPrefix("/logout/confirm/") == true, "\(out)")
            // What is not stored costs nothing, and another network has its own.
            let silent = try party.answer(try await party.authorize(["prompt": "none"], cookie: nil))
            #expect(silent["error"] == "login_required")
            let other = Authorize(
                party.parameters().map { (name: $0.0, value: $0.1) }, cookie: nil, isPost: true)
            let answer = try await world.service.run(other, Call(requestId: "other", sourceAddress: "198.51.100.7"))
            guard case .again = answer else {
                Issue.record("another network is refused")
                return
            }
        }
    }
}
