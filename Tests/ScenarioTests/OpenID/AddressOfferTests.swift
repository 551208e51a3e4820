import Canonical
import Foundation
import IdentityService
import TenureAPI
import TestSupport
import Testing

/// A client asks for the scope `email`, and the address is not confirmed yet.
@Suite(.onServer)
struct `An address that a client asks for` {
    /// The offer after a log-in for a client, with the browser and the client.
    private func offer(
        _ scene: WaitingScene, _ changes: [String: String?] = [:]
    ) async throws -> (page: Page, browser: PageClient, party: RelyingParty) {
        let party = try await RelyingParty.make(scene.world, of: [scene.company]), browser = PageClient(scene.client)
        let flow = try await browser.ask(party, changes)
        let done = try await browser.logIn(scene.member.person, scene.member.device, request: flow)
        return (try await browser.follow(done), browser, party)
    }

    private func claims(_ page: Page, _ party: RelyingParty) async throws -> JSONValue {
        let code = try #require(try party.answer(page.reply)["code"], "\(page)")
        return try GrantTokens(try await party.redeem(code)).claims
    }

    @Test func `is confirmed by one mail, and the log-in goes on with it`() async throws {
        try await WaitingScene.with("offer-mail.example", verified: false) { scene in
            let (page, browser, party) = try await offer(scene)
            #expect(page.text.contains("asks for your e-mail address"), "\(page)")
            let mails = scene.mailbox.copies.count
            let sent = try await browser.submit(try page.form("/address"), ["answer": "mail"])
            let mailed = try await browser.follow(sent)
            #expect(mailed.text.contains("A mail is on its way"), "\(mailed)")
            let early = try await browser.press("/answer", in: mailed)
            #expect(early.text.contains("asks for your e-mail address"), "it is not confirmed yet")
            scene.clock.pass(.seconds(60))
            let before = scene.clock.now.microseconds / 1_000_000
            try await scene.verify(scene.member)
            #expect(scene.mailbox.copies.count > mails)
            let claims = try await claims(try await browser.press("/answer", in: mailed), party)
            #expect(claims["email"]?.text == scene.member.person.email && claims["email_verified"] == true)
            #expect(try #require(claims["updated_at"]?.number) >= before, "the confirmation changed a claim")
            // The next log-in has no page more.
            let (again, _, other) = try await offer(scene)
            #expect(try other.answer(again.reply)["code"] != nil)
        }
    }

    @Test func `is left out by whoever goes on without, and asked for once`() async throws {
        try await WaitingScene.with("offer-without.example", verified: false) { scene in
            let (page, browser, party) = try await offer(scene)
            let done = try await browser.submit(try page.form("/address"), ["answer": "without"])
            let claims = try await claims(done, party)
            #expect(claims["email"] == nil && claims["email_verified"] == nil)
            let registered = try #require(claims["updated_at"]?.number)
            #expect(registered <= scene.clock.now.microseconds / 1_000_000)
            // A log-in that shows no page shows none for the address.
            let cookie = try #require(browser.cookies["tenure"])
            #expect(try party.answer(try await party.authorize(cookie: cookie))["code"] != nil)
            #expect(try party.answer(try await party.authorize(["prompt": "none"], cookie: cookie))["code"] != nil)
        }
    }

    @Test func `is not asked for by a client without the scope, nor where no mail can be sent`() async throws {
        try await WaitingScene.with("offer-scope.example", verified: false) { scene in
            let (page, _, party) = try await offer(scene, ["scope": "openid profile"])
            let claims = try await claims(page, party)
            #expect(claims["email"] == nil && claims["updated_at"]?.number != nil)
        }
        try await WaitingScene.with("offer-none.example", verified: false, mails: false) { scene in
            let (page, _, party) = try await offer(scene)
            #expect(try party.answer(page.reply)["code"] != nil, "\(page)")
        }
    }
}
