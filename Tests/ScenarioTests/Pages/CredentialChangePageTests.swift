import Canonical
import Foundation
import IdentityService
import TenureAPI
import TestSupport
import Testing

/// Credentials changed on the account page, as a browser does it.
@Suite(.onServer, .sharedWorld { $0.servesPages = true })
struct `Credentials changed in a browser` {
    private func member(_ company: String, _ person: Person) async throws -> (Client, Member, PageClient) {
        let world = try sharedWorld(), client = try world.client
        _ = try await client.found(company)
        try await world.linkPages(to: company)
        let member = try await client.join(person)
        let browser = PageClient(client)
        let done = try await browser.logIn(member.person, member.device)
        try #require(done.location == "/account", "\(done)")
        return (client, member, browser)
    }

    /// The page that asks for the old secret and the new one.
    private func begin(_ member: Member, _ browser: PageClient) async throws -> Page {
        let page = try await browser.open("/account/credentials")
        let begun = try await browser.submit(try page.form("/account/credentials"))
        let asked = try await browser.prove(try await browser.follow(begun), member.device)
        try #require(asked.title == "Change your answers or your passphrase", "\(asked)")
        return asked
    }

    /// The fields of the secret in force.
    private func secret(_ person: Person, _ page: Page) -> [String: String] {
        if let passphrase = person.passphrase { return ["current": passphrase] }
        var values: [String: String] = [:]
        for (name, label) in page.labels where name.hasPrefix("answer-") {
            values[name] = person.questions.first { $0.question == label }?.answer
        }
        return values
    }

    @Test func `answers give way to a passphrase that is set for the first time`() async throws {
        let company = "change-page-first.example"
        let person = Person.withQuestions("second", at: company)
        let (client, member, browser) = try await member(company, person)
        var new = Person("second", at: company, email: person.email)
        new.questions = person.questions
        let asked = try await begin(member, browser)
        #expect(
            asked.html.components(separatedBy: " selected>").count - 1 == 5, "the questions in force are not chosen")

        let wrong = try await browser.choose(
            asked, new, secret(person, asked).mapValues { _ in "nothing of it" })
        #expect(wrong.status == 400 && wrong.text.contains("That did not match."), "\(wrong)")
        #expect(wrong.html.contains("value=\"\(new.questions[4].answer)\""))

        let done = try await browser.choose(wrong, new, secret(person, wrong))
        #expect(done.status == 303 && done.location == "/account/credentials?changed", "\(done)")
        let told = try await browser.follow(done)
        #expect(told.text.contains("It is changed") && told.text.contains("You log in with your passphrase."))
        // The session of the program ended with the old credentials, and the browser has a new one.
        try expectProblem(try await client.get("/v1/me", by: member.session), "session.invalid")
        #expect(try await PageClient(client).logIn(new, member.device).location == "/account")
    }

    @Test func `a wrong passphrase changes nothing`() async throws {
        let company = "change-page-wrong.example"
        let (client, member, browser) = try await member(company, Person("second", at: company))
        let new = Person("second", at: company, email: member.person.email)
        let asked = try await begin(member, browser)
        let wrong = try await browser.choose(asked, new, ["current": "not the right one"])
        #expect(wrong.status == 400 && wrong.text.contains("That did not match."), "\(wrong)")
        #expect(wrong.html.contains("href=\"#current\"") && !wrong.html.contains("not the right one"))
        let none = try await browser.choose(asked, new)
        #expect(none.status == 400 && none.html.contains("href=\"#current\""), "\(none)")
        #expect(try await PageClient(client).logIn(member.person, member.device).location == "/account")
    }

    @Test func `a device that is revoked meanwhile changes nothing`() async throws {
        let company = "change-page-revoked.example"
        let (client, member, browser) = try await member(company, Person("second", at: company))
        let asked = try await begin(member, browser)
        let revoked = try await client.signed(
            by: member, "POST", "/v1/devices/\(member.device.fingerprint)/revocation", ["reason": "lost"])
        try #require(revoked.status == 200, "\(revoked)")
        let new = Person("second", at: company, email: member.person.email)
        let refused = try await browser.choose(asked, new, secret(member.person, asked))
        #expect(refused.status == 403 && refused.title == "The key of this browser has ended", "\(refused)")
    }

    @Test func `a flow that expired or was used says what is true`() async throws {
        let company = "change-page-over.example"
        let (_, member, browser) = try await member(company, Person("second", at: company))
        let asked = try await begin(member, browser)
        let other = try await begin(member, browser)
        let new = Person("second", at: company, email: member.person.email)
        #expect(try await browser.choose(other, new, secret(member.person, other)).status == 303)
        let stale = try await browser.choose(asked, new, secret(member.person, asked))
        #expect(stale.title == "This change is over", "\(stale)")
        #expect(try await browser.press("/account/credentials", in: stale).text.contains("You log in with"))
    }
}
