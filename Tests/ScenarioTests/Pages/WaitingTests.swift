import Canonical
import Foundation
import IdentityService
import Postgres
import TenureAPI
import TestSupport
import Testing

/// A browser whose log-in waits for the decision about its device key.
@Suite(.onServer)
struct `A waiting browser` {
    @Test func `goes on without a second log-in once somebody authorizes its key`() async throws {
        try await inTurnWithPages("wait-on.example") { world, client, founder, member in
            let device = Device(), browser = PageClient(client)
            let sent = try await browser.logIn(member.person, device)
            #expect(sent.status == 303 && sent.place == "/waiting", "\(sent)")
            let page = try await browser.get("/waiting")
            let fingerprint = try #require(Hex.decode(device.fingerprint))
            #expect(page.text.contains(FingerprintWords(fingerprint).text) && page.text.contains(device.fingerprint))
            #expect(browser.cookies["tenure"] == nil)

            expectOutcome(try await client.authorize(device, of: member.person), "done")
            let opening = try await browser.get("/waiting"), form = try opening.form("/waiting/continue")
            // The cookie alone opens nothing, nor does the signature of another key, nor another challenge.
            let text = try #require(opening.attribute("data-wait"))
            let challenge = try #require(Base64URL.decode(text))
            for proof in ["", "AAAA", Base64URL.encode(try bytes(base64: Device().sign(challenge, .raw)))] {
                let refused = try await browser.submit(form, ["proof": proof])
                #expect(refused.status >= 400 && browser.cookies["tenure"] == nil, "\(refused)")
            }
            let right = Base64URL.encode(try bytes(base64: device.sign(challenge, .raw)))
            let other = try await browser.submit(
                form, ["challenge": Base64URL.encode(challenge.dropLast() + [0x20]), "proof": right])
            #expect(other.status >= 400 && browser.cookies["tenure"] == nil)

            let done = try await browser.submit(form, ["proof": right])
            #expect(done.status == 303 && done.location == "/account", "\(done)")
            #expect(browser.cookies["tenure"] != nil && browser.flow?.stage == "done")
            #expect(try await browser.get("/account").status == 200)
            #expect(try await world.count("WaitEnded") == 1)
            // The form opens one session.
            let again = try await browser.submit(form, ["proof": right])
            #expect(try await browser.follow(again).reply.status == 200)
            #expect(try await world.count("WaitEnded") == 1)
            #expect(try await world.tenure(["verify"]).status == 0)
        }
    }

    @Test func `ends the session that the person began on another key in the browser meanwhile`() async throws {
        try await inTurnWithPages("wait-again.example") { world, client, _, member in
            let device = Device(), browser = PageClient(client)
            #expect(try await browser.logIn(member.person, device).place == "/waiting")
            expectOutcome(try await client.authorize(device, of: member.person), "done")
            // A page that is opened after the other log-in goes on with its session.
            let page = try await browser.get("/waiting")
            #expect(try await browser.logIn(member.person, member.device).location == "/account")
            let former = try #require(browser.cookies["tenure"])
            let text = try #require(page.attribute("data-wait"), "\(page)")
            let challenge = try #require(Base64URL.decode(text))
            let proof = Base64URL.encode(try bytes(base64: device.sign(challenge, .raw)))
            _ = try await browser.submit(try page.form("/waiting/continue"), ["proof": proof])
            let account = try await browser.get("/account")
            #expect(account.status == 200 && browser.cookies["tenure"] != former)
            browser.set(cookie: "tenure", former)
            #expect(try await browser.get("/account").location == "/login")
            let closed = try await client.events(member.person.company, "type=SessionClosed")
            #expect(closed.count == 1 && closed[0]["data"]?["reason"] == "closed")
            #expect(try await world.tenure(["verify"]).status == 0)
        }
    }

    @Test func `is told by its stream, and by a second one in place of the first`() async throws {
        try await inTurnWithPages("wait-stream.example") { world, client, founder, member in
            let device = Device(), browser = PageClient(client)
            _ = try await browser.logIn(member.person, device)
            let first = Task { try await browser.get("/waiting/events") }
            try await Task.sleep(for: .milliseconds(300))
            let second = Task { try await browser.get("/waiting/events") }
            try await Task.sleep(for: .milliseconds(300))
            expectOutcome(try await client.authorize(device, of: member.person), "done")
            #expect(try await second.value.html.contains("event: decided\ndata: look\n\n"))
            #expect(try await !first.value.html.contains("decided"))
        }
    }

