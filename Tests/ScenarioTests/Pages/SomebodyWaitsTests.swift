import Canonical
import Foundation
import IdentityService
import Postgres
import Testing

/// Somebody who waits for an admin, and who is told of it.
@Suite(.onServer)
struct `Somebody who waits` {
    /// The mails to an admin about who waits, as plain text.
    private func told(_ admin: Member, _ scene: WaitingScene) -> [String] {
        scene.mailbox.copies.filter { $0.mail.recipient == admin.person.email }
            .map { $0.text.replacingOccurrences(of: "=\r\n", with: "").replacingOccurrences(of: "=3D", with: "=") }
            .filter { $0.contains("Subject: Somebody waits for your approval") }
    }

    private func mails(_ count: Int, to admin: Member, _ scene: WaitingScene) async throws -> [String] {
        try await scene.world.until { told(admin, scene).count >= count }
        return told(admin, scene)
    }

    private func browser(of member: Member, _ scene: WaitingScene) async throws -> PageClient {
        let browser = PageClient(scene.client)
        let done = try await browser.logIn(member.person, member.device)
        try #require(done.location == "/account", "\(done)")
        return browser
    }

    @Test func `is told to the admin once an hour, however many strangers come, and stands first`() async throws {
        try await WaitingScene.with("waits-flood.example") { scene in
            try await scene.verify(scene.founder)
            for number in 1...12 {
                let stranger = Person("flood\(number)", at: scene.company, email: "x\(number)@mail.example")
                expectOutcome(try await scene.client.register(stranger, Device()), "authorizationPending")
            }
            // Somebody with a confirmed address waits with a further device.
            _ = try await scene.waiting(Device())
            #expect(told(scene.founder, scene).isEmpty, "the owner gets time to confirm the device")
            scene.clock.pass(.seconds(601))
            let first = try await mails(1, to: scene.founder, scene)
            #expect(first.count == 1 && first[0].contains("Waiting: 13") && first[0].contains("One of them: zoe"))
            #expect(!first[0].contains("flood1") && !first[0].contains("/account/decision"))
            #expect(first[0].contains("https://id.example/account/approvals"))

            // Further ones within the hour are told when it is over, by one mail.
            for _ in 1...3 { _ = try await scene.waiting(Device()) }
            scene.clock.pass(.seconds(1_200))
            #expect(told(scene.founder, scene).count == 1)
            scene.clock.pass(.seconds(2_500))
            #expect(try await mails(2, to: scene.founder, scene).count == 2)

            try await scene.client.settle(scene.company)
            let list = try await browser(of: scene.founder, scene).open("/account/approvals")
            let rows = list.html.matches(of: /<th scope="row"><span translate="no">([^<]*)/).map { String($0.output.1) }
            #expect(rows.first == "zoe" && rows.count == 16, "\(rows)")

            // The link of the mail stops them, by the button only.
            let form =
                /https:\/\/id\.example(\/waiting\/admins\/[0-9a-f-]{36}\/[0-9a-f-]{36}\?expires=\d+&key=[0-9a-f]{64})/
            let link = String(try #require(first[0].firstMatch(of: form)).output.1)
            let visitor = PageClient(scene.client), page = try await visitor.get(link)
            #expect(page.status == 200)
            #expect(try await visitor.submit(try page.form(link)).text.contains("You get no mails"))
            let forged = String(link.dropLast()) + (link.hasSuffix("0") ? "1" : "0")
            #expect(try await visitor.get(forged).status == 400)
            scene.clock.pass(.seconds(7_200))
            let late = try await scene.waiting(Device())
            #expect(try await late.get("/waiting").text.contains("Nobody gets a mail about it"))

            // The page of the admin turns them on again.
            let again = try await browser(of: scene.founder, scene),
                stopped = try await again.open("/account/approvals")
            #expect(stopped.text.contains("You get no mail when somebody waits"))
            let switched = try await again.submit(try stopped.form("/account/approvals/mails"))
            #expect(switched.place == "/account/approvals", "\(switched)")
            #expect(try await again.follow(switched).text.contains("Send me no such mails"))
            let told = try await scene.waiting(Device())
            #expect(try await !told.get("/waiting").text.contains("Nobody gets a mail about it"))
        }
    }

    @Test func `is told that nobody knows if the admin's address takes no mail`() async throws {
        try await WaitingScene.with("waits-bounce.example") { scene in
            try await scene.verify(scene.founder)
            scene.mailbox.answer(.permanentlyRefused(550))
            let browser = try await scene.waiting(Device())
            #expect(try await browser.get("/waiting").text.contains("If you still wait in some minutes"))
            scene.clock.pass(.seconds(601))
            try await scene.world.until { try await scene.world.number("SELECT count(*) FROM tenure.mail_outbox") == 0 }
            #expect(try await browser.get("/waiting").text.contains("Nobody gets a mail about it"))
            scene.mailbox.answer(.accepted)
            // The next hour has another try.
            scene.clock.pass(.seconds(3_600))
            let again = try await scene.waiting(Device())
            scene.clock.pass(.seconds(601))
            _ = try await mails(1, to: scene.founder, scene)
            // The mail is counted as sent a moment after its server took it.
            try await scene.world.until { try await again.get("/waiting").text.contains("were told by mail") }
        }
    }

    @Test func `is approved as a person and then with the device, and gets in`() async throws {
        try await WaitingScene.with("waits-person.example", verified: false) { scene in
            try await scene.client.change(policy: ["approval": "admin"], of: scene.company, by: scene.founder)
            let person = Person("lu", at: scene.company), device = Device(), browser = PageClient(scene.client)
            let sent = try await browser.choose(try await browser.register("/register/join", person, device), person)
            #expect(sent.status == 303 && sent.place == "/waiting", "\(sent)")
            #expect(try await browser.get("/waiting").text.contains("approve you as a new person"))

            try await scene.client.settle(scene.company)
            let admin = try await self.browser(of: scene.founder, scene)
            let list = try await admin.open("/account/approvals")
            #expect(list.text.contains("Approve the person first") && !list.html.contains("action=authorize"))
            let asked = try await admin.press("action=approve", in: list)
            let armed = try await admin.armed(try asked.form("/account/decision")) { scene.clock.pass(.seconds(2)) }
            let statement = try #require(armed["statement"].flatMap { Base64URL.decode($0) }, "\(asked)")
            let signature = try bytes(base64: try scene.founder.device.sign(statement, .raw))
            let done = try await admin.submit(armed, ["signature": Base64URL.encode(signature)])
            let after = try await admin.follow(done)
            #expect(after.text.contains("Approved: lu belongs to") && after.html.contains("action=authorize"))

            expectOutcome(try await scene.client.authorize(device, of: person), "done")
            #expect(try await scene.goOn(browser, device).location == "/account")
            try await scene.client.settle(scene.company)
            #expect(try await admin.open("/account/approvals").text.contains("Nobody waits for you."))
            try #require(try await scene.world.tenure(["verify"]).status == 0)
        }
    }
}
