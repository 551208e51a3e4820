import Foundation
import IdentityService
import TenureAPI
import Testing

/// What the access line says of requests that are refused, and of what strangers are told nothing about.
@Suite(.onServer, .sharedWorld { $0.servesPages = true })
struct `The access line` {
    private func scene(_ company: String) async throws -> (party: RelyingParty, member: Member, cookie: String) {
        let world = try sharedWorld(), member = try await world.client.found(company)
        let party = try await RelyingParty.make(world, of: [company])
        return (party, member, try await party.cookie(of: member))
    }

    /// The fields of the line about the request of a reply.
    private func line(_ reply: HTTPReply) throws -> [String: String] {
        let id = try #require(reply.headers["x-request-id"])
        let lines = try sharedWorld().logs.filter { $0.hasPrefix("info request ") && $0.contains("request_id=\(id)") }
        let line = try #require(lines.first, "the request has no line")
        return Dictionary(
            line.split(separator: " ").compactMap { part in
                let pair = part.split(separator: "=", maxSplits: 1)
                return pair.count == 2 ? (String(pair[0]), String(pair[1])) : nil
            }, uniquingKeysWith: { $1 })
    }

    private func expect(
        _ reply: HTTPReply, _ code: String?, _ cause: String?, client: String?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let line = try line(reply)
        let found = [line["code"], line["cause"], line["client"]]
        #expect(found == [code, cause, client?.lowercased()], "\(line)", sourceLocation: sourceLocation)
    }

