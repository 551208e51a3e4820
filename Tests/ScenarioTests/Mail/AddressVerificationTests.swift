import Canonical
import Foundation
import IdentityService
import Testing

extension MPinScene {
    /// The path of the newest link that verifies the address of a person, once every mail has its last event.
    fileprivate func addressLink(of person: Person, in mailbox: Mailbox) async throws -> String {
        try await mailsSettle()
        let form = /https:\/\/id\.example(\/verify-email\/[0-9a-f-]{36}\?expires=\d+&key=[0-9a-f]{64})/
        let links = mailbox.copies.reversed().lazy.filter { $0.mail.recipient == person.email }.compactMap { copy in
            copy.text.replacingOccurrences(of: "=\r\n", with: "").replacingOccurrences(of: "=3D", with: "=")
                .firstMatch(of: form).map { String($0.1) }
        }
        return try #require(links.first, "a mail with a link")
    }

    /// Opens a link, or presses the button on its page.
    fileprivate func follow(_ link: String, _ method: String = "POST") async throws -> HTTPReply {
        try await world.follow(link, method)
    }

    /// Whether the service tells somebody that their address is verified.
    fileprivate func isVerified(_ member: Member) async throws -> Bool? {
        try await client.get("/v1/me", by: member.session)["emailVerified"] == true
    }

    /// Asks for a mail to somebody's own address.
    fileprivate func askForMail(_ member: Member) async throws -> HTTPReply {
        try await client.post("/v1/me/email-verification", by: member.session)
    }
}

