import Canonical
import Credentials
import ErrorCodes
import Foundation
import IdentityService
import Keys
import TenureAPI
import TestSupport
import Testing

/// Lets everybody found companies on the pages.
private func openPages(_ options: inout WorldOptions) {
    options.servesPages = true
    options.settings.founding = .open
}

/// Registration in a browser: a founder, somebody who joins, and somebody who is invited.
@Suite(.onServer, .sharedWorld(openPages))
struct `A registration in a browser` {
    private func browser() throws -> PageClient { PageClient(try sharedWorld().client) }

    @Test(arguments: [false, true]) func `founds a company, and leads to the account`(passphrase: Bool) async throws {
        let world = try sharedWorld(), company = "walk-found-\(passphrase).example"
        _ = try await world.instance.commands.enablePages()
        let person = passphrase ? Person("ada", at: company) : Person.withQuestions("ada", at: company)
        let device = Device(), browser = try browser()
        let asked = try await browser.register("/register/found", person, device)
        #expect(asked.title == "Choose your questions" && asked.text.contains("ada at \(company)"), "\(asked)")

        let weak = try await browser.choose(asked, person, ["answer2": "blue", "question3": "x"])
        #expect(weak.status == 400 && weak.html.contains("href=\"#question3\""), "\(weak)")
        let common = try await browser.choose(weak, person, ["answer2": "blue"])
        #expect(common.status == 400 && common.html.contains("href=\"#answer2\""), "\(common)")
        let done = try await browser.choose(common, person)
        #expect(done.status == 303 && done.location == "/account", "\(done)")
        #expect(browser.cookies["tenure"] != nil && browser.flow?.stage == "done")

        // The pages are linked to what they founded, and know the browser again.
        let again = try self.browser()
        #expect(try await again.logIn(person, device).location == "/account")
        let taken = try await self.browser().register("/register/found", Person("bob", at: company), Device())
        #expect(taken.status == 409 && taken.text.contains("This name is taken."), "\(taken)")
        try await world.linkApp(world.app, to: company)
        let types = try await world.client.events(company).compactMap { $0["type"]?.text }
        #expect(types.prefix(2).contains("EmployeeRegistered") && types.contains("SessionOpened"))
    }

    @Test func `to join is refused alike for an unknown, an unlinked and an inviting company`() async throws {
        let world = try sharedWorld(), client = try world.client
        let inviting = try await client.found("walk-inviting.example")
        try await world.linkPages(to: inviting.person.company)
        try await client.change(
            policy: ["registrationMode": "invited"], of: inviting.person.company, by: inviting)
        _ = try await client.found("walk-unlinked.example")
        let companies = ["walk-unknown.example", "walk-unlinked.example", inviting.person.company]
        for code in [nil, Base64URL.encode([UInt8](repeating: 7, count: 16)), "x"] {
            var pages: Set<String> = []
            for company in companies {
                let refused = try await browser().register(
                    "/register/join", Person("erik", at: company, email: "erik@mail.example"), Device(), code: code)
                let html = refused.html.replacing(company, with: "C")
                    .replacing(/name="(once|token)" value="[^"]*"/, with: "")
                pages.insert("\(refused.status) \(html)")
            }
            #expect(pages.count == 1, "\(pages)")
        }
    }

    @Test func `to join waits for somebody who authorizes the browser`() async throws {
        let world = try sharedWorld(), client = try world.client
        let owner = try await client.found("walk-join.example")
        try await world.linkPages(to: owner.person.company)
        let person = Person("erik", at: owner.person.company), device = Device(), browser = try browser()
        let done = try await browser.choose(
            try await browser.register("/register/join", person, device), person)
        #expect(done.status == 303 && done.location?.hasPrefix("/waiting") == true, "\(done)")
        #expect(browser.cookies["tenure"] == nil, "the pages vouched for a stranger")
        expectOutcome(try await client.authorize(device, of: person), "done")
        #expect(try await self.browser().logIn(person, device).location == "/account")

        // The address is known now: its owner's answers come first, and nobody sets other ones.
        let second = try await client.found("walk-join-second.example")
        try await world.linkPages(to: second.person.company)
        let also = person.also("e", at: second.person.company), another = try self.browser()
        let asked = try await another.register("/register/join", also, Device())
        #expect(asked.title == "Enter your passphrase", "\(asked)")
        let linked = try await another.answer(asked, also)
        #expect(linked.location?.hasPrefix("/waiting") == true, "\(linked)")
        let taken = try await self.browser().register(
            "/register/join", Person("erik", at: owner.person.company), Device())
        #expect(taken.title == "This user name is taken", "\(taken)")
    }