    @Test func `holds up no shutdown with its stream`() async throws {
        var stream: Task<Page, any Error>?, left = ContinuousClock.now
        try await inTurnWithPages("wait-drain.example") { world, client, founder, member in
            let browser = PageClient(client)
            _ = try await browser.logIn(member.person, Device())
            stream = Task { try await browser.get("/waiting/events") }
            try await Task.sleep(for: .milliseconds(300))
            left = .now
        }
        #expect(.now - left < .seconds(10))
        let page = try await #require(stream).value
        #expect(page.status == 200 && page.html.contains("retry: 3000") && !page.html.contains("decided"))
    }

    @Test func `ends when its key is refused, the person is cancelled, or the pages are unlinked`() async throws {
        try await inTurnWithPages("wait-ends.example") { world, client, founder, member in
            func browser() async throws -> (PageClient, Device) {
                let browser = PageClient(client), device = Device()
                _ = try await browser.logIn(member.person, device)
                return (browser, device)
            }
            let (refused, key) = try await browser()
            let reply = try await client.post(
                client.path(member.person, "/keys/\(key.fingerprint)/refusal"), ["reason": "unknown"])
            expectOutcome(reply, "done")
            let page = try await refused.get("/waiting")
            #expect(page.status == 403 && refused.flow?.stage == "ended", "\(page)")

            let (unlinked, device) = try await browser()
            expectOutcome(try await client.authorize(device, of: member.person), "done")
            let form = try await unlinked.get("/waiting").form("/waiting/continue")
            let pages = try #require(try await world.instance.commands.pagesApp())
            try await world.instance.commands.unlinkApp(pages, from: member.person.company)
            let unlinkedPage = try await unlinked.follow(try await unlinked.submit(form, ["proof": "AAAA"]))
            #expect(unlinkedPage.status == 410)
            try await world.instance.commands.linkApp(pages, to: member.person.company)

            let (cancelled, _) = try await browser()
            let cancellation = try await client.signed(
                by: founder, "POST", client.path(member.person, "/cancellation"), [:])
            expectOutcome(cancellation, "done")
            #expect(try await cancelled.get("/waiting").status == 410)
            #expect(try await world.count("WaitEnded") == 0)
            #expect(try await world.tenure(["verify"]).status == 0)
        }
    }

    @Test func `waits for thirty minutes`() async throws {
        try await WaitingScene.with("wait-late.example", mails: false) { scene in
            let device = Device(), browser = try await scene.waiting(device)
            expectOutcome(try await scene.client.authorize(device, of: scene.member.person), "done")
            let form = try await browser.get("/waiting").form("/waiting/continue")
            scene.clock.pass(.seconds(1_801))
            #expect(try await browser.follow(try await browser.submit(form, ["proof": "AAAA"])).status == 410)
        }
    }

    private func inTurnWithPages(
        _ company: String, _ body: (TenureWorld, Client, Member, Member) async throws -> Void
    ) async throws {
        var options = WorldOptions()
        options.servesPages = true
        try await inTurn(options) { world in
            let client = try world.client, founder = try await client.found(company)
            try await world.linkPages(to: company)
            try await body(world, client, founder, try await client.join(Person("zoe", at: company)))
        }
    }
}

