import Canonical
import Foundation
import IdentityService
import Keys
import Postgres
import TestSupport
import Testing

extension WaitingScene {
    /// The texts of all mails, oldest first, once every mail has its last event.
    fileprivate func mails(to address: String) async throws -> [String] {
        try await world.until { try await world.number("SELECT count(*) FROM tenure.mail_outbox") == 0 }
        return mailbox.copies.filter { $0.mail.recipient == address }.map {
            $0.text.replacingOccurrences(of: "=\r\n", with: "").replacingOccurrences(of: "=3D", with: "=")
        }
    }

    fileprivate func code(to address: String) async throws -> String {
        let mail = try #require(try await mails(to: address).last, "no mail")
        let code = try #require(mail.firstMatch(of: /asks for it: ([0-9A-Z]{4}-[0-9A-Z]{4})/), "\(mail)")
        return String(code.output.1)
    }

    fileprivate func undoLink(to address: String) async throws -> String {
        let form = /https:\/\/id\.example(\/address\/undo\/[0-9a-f-]{36}\?expires=\d+&key=[0-9a-f]{64})/
        let links = try await mails(to: address).compactMap { $0.firstMatch(of: form).map { String($0.output.1) } }
        return try #require(links.last, "no link")
    }

    /// A browser in which the member has just logged in.
    fileprivate func loggedIn() async throws -> PageClient {
        let browser = PageClient(client)
        let done = try await browser.logIn(member.person, member.device)
        try #require(done.location == "/account", "\(done)")
        return browser
    }

    /// Asks for the mail, and returns the page with the form for its code.
    fileprivate func ask(_ address: String, in browser: PageClient) async throws -> Page {
        let form = try await browser.open("/account/address").form("/account/address/new")
        return try await browser.follow(try await browser.submit(form, ["email": address]))
    }

    /// Signs what the page after the right code shows.
    fileprivate func sign(_ page: Page, in browser: PageClient) async throws -> Page {
        let form = try await browser.armed(try page.form("/account/address/change")) { clock.pass(.seconds(2)) }
        let statement = try #require(form["statement"].flatMap { Base64URL.decode($0) }, "\(form)")
        let signature = try bytes(base64: try member.device.sign(statement, .raw))
        return try await browser.submit(form, ["signature": Base64URL.encode(signature)])
    }

    /// Changes the member's address.
    fileprivate func change(to address: String, in browser: PageClient) async throws -> Page {
        let form = try await ask(address, in: browser).form("/account/address/code")
        let asked = try await browser.submit(form, ["code": try await code(to: address)])
        #expect(asked.status == 200 && asked.text.contains(address), "\(asked)")
        return try await sign(asked, in: browser)
    }

    fileprivate func expectVerified() async throws {
        let environment = [
            "TENURE_DATABASE_URL": world.database.url(as: .application),
            "TENURE_READER_DATABASE_URL": world.database.url(as: .reader),
            "TENURE_MASTER_KEY_FILE": world.keyFile.path, "SWIFT_BACKTRACE": "enable=no",
        ]
        let verified = try await ChildProcess("tenure", ["verify"], environment: environment).finish()
        #expect(verified.status == 0, "\(verified.lines)")
    }
}

/// Somebody changes their own address on the pages.
@Suite(.onServer)
struct `An address that its owner changes` {
    @Test func `is proved in this browser, signed by its device, and undone by the former one once`() async throws {
        try await WaitingScene.with("change.example", verified: true) { scene in
            let browser = try await scene.loggedIn(), address = "zoe.new@change.example"
            let done = try await scene.change(to: address, in: browser)
            #expect(done.status == 303 && done.place?.hasPrefix("/account/address") == true, "\(done)")
            #expect(try await browser.open("/account").text.contains(address))
            #expect(try await scene.world.count("EmailChanged") == 1)
            #expect(try await scene.world.count("EmployeeEmailChanged") == 1)
            // A second change waits.
            #expect(try await !browser.open("/account/address").html.contains("/account/address/new"))

            let link = try await scene.undoLink(to: scene.member.person.email)
            let shown = try await scene.world.follow(link, "GET")
            #expect(shown.status == 200)
            #expect(try await scene.world.count("EmailChangeUndone") == 0)
            #expect(try await scene.world.press(link).status == 200)
            #expect(try await scene.world.count("EmailChangeUndone") == 1)
            #expect(try await scene.world.count("EmployeeEmailChanged") == 2)
            #expect(try await browser.open("/account").text.contains(scene.member.person.email))
            #expect((400..<500).contains(try await scene.world.follow(link, "GET").status))
            try await scene.expectVerified()
        }
    }