@Suite(.onServer)
struct `An address` {
    @Test func `is verified by the button on the page of its link, once`() async throws {
        let mailbox = Mailbox()
        try await withMPin(policy: [:], mailbox: mailbox) { scene in
            let member = try await scene.employee("reader"), other = try await scene.employee("other")
            #expect(try await scene.isVerified(member) == false)
            expectOutcome(try await scene.askForMail(member), "sent")
            expectOutcome(try await scene.askForMail(other), "sent")
            let link = try await scene.addressLink(of: member.person, in: mailbox)
            let foreign = try await scene.addressLink(of: other.person, in: mailbox)
            let own = link.split(separator: "?"), others = foreign.split(separator: "?")
            let forged = [
                String(link.dropLast()) + (link.hasSuffix("0") ? "1" : "0"), "\(own[0])?\(others[1])",
                link.replacingOccurrences(of: "expires=", with: "expires=9"),
            ]
            for bad in forged {
                let page = try await scene.expectNothingAppended(bad) { try await scene.follow(bad) }
                #expect((400..<500).contains(page.status), "\(page)")
            }
            let page = try await scene.expectNothingAppended("opening it") { try await scene.follow(link, "GET") }
            #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
            #expect(try await scene.isVerified(member) == false)
            for _ in 1...2 { #expect(try await scene.follow(link).status == 200) }
            #expect(try await scene.isVerified(member) == true)
            #expect(try await scene.isVerified(other) == false)
            #expect(try await scene.world.count("EmailVerified") == 1)
            try await scene.mailsSettle()
            let mails = mailbox.copies.count
            expectOutcome(try await scene.askForMail(member), "verified")
            try await scene.mailsSettle()
            #expect(mailbox.copies.count == mails)
        }
    }

    @Test func `is verified by nobody but who pressed the button of a page in sight`() async throws {
        let mailbox = Mailbox()
        try await withMPin(policy: [:], mailbox: mailbox) { scene in
            let member = try await scene.employee("reader")
            expectOutcome(try await scene.askForMail(member), "sent")
            let link = try await scene.addressLink(of: member.person, in: mailbox)
            // A mail program sends a browser here that has no cookie.
            let browser = PageClient(scene.client)
            let first = try await browser.get(link, [("Sec-Fetch-Site", "cross-site")])
            #expect(
                first.status == 200 && !first.html.contains("<form") && first.text.contains("if you asked for this"))
            let page = try await browser.press("token=", in: first), form = try page.form(link)
            #expect(page.html.contains("class=\"act\" disabled"))
            try await scene.expectNothingAppended("a page without script") {
                #expect(try await browser.submit(form).status == 403)
                #expect(try await browser.submit(form, ["page": nil, "nonce": nil]).status == 403)
                let bare = try await scene.client.send(scene.client.request("POST", link, by: .nobody))
                #expect(bare.status == 400)
                let early = try await browser.submit(
                    Form(action: "/arm", fields: [("page", try #require(form["page"]))]))
                #expect(early.status == 403, "a nonce before the quiet second")
                let stranger = PageClient(scene.client)
                _ = try await stranger.get(link)
                #expect(try await stranger.submit(form).status == 403)
            }
            let armed = try await browser.armed(form) { scene.clock.pass(.seconds(2)) }
            #expect(try await browser.submit(armed).status == 200)
            #expect(try await scene.isVerified(member) == true)
            try await scene.expectNothingAppended("a nonce that was used") {
                let again = try await browser.submit(armed)
                #expect(again.title.contains("Confirmed"), "\(again)")
            }
        }
    }

    @Test func `oidcc-scope-email is told to a client once it is verified, and is absent before`() async throws {
        let mailbox = Mailbox()
        try await withMPin(policy: [:], mailbox: mailbox) { scene in
            let member = try await scene.employee("reader")
            let party = try await RelyingParty.make(scene.world, of: [scene.company])
            let cookie = try await party.cookie(of: member)
            let before = try await party.tokens(cookie: cookie)
            #expect(try before.claims["email"] == nil && before.claims["email_verified"] == nil)
            expectOutcome(try await scene.askForMail(member), "sent")
            let link = try await scene.addressLink(of: member.person, in: mailbox)
            #expect(try await scene.follow(link).status == 200)
            let info = try await party.userInfo(before.access)
            #expect(info["email"]?.text == member.person.email && info["email_verified"] == true)
            let after = try await party.tokens(["scope": "openid email"], cookie: cookie).claims
            #expect(after["email"] == info["email"] && after["email_verified"] == true && after["groups"] == nil)
        }
    }

    @Test func `takes the place of an invitation where the domain is the company's, once it is verified`() async throws
    {
        let mailbox = Mailbox()
        try await withMPin(policy: [:], mailbox: mailbox) { scene in
            try await scene.world.confirmDomain(of: scene.company)
            try await scene.client.change(
                policy: ["registrationMode": "domain"], of: scene.company, by: scene.founder)
            let stranger = Person("stranger", at: scene.company, email: "eve@mail.example")
            await #expect(throws: (any Error).self) { _ = try await scene.client.register(stranger, Device()) }
            let person = Person("zoe", at: scene.company, email: "zoe@\(scene.company)"), device = Device()
            expectOutcome(try await scene.client.register(person, device), "authorizationPending")
            try expectProblem(try await scene.client.authorize(device, of: person), "email.unverified")
            let link = try await scene.addressLink(of: person, in: mailbox)
            #expect(try await scene.follow(link).status == 200)
            expectOutcome(try await scene.client.authorize(device, of: person), "done")
            expectOutcome(try await scene.client.logIn(person, device), "success")
        }
    }

    @Test func `is told of a new device once it is verified, and never before`() async throws {
        let mailbox = Mailbox()
        try await withMPin(policy: [:], mailbox: mailbox) { scene in
            let member = try await scene.employee("reader"), other = try await scene.employee("other")
            expectOutcome(try await scene.askForMail(member), "sent")
            let link = try await scene.addressLink(of: member.person, in: mailbox)
            #expect(try await scene.follow(link).status == 200)
            try await scene.mailsSettle()
            let before = mailbox.copies.count
            for person in [member.person, other.person] {
                let tablet = Device()
                expectOutcome(try await scene.client.logIn(person, tablet), "authorizationPending")
                expectOutcome(try await scene.client.authorize(tablet, of: person), "done")
            }
            try await scene.mailsSettle()
            let told = mailbox.copies.dropFirst(before).map(\.mail.recipient)
            #expect(told == [member.person.email])
        }
    }

    @Test func `is told of every opening of a recovery, however many there are in a day`() async throws {
        let mailbox = Mailbox()
        try await withMPin(policy: [:], mailbox: mailbox) { scene in
            let member = try await scene.employee("reader")
            expectOutcome(try await scene.askForMail(member), "sent")
            let link = try await scene.addressLink(of: member.person, in: mailbox)
            #expect(try await scene.follow(link).status == 200)
            try await scene.mailsSettle()
            let before = mailbox.copies.count
            for _ in 0..<5 {
                let device = Device()
                _ = try await scene.client.askToRecover(member.person, device)
                expectOutcome(
                    try await scene.client.decide("opening", member.person, device, by: scene.founder), "done")
                expectOutcome(
                    try await scene.client.cancelRecovery(member.person, device, by: scene.founder), "done")
            }
            try await scene.mailsSettle()
            let told = mailbox.copies.dropFirst(before).filter { $0.mail.recipient == member.person.email }
            #expect(told.count == 5)
            #expect(told.allSatisfy { $0.text.contains("Somebody started to replace your answers") })
        }
    }

    @Test func `is told of three new devices a day, and the company is named by its confirmed domain only`()
        async throws
    {
        let mailbox = Mailbox()
        try await withMPin(policy: [:], mailbox: mailbox) { scene in
            let member = try await scene.employee("reader")
            expectOutcome(try await scene.askForMail(member), "sent")
            let link = try await scene.addressLink(of: member.person, in: mailbox)
            #expect(try await scene.follow(link).status == 200)
            try await scene.mailsSettle()
            func told(_ devices: Int) async throws -> [String] {
                let before = mailbox.copies.count
                for _ in 0..<devices {
                    let device = Device()
                    expectOutcome(try await scene.client.logIn(member.person, device), "authorizationPending")
                    expectOutcome(try await scene.client.authorize(device, of: member.person), "done")
                }
                try await scene.mailsSettle()
                return mailbox.copies.dropFirst(before).map(\.text)
            }
            // From the beginning of a day on.
            let second = Int(scene.clock.now.microseconds / 1_000_000 % 86_400)
            scene.clock.pass(.seconds(86_400 - second))
            let first = try await told(5)
            #expect(first.count == 3)
            #expect(first.allSatisfy { $0.contains("Sent by Tenure.") && !$0.contains(scene.company) })
            #expect(first.allSatisfy { $0.contains("a company that calls itself") })
            try await scene.world.confirmDomain(of: scene.company)
            scene.clock.pass(.seconds(86_400))
            let next = try await told(1)
            #expect(next.count == 1)
            #expect(next.allSatisfy { $0.contains("Sent by Tenure for \(scene.company).") })
        }
    }
}