/// A mail that asks the owner of an account to confirm a device.
@Suite(.onServer)
struct `A mail about a device` {
    @Test func `confirms by a button in the browser that waits, once`() async throws {
        try await WaitingScene.with("mail-here.example") { scene in
            let device = Device(), browser = try await scene.waiting(device)
            let link = try #require(try await scene.deviceLink())
            let page = try await browser.get(link)
            #expect(
                page.status == 200 && !page.html.contains("value=\"confirm\""), "the link of the mail arms: \(page)")
            #expect(try await scene.world.count("DeviceMailConfirmed") == 0, "opening a link confirms")
            let confirmed = try await scene.answer(browser, link, "confirm")
            #expect(confirmed.status == 303 && confirmed.place == "/waiting", "\(confirmed)")
            #expect(try await scene.goOn(browser, device).location == "/account")
            #expect(try await scene.answer(browser, link, "confirm").status == 410)
            #expect(try await scene.world.count("DeviceMailConfirmed") == 1)
            let types = try await scene.client.events(scene.company).compactMap { $0["type"]?.text }
            let confirmation = try #require(types.firstIndex(of: "DeviceMailConfirmed"))
            #expect(types[confirmation + 1] == "EmployeeKeyAuthorized")
        }
    }

    @Test func `confirms nothing in another browser but by the code, typed where the wait is`() async throws {
        try await WaitingScene.with("mail-elsewhere.example") { scene in
            let device = Device(), browser = try await scene.waiting(device)
            let link = try #require(try await scene.deviceLink())
            // The owner waits too, with another device, when a stranger's mail comes.
            let own = Device(), owner = try await scene.waiting(own)
            let page = try await owner.get(link)
            #expect(!page.html.contains("value=\"confirm\""))
            let fingerprint = try #require(Hex.decode(device.fingerprint))
            #expect(page.text.contains(FingerprintWords(fingerprint).text), "\(page.text)")
            let code = try scene.code(page)
            for who in [owner, PageClient(scene.client)] {
                #expect(try await scene.answer(who, link, "confirm").status == 403)
            }
            #expect(try await scene.world.count("DeviceMailConfirmed") == 0)
            // The code is that of the stranger's wait.
            #expect(try await scene.type(code, in: owner).status == 403)
            #expect(try await scene.world.count("DeviceMailConfirmed") == 0)
            let right = try await scene.type(code.lowercased().replacing("-", with: " "), in: browser)
            #expect(right.status == 303, "\(right)")
            #expect(try await scene.goOn(browser, device).location == "/account")
            #expect(try await owner.get("/waiting").status == 200)
        }
    }

    @Test func `takes five codes`() async throws {
        try await WaitingScene.with("mail-guess.example") { scene in
            let browser = try await scene.waiting(Device())
            let link = try #require(try await scene.deviceLink())
            let code = try scene.code(try await PageClient(scene.client).get(link))
            let form = try await browser.get("/waiting").form("/waiting/code")
            let statuses = try await concurrently(8) { number in
                try await browser.submit(form, ["code": "0000-000\(number)"]).status
            }
            #expect(statuses.allSatisfy { $0 == 403 })
            #expect(try await browser.submit(form, ["code": code]).status == 403)
            #expect(try await scene.world.number("SELECT tries FROM tenure.browser_wait") == 5)
            // Another mail gives no other tries.
            scene.clock.pass(.seconds(60))
            _ = try await browser.submit(try await browser.get("/waiting").form("/waiting/mail"))
            let link2 = try #require(try await scene.deviceLink())
            let next = try scene.code(try await PageClient(scene.client).get(link2))
            #expect(next != code)
            #expect(try await browser.submit(form, ["code": next]).status == 403)
            #expect(try await scene.world.count("DeviceMailConfirmed") == 0)
        }
    }

    @Test func `lets its reader refuse the device for good`() async throws {
        try await WaitingScene.with("mail-refuse.example") { scene in
            let device = Device(), browser = try await scene.waiting(device)
            let link = try #require(try await scene.deviceLink()), reader = PageClient(scene.client)
            let code = try scene.code(try await reader.get(link))
            let form = try await browser.get("/waiting").form("/waiting/code")
            #expect(try await scene.answer(reader, link, "refuse").status == 200)
            #expect(try await scene.world.count("EmployeeKeyRefused") == 1)
            #expect(try await reader.get(link).status == 410)
            #expect(try await scene.answer(browser, link, "confirm").status == 410)
            #expect(try await browser.submit(form, ["code": code]).status == 303)
            #expect(try await browser.get("/waiting").status == 403)
            #expect(try await scene.world.count("DeviceMailConfirmed") == 0)
        }
    }

    @Test func `is worth nothing forged, or after its ten minutes`() async throws {
        try await WaitingScene.with("mail-late.example") { scene in
            let browser = try await scene.waiting(Device()), link = try #require(try await scene.deviceLink())
            let other = try await scene.waiting(Device()), foreign = try #require(try await scene.deviceLink())
            let own = link.split(separator: "?"), others = foreign.split(separator: "?")
            let forged = [
                String(link.dropLast()) + (link.hasSuffix("0") ? "1" : "0"), "\(own[0])?\(others[1])",
                link.replacing("expires=", with: "expires=9"), String(own[0]), "\(own[0])?expires=1&key=",
            ]
            for bad in forged { #expect(try await browser.get(bad).status == 410, "\(bad)") }
            let code = try scene.code(try await other.get(link))
            let form = try await browser.get("/waiting").form("/waiting/code")
            scene.clock.pass(.seconds(601))
            #expect(try await browser.get(link).status == 410)
            #expect(try await scene.answer(browser, link, "confirm").status == 410)
            #expect(try await browser.submit(form, ["code": code]).status == 403)
            #expect(try await scene.world.count("DeviceMailConfirmed") == 0)
        }
    }

    @Test func `is worth nothing once the app is unlinked, or the row of the wait was changed`() async throws {
        try await WaitingScene.with("mail-unlinked.example") { scene in
            let browser = try await scene.waiting(Device()), link = try #require(try await scene.deviceLink())
            let commands = scene.world.instance.commands
            try await commands.unlinkApp(scene.pages, from: scene.company)
            #expect(try await browser.get(link).status == 410)
            try await commands.linkApp(scene.pages, to: scene.company)
            #expect(try await browser.get(link).status == 200)
            _ = try await scene.world.superuser { connection in
                try await connection.query("UPDATE tenure.browser_wait SET address = address + 1")
            }
            #expect(try await browser.get(link).status == 410)
        }
    }

    @Test func `confirms a first device, and the address, where the domain is the company's`() async throws {
        try await WaitingScene.with("mail-first.example", verified: false) { scene in
            func registered(_ person: Person) async throws -> (PageClient, Device) {
                let browser = PageClient(scene.client), device = Device()
                let asked = try await browser.register("/register/join", person, device)
                let sent = try await browser.choose(asked, person)
                #expect(sent.status == 303 && sent.place == "/waiting", "\(sent)")
                return (browser, device)
            }
            // Before the domain is confirmed, and for an address of another one, somebody has to decide.
            _ = try await registered(Person("early", at: scene.company, email: "early@\(scene.company)"))
            try await scene.world.confirmDomain(of: scene.company)
            _ = try await registered(Person("eve", at: scene.company, email: "eve@mail.example"))
            #expect(try await scene.deviceLink() == nil && scene.deviceMails() == 0)

            let (browser, device) = try await registered(
                Person("erik", at: scene.company, email: "erik@\(scene.company)"))
            let link = try #require(try await scene.deviceLink())
            #expect(try await scene.answer(browser, link, "confirm").place == "/waiting")
            #expect(try await scene.world.count("EmailVerified") == 1)
            #expect(try await scene.goOn(browser, device).location == "/account")
        }
    }

    @Test func `goes to nobody whose key it cannot confirm`() async throws {
        try await WaitingScene.with("mail-nobody.example") { scene in
            // An admin.
            _ = try await scene.waiting(Device(), as: scene.founder.person)
            #expect(try await scene.deviceLink() == nil && scene.deviceMails() == 0)
            // Somebody without a verified address.
            let other = try await scene.client.join(Person("adam", at: scene.company))
            _ = try await scene.waiting(Device(), as: other.person)
            #expect(try await scene.deviceLink() == nil)
            // Under the policy of admins.
            try await scene.client.change(
                policy: ["keyAuthorization": "securityAdmin"], of: scene.company, by: scene.founder)
            let browser = try await scene.waiting(Device())
            #expect(try await scene.deviceLink() == nil && scene.deviceMails() == 0)
            #expect(try await !browser.get("/waiting").html.contains("/mail\">"))
        }
    }

    @Test func `confirms no key after a recovery, whose secrets were chosen and not proved`() async throws {
        let mailbox = Mailbox(), company = "mail-recovery.example"
        var options = WorldOptions()
        options.servesPages = true
        mailbox.serve(&options)
        try await inTurn(options) { world in
            let recovery = try await RecoveryScene(company, try world.client), browser = PageClient(recovery.client)
            let pages = try await world.instance.commands.enablePages().view.appId
            try await world.instance.commands.linkApp(pages, to: company)
            let scene = WaitingScene(
                world: world, client: recovery.client, company: company, founder: recovery.founder,
                member: recovery.lost, mailbox: mailbox, clock: MPinClock(), pages: pages)
            try await scene.verify(recovery.lost)
            _ = try await browser.recover(recovery.lost.person, recovery.device)
            try await recovery.approve()
            let asked = try await browser.recover(recovery.lost.person, recovery.device)
            #expect(try await browser.choose(asked, recovery.renewed).place == "/waiting")
            let page = try await browser.get("/waiting")
            #expect(page.status == 200 && !page.html.contains("/mail\">"), "\(page)")
            #expect(try await scene.deviceLink() == nil && scene.deviceMails() == 0)
            // A log-in with the new secrets proves them, on another device too.
            _ = try await scene.waiting(Device(), as: recovery.renewed)
            #expect(try await scene.deviceLink() != nil)
        }
    }

    @Test func `does not make an admin's key, if its reader became one meanwhile`() async throws {
        try await WaitingScene.with("mail-admin.example") { scene in
            let browser = try await scene.waiting(Device()), link = try #require(try await scene.deviceLink())
            let role = try await scene.client.signed(
                by: scene.founder, "POST", scene.client.path(scene.member.person, "/role"),
                ["role": "admin", "fingerprints": [.string(scene.member.device.fingerprint)]])
            expectOutcome(role, "done")
            #expect(try await browser.get(link).status == 410)
            #expect(try await scene.answer(browser, link, "confirm").status == 410)
            #expect(try await scene.world.count("DeviceMailConfirmed") == 0)
        }
    }

    /// What the page says of a mail that left, or may have, and of one that did not.
    private static let onItsWay = "A mail is on its way", held = "No mail could leave yet"

    /// Waits until the page says a text.
    private func until(_ browser: PageClient, says text: String, _ scene: WaitingScene) async throws -> Page {
        try await scene.world.until { try await browser.get("/waiting").text.contains(text) }
        return try await browser.get("/waiting")
    }

    /// Waits until no mail is at its first attempt.
    private func settle(_ scene: WaitingScene) async throws {
        try await scene.world.until {
            try await scene.world.number(
                "SELECT count(*) FROM tenure.mail_outbox WHERE attempts = 0 OR next_try = lease_until") == 0
        }
    }

    @Test func `is told not to have left while the mail server is down, and leaves when it is back`() async throws {
        try await WaitingScene.with("mail-down.example") { scene in
            let browser = try await scene.waiting(Device())
            _ = try await scene.deviceLink()
            let form = try await until(browser, says: Self.onItsWay, scene).form("/waiting/mail")
            scene.mailbox.answer(.unreached("down"))
            let queued = try await scene.world.count("MailQueued")
            // However often the button of an old page is pressed, one mail waits, and one is charged.
            for _ in 0..<4 { #expect(try await browser.submit(form).status == 303) }
            let page = try await until(browser, says: Self.held, scene)
            #expect(!page.text.contains(Self.onItsWay) && !page.html.contains("/mail\""))
            for _ in 0..<4 { #expect(try await browser.submit(form).status == 303) }
            #expect(try await scene.world.count("MailQueued") == queued + 1)
            // A page from before is told at once.
            #expect(try await browser.get("/waiting/events?mail=sent").html.contains("event: changed"))
            scene.mailbox.answer(.accepted)
            scene.clock.pass(.seconds(20))
            _ = try await until(browser, says: Self.onItsWay, scene)
            #expect(try await scene.deviceLink() != nil && scene.deviceMails() == 2)
            #expect(try await scene.world.tenure(["verify"]).status == 0)
        }
    }

    @Test func `that no mail server was told of is charged nothing in the end, once`() async throws {
        try await WaitingScene.with("mail-refund.example") { scene in
            scene.mailbox.answer(.unreached("down"))
            let browser = try await scene.waiting(Device())
            _ = try await until(browser, says: Self.held, scene)
            scene.clock.pass(.seconds(601))
            try await scene.world.until { try await scene.world.count("MailFailed") == 1 }
            let page = try await until(browser, says: "You can confirm this browser by a mail", scene)
            // Of the five, the one that verified the address is spent.
            scene.mailbox.answer(.accepted)
            let form = try page.form("/waiting/mail")
            for _ in 0..<4 {
                #expect(try await browser.submit(form).status == 303)
                try await settle(scene)
            }
            #expect(try await browser.submit(form).status == 403)
            #expect(scene.deviceMails() == 4)
        }
    }

    @Test(arguments: [
        MailOutcome.accepted, .permanentlyRefused(550), .temporarilyRefused(450), .undelivered("lost after DATA"),
    ])
    func `looks the same whatever a mail server says of its address, and is charged for`(
        _ outcome: MailOutcome
    ) async throws {
        try await WaitingScene.with("mail-quiet.example") { scene in
            scene.mailbox.answer(outcome)
            let browser = try await scene.waiting(Device())
            try await settle(scene)
            let page = try await browser.get("/waiting"), form = try page.form("/waiting/mail")
            #expect(page.text.contains(Self.onItsWay) && !page.text.contains(Self.held))
            for _ in 0..<3 {
                #expect(try await browser.submit(form).status == 303)
                try await settle(scene)
            }
            #expect(try await browser.submit(form).status == 403)
        }
    }

    @Test func `is sent five times an hour at most`() async throws {
        try await WaitingScene.with("mail-limit.example") { scene in
            // The mail that verified the address was the first one.
            var mails = 0
            for _ in 0..<6 {
                _ = try await scene.waiting(Device())
                _ = try await scene.deviceLink()
                mails = scene.deviceMails()
            }
            #expect(mails == 4)
        }
    }
}