    @Test func `replaces lost credentials after two people have confirmed it`() async throws {
        let world = try sharedWorld(), company = "walk-recover.example"
        let scene = try await RecoveryScene(company, try world.client)
        try await world.linkPages(to: company)
        let browser = try browser(), lost = scene.lost.person
        let waiting = try await browser.recover(lost, scene.device)
        #expect(waiting.title == "The recovery waits" && waiting.text.contains(scene.device.fingerprint), "\(waiting)")
        // A name that nobody has gets the same page.
        let device = Device()
        let decoy = try await self.browser().recover(Person("nobody", at: company), device)
        #expect(decoy.title == waiting.title && decoy.text.contains(device.fingerprint), "\(decoy)")

        try await scene.approve()
        let asked = try await browser.recover(lost, scene.device)
        #expect(asked.title == "Choose your questions", "\(asked)")
        let done = try await browser.choose(asked, scene.renewed)
        #expect(done.location?.hasPrefix("/waiting") == true, "a recovery authorized a key: \(done)")
        expectOutcome(try await world.client.authorize(scene.device, of: scene.renewed), "done")
        #expect(try await self.browser().logIn(scene.renewed, scene.device).location == "/account")
    }
}

/// Invitations by mail, and codes of the operator.
@Suite(.onServer)
struct `An invitation to the pages` {
    private func world(
        _ rule: FoundingRule = .off, mailbox: Mailbox = Mailbox(), _ body: (TenureWorld) async throws -> Void
    ) async throws {
        var options = WorldOptions()
        options.servesPages = true
        options.settings.founding = rule
        mailbox.serve(&options)
        try await inTurn(options, body)
    }

    private func invite(
        _ id: String, _ email: String?, _ client: Client, by admin: Member
    ) async throws -> HTTPReply {
        let salt = Base64.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        var body: [String: JSONValue] = ["companyEmployeeId": .string(id), "subjectSalt": .string(salt)]
        body["email"] = email.map(JSONValue.string)
        return try await client.signed(by: admin, "POST", client.path(admin.person.company, "/invitations"), body)
    }

