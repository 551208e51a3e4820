import Canonical
import Foundation
import IdentityService
import Ledger
import Postgres
import Testing
import TestSupport

extension PageClient {
    /// Begins a log-in by an address, and proves the key: the page that asks for a secret comes back.
    fileprivate func beginLogIn(by address: String, _ device: Device, request: String? = nil) async throws -> Page {
        let page = try await open("/login/address" + (request.map { "/\($0)" } ?? ""))
        let begun = try await submit(
            try page.form("/login/address"), ["email": address, "key": Base64URL.encode(device.point)])
        let key = try await follow(begun)
        let text = try #require(key.attribute("data-challenge"), "\(key)")
        let challenge = try #require(Base64URL.decode(text))
        #expect(String(decoding: challenge, as: UTF8.self).hasPrefix("tenure/v2/challenge\n"))
        return try await prove(key, device)
    }

    /// Picks an account, and signs its challenge with a device. It follows no redirect.
    fileprivate func pick(_ id: String, at company: String, on page: Page, _ device: Device) async throws -> Page {
        let part = try #require(
            page.html.components(separatedBy: "<form ").first {
                $0.contains("data-employee=\"\(id)\"") && $0.contains("data-company=\"\(company)\"")
            }, "\(page)")
        let form = try Page(
            reply: try HTTPReply(
                Array("HTTP/1.1 200 OK\r\nContent-Security-Policy: form-action 'self'\r\n\r\n<form \(part)".utf8))
        )
        .form("/flow/account")
        let text = try #require(part.firstMatch(of: /data-pick="([^"]*)"/)?.output.1)
        let challenge = try #require(Base64URL.decode(String(text)))
        #expect(String(decoding: challenge, as: UTF8.self).hasPrefix("tenure/v1/challenge\n"))
        let proof = try bytes(base64: try device.sign(challenge, .raw))
        return try await submit(form, ["proof": Base64URL.encode(proof)])
    }
}

/// The log-in by an address, through the pages.
@Suite(.onServer, .sharedWorld { $0.servesPages = true })
struct `A log-in by an address` {
    /// A founder of two companies that link the pages, and of one that does not.
    private func founder(
        _ word: String, questions: Bool = false
    ) async throws -> (first: Member, second: Member, hidden: Member) {
        let world = try sharedWorld(), client = try world.client
        let name = { (number: Int) in "\(word)-\(number).example" }
        let person = questions ? Person.withQuestions("one", at: name(1)) : Person("one", at: name(1))
        let first = try await client.found(name(1), by: person)
        let second = try await client.found(name(2), by: person.also("two", at: name(2)))
        let hidden = try await client.found(name(3), by: person.also("three", at: name(3)))
        for number in 1...2 { try await world.linkPages(to: name(number)) }
        return (first, second, hidden)
    }

    @Test(arguments: [false, true]) func `ends at the account that the person picks`(questions: Bool) async throws {
        let world = try sharedWorld()
        let (first, second, _) = try await founder("by-address-\(questions)", questions: questions)
        let browser = PageClient(try world.client)
        let secret = try await browser.beginLogIn(by: first.person.email.uppercased(), second.device)
        #expect(secret.text.contains(first.person.email.uppercased()), "\(secret)")
        let proved = try await browser.answer(secret, first.person)
        #expect(proved.place == "/flow/account", "\(proved)")
        let choice = try await browser.follow(proved)
        #expect(choice.text.contains("one at \(first.person.company)"), "\(choice.text)")
        #expect(choice.text.contains("two at \(second.person.company)") && !choice.text.contains("three at"))
        let done = try await browser.pick("two", at: second.person.company, on: choice, second.device)
        #expect(done.location == "/account", "\(done)")
        #expect(try await browser.open("/login").text.contains("You are logged in as two"))
        // The flow has had its outcome.
        let again = try await browser.pick("one", at: first.person.company, on: choice, second.device)
        #expect(again.status == 200 && again.title == "You are logged in", "\(again)")
        // The ledger has a usual log-in, with the challenge of the account, beside the proof of the registration.
        let events = try await world.client.events(second.person.company)
        let validated = events.filter { $0["type"]?.text == (questions ? "AnswersValidated" : "PassphraseValidated") }
        #expect(validated.count == 2, "\(events)")
        #expect(try await world.violations() == [])
    }

