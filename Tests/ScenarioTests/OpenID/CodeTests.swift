import Canonical
import Crypto
import CryptoExtras
import Foundation
import IdentityService
import TenureAPI
import TenureServer
import Testing

/// Codes of the OpenID provider: bound, redeemed once, and worthless in any other hand.
@Suite(.onServer, .sharedWorld)
struct `An authorization code` {
    private func scene(
        _ company: String, changing change: (inout ClientEntry) -> Void = { _ in }
    ) async throws -> (party: RelyingParty, member: Member, cookie: String) {
        let world = try sharedWorld()
        let member = try await world.client.found(company)
        let party = try await RelyingParty.make(world, of: [company], changing: change)
        return (party, member, try await party.cookie(of: member))
    }

    private func expectInvalidGrant(_ reply: HTTPReply) {
        #expect(reply.status == 400 && reply["error"] == "invalid_grant", "\(reply)")
        #expect(reply["code"] == nil && reply.headers["cache-control"] == "no-store")
    }

    @Test func `oidcc-server gives an ID token that the published key verifies, and userinfo agrees`() async throws {
        let (party, member, cookie) = try await scene("code.example")
        let answer = try party.answer(try await party.authorize(cookie: cookie))
        #expect(answer["state"] == "st &te" && answer["iss"] != nil && answer["error"] == nil)
        let tokens = try GrantTokens(try await party.redeem(try #require(answer["code"])))
        let claims = try tokens.claims, me = try await party.world.client.get("/v1/me", by: member.session)
        #expect(claims["sub"] == me["employeeId"] && claims["tenant"] == me["tenantId"])
        #expect(claims["aud"]?.text == party.app.appId && claims["nonce"] == "n-1")
        #expect(claims["iss"]?.text == answer["iss"] && claims["sid"] == me["session"]?["sessionId"])
        #expect(claims["groups"] == ["securityAdmin"] && claims["preferred_username"] == "founder")
        #expect(claims["email"] == nil && claims["email_verified"] == nil, "the address is not verified")
        #expect(claims["auth_time"]?.number != nil && claims["amr"]?.items.first == "pop")
        let half = Array(SHA256.hash(data: Array(tokens.access.utf8)).prefix(16))
        #expect(claims["at_hash"]?.text == Base64URL.encode(half))

        let parts = tokens.id.split(separator: ".").map(String.init)
        let header = try StrictJSON.parse(try #require(Base64URL.decode(parts[0])))
        #expect(header["alg"] == "RS256" && header["typ"] == "JWT")
        let keys = try await party.world.client.get("/.well-known/jwks.json", by: .nobody)
        let jwk = try #require(keys["keys"]?.items.first { $0["kid"] == header["kid"] })
        let n = try #require(jwk["n"]?.text.flatMap(Base64URL.decode)),
            e = try #require(
                jwk["e"]?.text.flatMap(Base64URL.decode))
        let key = try _RSA.Signing.PublicKey(n: Data(n), e: Data(e))
        let signature = _RSA.Signing.RSASignature(rawRepresentation: try #require(Base64URL.decode(parts[2])))
        #expect(
            key.isValidSignature(
                signature, for: Array((parts[0] + "." + parts[1]).utf8), padding: .insecurePKCS1v1_5))

        let info = try await party.userInfo(tokens.access)
        #expect(info.status == 200 && info["sub"] == claims["sub"] && info["groups"] == claims["groups"])
    }

    @Test func `oidcc-codereuse is refused and ends the grant`() async throws {
        let (party, _, cookie) = try await scene("codereuse.example")
        let code = try await party.code(cookie: cookie)
        let tokens = try GrantTokens(try await party.redeem(code))
        #expect(try await party.userInfo(tokens.access).status == 200)
        expectInvalidGrant(try await party.redeem(code))
        #expect(try await party.userInfo(tokens.access).status == 401)
        expectInvalidGrant(try await party.refresh(tokens.refresh))
        expectInvalidGrant(try await party.redeem(code))
    }

    @Test func `is redeemed once of fifty times at once, and the later ones end the grant`() async throws {
        let (party, _, cookie) = try await scene("coderace.example")
        let code = try await party.code(cookie: cookie)
        let replies = try await concurrently(50) { _ in try await party.redeem(code) }
        #expect(replies.count { $0.status == 200 } == 1)
        #expect(replies.allSatisfy { $0.status == 200 || $0["error"] == "invalid_grant" })
        let tokens = try GrantTokens(try #require(replies.first { $0.status == 200 }))
        #expect(try await party.userInfo(tokens.access).status == 401)
    }

    @Test func `is worthless to another client, and dead after it was tried`() async throws {
        let (party, _, cookie) = try await scene("codeclient.example")
        let thief = try await RelyingParty.make(party.world, of: ["codeclient.example"])
        let code = try await party.code(cookie: cookie)
        expectInvalidGrant(try await thief.redeem(code, verifier: party.verifier))
        expectInvalidGrant(try await party.redeem(code))
    }

    @Test func `is dead after a redemption with another redirect URI or verifier`() async throws {
        let (party, _, cookie) = try await scene("codeverifier.example")
        let first = try await party.code(cookie: cookie), second = try await party.code(cookie: cookie)
        expectInvalidGrant(try await party.redeem(first, verifier: String(repeating: "a", count: 43)))
        expectInvalidGrant(try await party.redeem(first))
        expectInvalidGrant(try await party.redeem(second, redirect: RelyingParty.redirect + "/"))
        expectInvalidGrant(try await party.redeem(second))
        for text in ["", "x", String(repeating: "A", count: 86)] {
            let reply = try await party.redeem(text)
            #expect(reply.status == 400 && ["invalid_grant", "invalid_request"].contains(reply["error"]?.text))
        }
    }

    @Test func `expires after sixty seconds, and ends with the session, the link or the person`() async throws {
        let (party, member, cookie) = try await scene("codeends.example")
        let late = try await party.code(cookie: cookie)
        let client = try #require(UUID(uuidString: party.app.appId))
        let secret = try await party.world.service.run(
            AuthenticateClient(clientID: party.app.appId, secret: party.app.secret), Call(requestId: "x"))
        let redeem = RedeemCode(
            client: try #require(secret), code: late, redirect: RelyingParty.redirect, verifier: party.verifier)
        let answer = try await party.world.service.run(
            redeem, Call(requestId: "late", time: Timestamp.now().adding(.seconds(61))))
        guard case .refused(let refusal) = answer else {
            Issue.record("a code was redeemed after its end")
            return
        }
        #expect(refusal.error == "invalid_grant")

        let unlinked = try await party.code(cookie: cookie)
        try await party.world.instance.commands.unlinkApp(client, from: "codeends.example")
        expectInvalidGrant(try await party.redeem(unlinked))
        try await party.world.linkApp(party.app, to: "codeends.example")

        let ended = try await party.code(cookie: cookie)
        let out = try await party.world.client.send(
            HTTPRequest("DELETE", "/v1/sessions/current", by: member.session))
        #expect(out.status == 204, "\(out)")
        expectInvalidGrant(try await party.redeem(ended))
        let again = try await party.authorize(["prompt": "none"], cookie: cookie)
        #expect(try party.answer(again)["error"] == "login_required")
    }

    @Test func `is for a client that authenticates, in one way`() async throws {
        let (party, _, cookie) = try await scene("codeauth.example")
        let code = try await party.code(cookie: cookie)
        let stranger = UUID().uuidString.lowercased()
        for (caller, id) in [
            (Caller.nobody, party.app.appId), (.raw("Basic x"), party.app.appId),
            (.app(TestApp(appId: party.app.appId, secret: "wrong", salt: "")), party.app.appId),
            (.app(TestApp(appId: stranger, secret: party.app.secret, salt: "")), stranger),
        ] {
            let reply = try await party.redeem(code, by: caller, adding: [("client_id", id)])
            #expect(reply.status == 401 && reply["error"] == "invalid_client", "\(reply)")
            #expect(reply.headers["www-authenticate"]?.hasPrefix("Basic") == true)
        }
        let two = try await party.redeem(code, adding: [("client_secret", party.app.secret)])
        #expect(two.status == 400 && two["error"] == "invalid_request")
        let none = try await party.redeem(code, by: .nobody)
        #expect(none.status == 400 && none["error"] == "invalid_request")
        // oidcc-server-client-secret-post. No failed authentication touched the code.
        let posted = try await party.redeem(
            code, by: .nobody, adding: [("client_id", party.app.appId), ("client_secret", party.app.secret)])
        #expect(posted.status == 200, "\(posted)")
    }
}
