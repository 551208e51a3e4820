import Canonical
import Foundation
import IdentityService
import Ledger
import Postgres
import TenureServer
import TestSupport
import Testing

/// When a client of the OpenID provider needs a challenge (RFC 7636).
@Suite(.onServer, .sharedWorld)
struct `A challenge of a client` {
    private func scene(
        _ company: String, changing change: (inout ClientEntry) -> Void = { _ in }
    ) async throws -> (party: RelyingParty, plain: RelyingParty, cookie: String) {
        let world = try sharedWorld()
        let member = try await world.client.found(company)
        let party = try await RelyingParty.make(world, of: [company], changing: change)
        var plain = party
        plain.usesPKCE = false
        return (party, plain, try await party.cookie(of: member))
    }

    private func events(_ world: TenureWorld, of app: String) async throws -> Int64 {
        let id = try #require(UUID(uuidString: app))
        return try await world.number(
            "SELECT count(*) FROM tenure.event WHERE stream_id = \(id) AND type = 'AppChallengeAnswered'")
    }

    @Test func `is no condition for a client with a secret, which redeems its code without a verifier`() async throws {
        let (_, plain, cookie) = try await scene("plain.example")
        let tokens = try await plain.tokens(cookie: cookie)
        #expect(try await plain.userInfo(tokens.access).status == 200)
        #expect(try GrantTokens(try await plain.refresh(tokens.refresh)).scope == tokens.scope)
        #expect(try await events(plain.world, of: plain.app.appId) == 0)
    }

    @Test func `that an attacker removed shows in the verifier, and makes the code worthless`() async throws {
        let (party, plain, cookie) = try await scene("removed.example")
        let code = try await plain.code(cookie: cookie)
        #expect(try await plain.redeem(code, verifier: party.verifier)["error"] == "invalid_grant")
        #expect(try await plain.redeem(code)["error"] == "invalid_grant", "the code is dead")
    }

    @Test func `that was sent is answered, or the code is worthless`() async throws {
        let (party, plain, cookie) = try await scene("unanswered.example")
        let code = try await party.code(cookie: cookie)
        #expect(try await plain.redeem(code)["error"] == "invalid_grant")
        #expect(try await party.redeem(code)["error"] == "invalid_grant", "the code is dead")
        let refused = try party.answer(try await party.authorize(["code_challenge_method": "plain"], cookie: cookie))
        #expect(refused["error"] == "invalid_request")
    }

    @Test func `is needed from the first redemption with one on, at every process`() async throws {
        let (party, plain, cookie) = try await scene("kept.example"), world = party.world
        let before = try await plain.code(cookie: cookie)
        let first = try await party.tokens(cookie: cookie), second = try await party.tokens(cookie: cookie)
        #expect(first.id != second.id)
        #expect(try await events(world, of: party.app.appId) == 1, "one event, however many log in")
        #expect(try await plain.redeem(before)["error"] == "invalid_grant", "a code from before")
        let answer = try plain.answer(try await plain.authorize(cookie: cookie))
        #expect(answer["error"] == "invalid_request" && answer["state"] == "st &te", "\(answer)")
        let query = plain.parameters().map { "\(segment($0.0))=\(segment($0.1))" }.joined(separator: "&")
        try await world.withSecondInstance { url in
            let request = HTTPRequest("GET", "/authorize?\(query)").with("Cookie", "tenure=\(cookie)")
            let reply = try await Client(url, party.app).send(request)
            #expect(try plain.answer(reply)["error"] == "invalid_request")
        }
        let listed = try await world.instance.commands.apps().first { $0.appId.lowercased == party.app.appId }
        #expect(listed?.client?.pkce == "required")
    }

    @Test func `is needed by nobody's word but that of the client, and until the operator sets it free`() async throws {
        let (party, plain, cookie) = try await scene("freed.example"), world = party.world
        // A stranger begins a log-in with a challenge, and presents the code without the secret or with another verifier.
        let stolen = try await party.code(cookie: cookie), other = try await party.code(cookie: cookie)
        #expect(try await party.redeem(stolen, by: .nobody, adding: [("client_id", party.app.appId)]).status == 401)
        #expect(
            try await party.redeem(other, verifier: String(repeating: "a", count: 43))["error"] == "invalid_grant")
        #expect(try await plain.tokens(cookie: cookie).scope.isEmpty == false)
        _ = try await party.tokens(cookie: cookie)
        #expect(try plain.answer(try await plain.authorize(cookie: cookie))["error"] == "invalid_request")

        let client = try #require(UUID(uuidString: party.app.appId))
        let entry = ClientEntry(
            redirects: [RelyingParty.redirect], postLogout: [RelyingParty.bye], tenants: ["freed.example"])
        #expect(try await world.instance.commands.changeClient(appId: client, entry), "the same registration again")
        _ = try await plain.tokens(cookie: cookie)
        _ = try await party.tokens(cookie: cookie)
        #expect(try await events(world, of: party.app.appId) == 2)
        let report = try await world.database.withPool(as: .reader, maximumConnections: 8) { pool in
            try await VerifyLog(
                pool: pool, request: VerifyRequest(key: try await world.logKey(), ledger: .system)
            ).run()
        }
        #expect(report.violations == [], "\(report.violations)")
    }

    @Test(arguments: [true, false]) func `is needed where the operator says so, and without a secret`(
        isPublic: Bool
    ) async throws {
        let (party, plain, cookie) = try await scene("required-\(isPublic).example") {
            $0.isPublic = isPublic
            if !isPublic { $0.pkce = "required" }
        }
        #expect(try plain.answer(try await plain.authorize(cookie: cookie))["error"] == "invalid_request")
        let code = try await party.code(cookie: cookie)
        let reply = try await party.redeem(
            code, by: isPublic ? .nobody : nil, adding: isPublic ? [("client_id", party.app.appId)] : [])
        #expect(reply.status == 200, "\(reply)")
        #expect(try await events(party.world, of: party.app.appId) == 0, "there is nothing to note")
    }
}