    @Test func `on a new device waits for an approval`() async throws {
        let world = try sharedWorld()
        let (first, _, _) = try await founder("by-address-new")
        let browser = PageClient(try world.client), device = Device()
        let secret = try await browser.beginLogIn(by: first.person.email, device)
        let choice = try await browser.follow(try await browser.answer(secret, first.person))
        let waiting = try await browser.pick("one", at: first.person.company, on: choice, device)
        #expect(waiting.place == "/waiting", "\(waiting)")
        #expect(try await world.violations() == [])
    }

    @Test func `tells only after the proof that there is no account to use`() async throws {
        let world = try sharedWorld(), client = try world.client
        let hidden = try await client.found("by-address-hidden.example")
        _ = try await world.instance.commands.enablePages()
        let browser = PageClient(client)
        let secret = try await browser.beginLogIn(by: hidden.person.email, hidden.device)
        let none = try await browser.answer(secret, hidden.person)
        #expect(none.title == "No account to use here", "\(none)")
        #expect(try await browser.answer(secret, hidden.person).status >= 400)
    }

    @Test func `offers the accounts that the client takes`() async throws {
        let world = try sharedWorld()
        let (first, second, _) = try await founder("by-address-client")
        let party = try await RelyingParty.make(world, of: [second.person.company])
        let browser = PageClient(try world.client)
        let query = party.parameters([:]).map { "\(segment($0.0))=\(segment($0.1))" }.joined(separator: "&")
        let location = try #require(try await browser.get("/authorize?" + query).location)
        let handle = String(try #require(location.split(separator: "/").last))
        let secret = try await browser.beginLogIn(by: first.person.email, second.device, request: handle)
        let choice = try await browser.follow(try await browser.answer(secret, first.person))
        #expect(choice.text.contains("two at") && !choice.text.contains("one at"), "\(choice.text)")
        let done = try await browser.pick("two", at: second.person.company, on: choice, second.device)
        #expect(done.location == "/answer/\(handle)", "\(done)")
    }

    @Test func `with a wrong secret is shown to the companies of the person that link the pages`() async throws {
        let world = try sharedWorld(), client = try world.client
        let (first, second, hidden) = try await founder("by-address-failed")
        let browser = PageClient(client)
        let secret = try await browser.beginLogIn(by: first.person.email, first.device)
        var wrong = first.person
        wrong.passphrase = "not the passphrase"
        #expect(try await browser.answer(secret, wrong).status == 403)
        let pages = try await world.enablePages().uuidString.lowercased()
        for (member, count) in [(first, 1), (second, 1), (hidden, 0)] {
            let seen = try await client.events(
                member.person.company, "type=AttemptCharged&employee=\(member.person.id)", by: member.session)
            #expect(seen.map { $0["app"]?.text } == Array(repeating: pages, count: count), "\(seen)")
            #expect(seen.allSatisfy { $0["data"]?["device"]?.text == "unknown" })
        }
    }

    @Test func `looks the same for an address that nobody has`() async throws {
        let world = try sharedWorld()
        let (first, _, _) = try await founder("by-address-decoy")
        var refusals: Set<String> = [], asked = 0
        for address in [first.person.email] + (0..<40).map({ "nobody-\($0)@mail.example" }) {
            let browser = PageClient(try world.client)
            let secret = try await browser.beginLogIn(by: address, Device())
            #expect(secret.status == 200, "\(secret)")
            var wrong = first.person
            wrong.passphrase = "wrong \(Person.word())"
            guard asked < 4, (try? secret.form("/flow/passphrase")) != nil else { continue }
            asked += 1
            let refused = try await browser.answer(secret, wrong)
            #expect(refused.status == 403, "\(refused)")
            refusals.insert(refused.text.replacing(address, with: "A"))
            // Nobody gets past the secret.
            #expect(try await browser.get("/flow/account").place == "/flow/passphrase")
        }
        #expect(asked > 1 && refusals.count == 1, "\(refusals)")
    }
}

/// The last step of the log-in by an address, with a clock of its own.
@Suite(.onServer)
struct `A choice among the accounts of an address` {
    @Test func `is refused to another device, another account and after two minutes`() async throws {
        let clock = TestClock()
        var options = WorldOptions.waiting(clock)
        options.servesPages = true
        try await inTurn(options) { world in
            let client = try world.client
            let member = try await client.found("by-address-late.example")
            try await world.linkPages(to: member.person.company)
            let browser = PageClient(client)
            func choice() async throws -> Page {
                let secret = try await browser.beginLogIn(by: member.person.email, member.device)
                return try await browser.follow(try await browser.answer(secret, member.person))
            }
            let first = try await choice()
            let stranger = try await browser.pick(member.person.id, at: member.person.company, on: first, Device())
            #expect(stranger.status == 400 && stranger.title == "This browser could not be recognized", "\(stranger)")
            let form = try first.form("/flow/account")
            let other = try await browser.submit(form, ["account": UUID().uuidString.lowercased(), "proof": "AA"])
            #expect(other.status >= 400 && other.status < 500, "\(other)")
            let second = try await choice()
            clock.pass(.seconds(121))
            let late = try await browser.pick(member.person.id, at: member.person.company, on: second, member.device)
            #expect(late.status == 409 && late.title == "This log-in has ended", "\(late)")
            let done = try await browser.pick(
                member.person.id, at: member.person.company, on: try await choice(), member.device)
            #expect(done.location == "/account", "\(done)")
        }
    }
}

/// What a right secret of an address leaves, although the person stops before an account is picked.
@Suite(.onServer)
struct `A proof of an address` {
    @Test func `on a new device is in the log, is refunded, and is told to the owner`() async throws {
        try await WaitingScene.with("by-address-trace.example") { scene in
            let world = scene.world, member = scene.member
            func told() async throws -> Int {
                try await world.until { try await world.number("SELECT count(*) FROM tenure.mail_outbox") == 0 }
                return scene.mailbox.copies.count {
                    $0.text.contains("Your answers or your passphrase were entered")
                }
            }
            func stop(_ device: Device) async throws {
                let browser = PageClient(scene.client)
                let secret = try await browser.beginLogIn(by: member.person.email, device)
                #expect(try await browser.answer(secret, member.person).place == "/flow/account")
            }
            let cleared = try await world.count("AttemptsCleared")
            try await stop(Device())
            #expect(try await world.count("AddressProved") == 1)
            #expect(try await world.count("AttemptsCleared") == cleared + 1)
            #expect(try await told() == 1)
            // A device of the person's own is no news.
            try await stop(member.device)
            #expect(try await world.count("AddressProved") == 2)
            #expect(try await told() == 1)
            // Three mails a day, however often somebody tries.
            for _ in 0..<4 { try await stop(Device()) }
            #expect(try await told() == 3)
            #expect(try await world.violations() == [])
        }
    }

    @Test func `charges nothing in the end, so a person who changes their mind is not locked out`() async throws {
        var options = WorldOptions()
        options.servesPages = true
        try await inTurn(options) { world in
            let member = try await world.client.found("by-address-refund.example")
            try await world.linkPages(to: member.person.company)
            for _ in 0..<12 {
                let browser = PageClient(try world.client)
                let secret = try await browser.beginLogIn(by: member.person.email, Device())
                #expect(try await browser.answer(secret, member.person).place == "/flow/account")
            }
            let browser = PageClient(try world.client)
            let secret = try await browser.beginLogIn(by: member.person.email, member.device)
            let choice = try await browser.follow(try await browser.answer(secret, member.person))
            let done = try await browser.pick(member.person.id, at: member.person.company, on: choice, member.device)
            #expect(done.location == "/account", "\(done)")
            #expect(try await world.count("AttemptsCleared") == 13)
            #expect(try await world.violations() == [])
        }
    }
}