    /// What stands behind the `#` of the link in the newest mail.
    private func fragment(_ mailbox: Mailbox) throws -> [String: String] {
        let copy = try #require(mailbox.copies.last)
        let body = copy.text.replacingOccurrences(of: "=\r\n", with: "").replacingOccurrences(of: "=3D", with: "=")
        let link = try #require(body.firstMatch(of: /https:\/\/id\.example\/join#([^\s"]*)/), "\(body)")
        return Dictionary(
            uniqueKeysWithValues: String(link.output.1).split(separator: "&").map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
                return (parts[0], parts[1].removingPercentEncoding ?? "")
            })
    }

    @Test func `is mailed, and its link registers one person whose browser the pages vouch for`() async throws {
        let mailbox = Mailbox()
        try await world(mailbox: mailbox) { world in
            let client = try world.client, company = "invited by mail"
            let admin = try await client.found(company)
            try await client.change(policy: ["registrationMode": "invited"], of: company, by: admin)
            let person = Person.withQuestions("zoe", at: company, email: "zoe@mail.example")
            // The pages are not linked yet: the code is handed over, and no mail leads nowhere.
            expectOutcome(try await invite("ann", "ann@mail.example", client, by: admin), "done")
            try await world.linkPages(to: company)
            expectOutcome(try await invite("zoe", person.email, client, by: admin), "done")
            expectOutcome(try await invite("bob", nil, client, by: admin), "done")
            try await world.until { !mailbox.copies.isEmpty }
            let link = try fragment(mailbox)
            #expect(link["company"] == company && link["id"] == "zoe" && link["email"] == person.email)
            let code = try #require(link["invitation"])
            #expect(mailbox.copies.count == 1 && mailbox.copies[0].header("To") == ["<zoe@mail.example>"])

            for (other, reason) in [
                (Person("max", at: company, email: person.email), "another id"),
                (Person("zoe", at: company, email: "eve@mail.example"), "another address"),
            ] {
                let refused = try await PageClient(client).register("/join", other, Device(), code: code)
                #expect(refused.status == 403 && refused.text.contains("not valid"), "\(reason): \(refused)")
            }
            let changed = String(code.dropLast(4)) + (code.hasSuffix("AAAA") ? "BBBB" : "AAAA")
            #expect(try await PageClient(client).register("/join", person, Device(), code: changed).status == 403)

            let browser = PageClient(client), device = Device()
            let done = try await browser.choose(
                try await browser.register("/join", person, device, code: code), person)
            #expect(done.location == "/account", "\(done)")
            #expect(try await PageClient(client).register("/join", person, Device(), code: code).status == 403)
            let types = try await client.events(company).compactMap { $0["type"]?.text }
            #expect(types.count { $0 == "InvitationUsed" } == 1 && types.count { $0 == "MailQueued" } == 1)
            #expect(types.contains("EmployeeKeyAuthorized"))
            #expect(try await verify(world).status == 0)
        }
    }

    @Test func `ends with its revocation, although the mail has gone`() async throws {
        let mailbox = Mailbox()
        try await world(mailbox: mailbox) { world in
            let client = try world.client, company = "revoked-mail.example"
            let admin = try await client.found(company)
            try await client.change(policy: ["registrationMode": "invited"], of: company, by: admin)
            try await world.linkPages(to: company)
            let issued = try await invite("zoe", "zoe@mail.example", client, by: admin)
            try await world.until { !mailbox.copies.isEmpty }
            let code = try #require(try fragment(mailbox)["invitation"])
            let id = try #require(issued["issued"]?["invitationId"]?.text)
            let path = client.path(company, "/invitations/\(id)")
            expectOutcome(try await client.signed(by: admin, "DELETE", path, [:]), "done")
            let person = Person("zoe", at: company, email: "zoe@mail.example")
            #expect(try await PageClient(client).register("/join", person, Device(), code: code).status == 403)
        }
    }

    @Test func `of the operator founds the company that it names, once`() async throws {
        try await world(.code) { world in
            let client = try world.client, commands = world.instance.commands
            _ = try await commands.enablePages()
            let person = Person("ada", at: "Coded & Sons"), other = Person("eve", at: "other.example")
            let code = try await commands.foundingCode(for: person.company, lifetime: .seconds(60)).code
            let late = try await commands.foundingCode(for: person.company, lifetime: .seconds(-1)).code
            func found(_ person: Person, _ code: String?) async throws -> Page {
                try await PageClient(client).register("/register/found", person, Device(), code: code)
            }
            #expect(try await found(person, nil).html.contains("href=\"#code\""))
            for (somebody, wrong) in [(other, code), (person, late), (person, "x"), (person, String(code.dropLast()))] {
                let refused = try await found(somebody, wrong)
                #expect(refused.status == 403 && refused.text.contains("not valid"), "\(refused)")
            }
            let browser = PageClient(client)
            let asked = try await browser.register("/register/found", person, Device(), code: code)
            #expect(try await browser.choose(asked, person).location == "/account")
            #expect(try await found(person, code).status == 409)
            await #expect(throws: ServiceError(.companyAlreadyFounded)) {
                try await commands.foundingCode(for: person.company, lifetime: .seconds(60))
            }
            // The rule is about the pages: an app with a secret founds as before.
            _ = try await client.found("by-app.example")
        }
    }

    @Test func `is needed where the operator lets nobody found`() async throws {
        try await world { world in
            let client = try world.client
            _ = try await world.instance.commands.enablePages()
            let page = try await PageClient(client).open("/register/found")
            #expect(page.status == 200 && !page.html.contains("<form") && page.text.contains("Ask the operator"))
            #expect(try await !PageClient(client).open("/register").html.contains("/register/found"))
        }
    }

    private func verify(_ world: TenureWorld) async throws -> (status: Int32, lines: [String]) {
        let environment = [
            "TENURE_DATABASE_URL": world.database.url(as: .application),
            "TENURE_READER_DATABASE_URL": world.database.url(as: .reader),
            "TENURE_MASTER_KEY_FILE": world.keyFile.path, "SWIFT_BACKTRACE": "enable=no",
        ]
        return try await ChildProcess("tenure", ["verify"], environment: environment).finish()
    }
}

extension PageClient {
    /// Begins a registration and proves the key: the page of the next step comes back, or the one that refuses.
    func register(
        _ path: String, _ person: Person, _ device: Device, code: String? = nil
    ) async throws -> Page {
        let form = try await open(path).form(path)
        let begun = try await submit(
            form,
            [
                "company": person.company, "employee": person.id, "email": person.email, "code": code,
                "key": Base64URL.encode(device.point),
            ])
        guard begun.status == 303 else { return begun }
        return try await prove(try await follow(begun), device)
    }

    /// Asks for a recovery and proves the key: the page that says what is next comes back.
    func recover(_ person: Person, _ device: Device) async throws -> Page {
        let begun = try await submit(
            try await open("/recover").form("/recover"),
            [
                "company": person.company, "employee": person.id, "way": "recovery",
                "key": Base64URL.encode(device.point),
            ])
        return try await prove(try await follow(begun), device)
    }

    /// Chooses a person's questions, with their answers and the passphrase. It follows no redirect.
    ///
    /// - Parameter changes: Other values of some fields.
    func choose(_ page: Page, _ person: Person, _ changes: [String: String] = [:]) async throws -> Page {
        var values: [String: String?] = [:]
        for (place, entry) in person.questions.enumerated() {
            let listed = QuestionList.current.questions.first { $0.text(in: .english) == entry.question }
            let number = try #require(listed).number
            values["question\(place + 1)"] = "\(number)"
            values["answer\(place + 1)"] = entry.answer
        }
        values["passphrase"] = person.passphrase ?? ""
        values["repeated"] = person.passphrase ?? ""
        for (name, value) in changes { values[name] = value }
        return try await submit(try page.form("/flow/credentials"), values)
    }
}