    @Test func `tells each cause of invalid_grant, and the client is told one sentence`() async throws {
        let (party, member, cookie) = try await scene("cause-grant.example")
        let thief = try await RelyingParty.make(party.world, of: ["cause-grant.example"])
        let client = party.app.appId
        func code() async throws -> String { try await party.code(cookie: cookie) }
        let spoilt = try await code(), used = try await code(), slash = RelyingParty.redirect + "/"
        let replies: [(HTTPReply, cause: String, client: String)] = [
            (try await party.redeem(spoilt, verifier: String(repeating: "a", count: 43)), "verifier_wrong", client),
            (try await party.redeem(spoilt), "code_spoilt", client),
            (try await party.redeem(try await code(), redirect: slash), "redirect_differs", client),
            (try await thief.redeem(try await code(), verifier: party.verifier), "client_differs", thief.app.appId),
            (try await party.redeem("x"), "code_unknown", client),
            (try await party.redeem(used), "", client), (try await party.redeem(used), "code_reused", client),
            (try await party.refresh("x"), "token_unknown", client),
        ]
        var sentences: Set<String> = []
        for (reply, cause, client) in replies {
            try expect(
                reply, cause.isEmpty ? nil : "invalid_grant", cause.isEmpty ? nil : cause, client: client)
            if !cause.isEmpty { sentences.insert(String(decoding: reply.body, as: UTF8.self)) }
        }
        #expect(sentences.count == 1)

        let tokens = try await party.tokens(cookie: cookie)
        try expect(try await thief.refresh(tokens.refresh), "invalid_grant", "client_differs", client: thief.app.appId)
        try await party.world.instance.commands.unlinkApp(
            try #require(UUID(uuidString: client)), from: member.person.company)
        let ended = try await party.refresh(tokens.refresh)
        try expect(ended, "invalid_grant", "grant_ended", client: client)
        #expect(sentences.contains(String(decoding: ended.body, as: UTF8.self)))
    }

    @Test func `names a registered client only, and never what a stranger sent`() async throws {
        let (party, _, cookie) = try await scene("cause-client.example")
        let client = party.app.appId
        func redeem(id: String, secret: String) async throws -> HTTPReply {
            try await party.redeem("x", by: .app(TestApp(appId: id, secret: secret, salt: "")))
        }
        try expect(try await redeem(id: client, secret: "x"), "invalid_client", "secret_wrong", client: client)
        let nobody = UUID().uuidString.lowercased(), unknown = try await redeem(id: nobody, secret: "x")
        try expect(unknown, "invalid_client", "client_unknown", client: nil)
        #expect(try line(unknown)["unknown_client"] == nobody)
        try expect(
            try await redeem(id: "evil+client%3Dx", secret: "x"), "invalid_client", "client_malformed", client: nil)

        let wrong: [([String: String?], cause: String, client: String?)] = [
            (["client_id": nil], "client_missing", nil), (["client_id": "evil"], "client_malformed", nil),
            (["client_id": nobody], "client_unknown", nil), (["redirect_uri": nil], "redirect_missing", client),
            (["redirect_uri": "https://evil.example/"], "redirect_unregistered", client),
            (["response_type": "token"], "response_type", client), (["scope": "email"], "scope_missing", client),
            (["code_challenge": "x"], "challenge_malformed", client), (["max_age": "x"], "max_age", client),
            (["id_token_hint": "x"], "hint_invalid", client),
        ]
        for (changes, cause, client) in wrong {
            let reply = try await party.authorize(changes, cookie: cookie), line = try line(reply)
            #expect(line["cause"] == cause && line["client"] == client?.lowercased() && line["code"] != nil, "\(line)")
        }
        let silent = try await party.authorize(["prompt": "none"], cookie: nil)
        try expect(silent, "login_required", "not_logged_in", client: client)
        #expect(try !sharedWorld().logs.contains { $0.contains("evil") })
    }

    @Test func `tells why a client does not take an account, and its page tells the person`() async throws {
        let world = try sharedWorld(), here = "cause-here.example", there = "cause-there.example"
        _ = try await world.instance.commands.enablePages()
        _ = try await world.client.found(there)
        let (linked, _, cookie) = try await scene(here)
        let takesOther = try await RelyingParty.make(world, of: [there], linkedTo: [here])
        let unlinked = try await RelyingParty.make(world, of: [here], linkedTo: [])
        let powerless = try await RelyingParty.make(world, of: [here], linkedTo: [])
        _ = try await world.instance.commands.linkApp(
            try #require(UUID(uuidString: powerless.app.appId)), to: here, roles: [.creation])
        let cases: [(RelyingParty, [String: String?], cause: String, words: String)] = [
            (takesOther, [:], "company_not_taken", "takes no accounts of your company"),
            (unlinked, [:], "company_not_linked", "has not linked"),
            (powerless, [:], "link_without_access", "the role ACCESS"),
            (linked, ["tenant": there], "other_company", "asked for an account of another company"),
        ]
        for (party, changes, cause, words) in cases {
            let silent = try await party.authorize(
                changes.merging(["prompt": "none"]) { $1 }, cookie: cookie)
            try expect(silent, "account_selection_required", cause, client: party.app.appId)
            let asked = try await party.authorize(changes, cookie: cookie)
            try expect(asked, nil, cause, client: party.app.appId)
            let location = try #require(asked.headers["location"]), set = try #require(asked.headers["set-cookie"])
            let flow = String(set.prefix { $0 != ";" })
            let page = try await world.client.send(
                HTTPRequest("GET", location).with("Cookie", "tenure=\(cookie); \(flow)"))
            #expect(String(decoding: page.body, as: UTF8.self).contains(words), "\(page)")
            let line = try line(page)
            #expect(line["cause"] == cause && line["caller"] == "pages", "\(line)")
        }
        #expect(try await linked.code(cookie: cookie) != "")
    }

    @Test func `has the caller and the reason of a log-in that is refused, and no name`() async throws {
        let world = try sharedWorld(), company = "cause-login.example"
        let member = try await world.client.found(company)
        try await world.linkPages(to: company)
        var wrong = member.person
        wrong.passphrase = "wrong \(Person.word())"
        let api = try line(try await world.client.logIn(wrong, member.device))
        #expect(api["caller"] == "app:" + world.app.appId.lowercased() && api["code"] == "passphrase.incorrect")
        #expect(api["login"] == "refused" && api["cause"] == nil, "\(api)")
        let browser = PageClient(try world.client)
        let page = try await browser.answer(try await browser.beginLogIn(member.person, member.device), wrong)
        let line = try line(page.reply)
        #expect(line["caller"] == "pages" && line["code"] == "passphrase.incorrect" && line["login"] == "refused")

        // A company that does not link the app and one that does not exist are one.
        let other = try await world.makeApp(name: "cause app")
        for name in [company, "cause-nowhere.example"] {
            var stranger = member.person
            stranger.company = name
            let start = try await world.client.post(
                "/v1/logins", stranger.login(member.device), by: .app(other))
            #expect(try self.line(start)["cause"] == "company_unknown_or_not_linked", "\(start)")
        }
        var refused = world.app
        refused.secret = "x"
        let secret = try self.line(
            try await world.client.post("/v1/logins", member.person.login(member.device), by: .app(refused)))
        #expect(secret["caller"] == nil && secret["presented_app"] == refused.appId.lowercased())
        #expect(secret["code"] == "app.secret_invalid")
        #expect(!world.logs.contains { $0.contains("cause-nowhere") || $0.contains("cause-login") })
    }
}