    @Test func `is not undone on the fifteenth day`() async throws {
        try await WaitingScene.with("late.example", verified: true) { scene in
            _ = try await scene.change(to: "zoe.new@late.example", in: try await scene.loggedIn())
            let link = try await scene.undoLink(to: scene.member.person.email)
            scene.clock.pass(.seconds(14 * 86_400 + 1))
            #expect((400..<500).contains(try await scene.world.follow(link, "GET").status))
            #expect(try await scene.world.count("EmailChangeUndone") == 0)
        }
    }

    @Test func `is proved in no other browser, and not by guesses`() async throws {
        try await WaitingScene.with("elsewhere.example", verified: true) { scene in
            let browser = try await scene.loggedIn(), address = "zoe.new@elsewhere.example"
            let asked = try await scene.ask(address, in: browser), code = try await scene.code(to: address)
            let other = try await scene.loggedIn(), blank = try await scene.ask(address, in: other)
            // The code is that of the other session's mail.
            let refused = try await other.submit(try blank.form("/account/address/code"), ["code": code])
            #expect(refused.status == 403, "\(refused)")
            for _ in 1...5 {
                _ = try await browser.submit(try asked.form("/account/address/code"), ["code": "0000-0000"])
            }
            let late = try await browser.submit(try asked.form("/account/address/code"), ["code": code])
            #expect(late.status == 403, "\(late)")
            #expect(try await scene.world.count("EmailChanged") == 0)
        }
    }

    @Test func `is answered like a free one if somebody has it, who is told`() async throws {
        try await WaitingScene.with("taken.example", verified: true) { scene in
            let browser = try await scene.loggedIn(), taken = scene.founder.person.email
            let page = try await scene.ask(taken, in: browser)
            #expect(page.status == 200)
            _ = try page.form("/account/address/code")
            let mail = try #require(try await scene.mails(to: taken).last)
            #expect(mail.contains("Your address has an account already"), "\(mail)")
            #expect(try await scene.world.count("EmailGaveWay") == 0)
        }
    }

    @Test func `needs a log-in of the last ten minutes`() async throws {
        try await WaitingScene.with("stale.example", verified: true) { scene in
            let browser = try await scene.loggedIn()
            scene.clock.pass(.seconds(601))
            let form = try await browser.open("/account/address").form("/account/address/new")
            let refused = try await browser.submit(form, ["email": "zoe.new@stale.example"])
            #expect(refused.status == 403 && refused.html.contains("href=\"/login\""), "\(refused)")
        }
    }

    @Test func `is asked for three times in a month, and then the page is the same without a mail`() async throws {
        try await WaitingScene.with("month.example", verified: true) { scene in
            let address = "zoe.new@month.example"
            for _ in 1...3 {
                _ = try await scene.ask(address, in: try await scene.loggedIn())
                // A mail that is not sent before the time passes has expired.
                _ = try await scene.mails(to: address)
                scene.clock.pass(.seconds(28_800))
            }
            #expect(try await scene.mails(to: address).count == 3)
            let browser = try await scene.loggedIn(), page = try await scene.ask(address, in: browser)
            #expect(page.status == 200, "\(page)")
            // The form takes five codes like that of a page with a mail: nothing tells that no mail went out.
            for _ in 1...5 {
                let wrong = try await browser.submit(
                    try page.form("/account/address/code"), ["code": "0000-0000"])
                #expect(wrong.status == 403 && wrong.html.contains("/account/address/code"), "\(wrong)")
            }
            #expect(try await scene.mails(to: address).count == 3)
        }
    }

    @Test func `is asked for by three of many calls at once`() async throws {
        try await WaitingScene.with("parallel.example", verified: true) { scene in
            let browser = try await scene.loggedIn()
            let form = try await browser.open("/account/address").form("/account/address/new")
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 1...8 {
                    group.addTask {
                        try await browser.submit(form, ["email": "stranger\(index)@parallel.example"]).status
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 303 } == 3, "\(statuses)")
            try await scene.world.until {
                try await scene.world.number("SELECT count(*) FROM tenure.mail_outbox") == 0
            }
            let mailed = scene.mailbox.copies.map(\.mail.recipient).count { $0.hasPrefix("stranger") }
            #expect(mailed == 3)
        }
    }

    @Test func `leaves no claim on the address before the former one`() async throws {
        try await WaitingScene.with("twice.example", verified: true) { scene in
            _ = try await scene.change(to: "zoe.second@twice.example", in: try await scene.loggedIn())
            let expiring: SQL = """
                SELECT count(*) FROM tenure.claim WHERE kind = 'address' AND expires_at IS NOT NULL
                """
            #expect(try await scene.world.number(expiring) == 1)
            scene.clock.pass(.seconds(14 * 86_400 + 1))
            _ = try await scene.change(to: "zoe.third@twice.example", in: try await scene.loggedIn())
            #expect(try await scene.world.count("EmailChanged") == 2)
            // That of the second address, which may undo now.
            #expect(try await scene.world.number(expiring) == 1)
        }
    }
}
