import Canonical
import CryptoExtras
import Foundation
import Identity
import IdentityService
import TenureAPI
import TestSupport
import Testing

/// Registrations on the pages that a passkey completes in place of questions.
@Suite(.onServer)
struct `A registration with a passkey` {
    private static let origin = "http://localhost:8080"

    /// A world whose pages take passkeys. It has to pass `verify` in the end.
    private func world(_ body: (TenureWorld, Client) async throws -> Void) async throws {
        var options = WorldOptions()
        options.servesPages = true
        options.settings.founding = .open
        options.settings.tokenIssuer = Self.origin
        try await inTurn(options) { world in
            try await world.enablePages()
            try await world.instance.commands.setOrigins(try PasskeyRules(rpID: "localhost", origins: [Self.origin]))
            try await body(world, try world.client)
            let verified = try await world.tenure(["verify"])
            #expect(verified.status == 0, "\(verified)")
        }
    }

    /// A company on the pages, which permits passkeys alone.
    private func company(
        _ name: String, _ policy: [String: JSONValue] = [:], _ world: TenureWorld, _ client: Client
    ) async throws -> Member {
        let founder = try await client.found(name)
        try await world.linkPages(to: name)
        let logIn: JSONValue = "passkeyOrSecret"
        try await client.change(policy: policy.merging(["logIn": logIn]) { own, _ in own }, of: name, by: founder)
        return founder
    }

    private func authenticator(
        synced: Bool = false, rpID: String = "localhost", origin: String = origin
    ) -> SoftwareAuthenticator {
        var made = SoftwareAuthenticator(rpID: rpID, origin: origin)
        if synced { made.flags |= SoftwareAuthenticator.Flags.backupEligible }
        return made
    }

    @Test func `founds a company with one policy, and a synced passkey carries no role`() async throws {
        try await world { world, client in
            for isSynced in [false, true] {
                let person = Person("ada", at: "founded-\(isSynced).example"), browser = PageClient(client)
                let asked = try await browser.register("/register/found", person, Device())
                #expect(asked.text.contains("Use a passkey instead") && asked.html.contains("name=\"question1\""))
                let passkey = try browser.named(authenticator(synced: isSynced), on: asked)
                let done = try await browser.choose(passkey, on: asked)
                #expect(done.status == 303 && done.location == "/account/start", "\(done) \(done.text)")
                let steps = try await browser.open("/account/start")
                #expect(steps.title == "One step is missing", "\(steps)")
                #expect(steps.text.contains("Your passkey is synced.") == isSynced)
                #expect(try await browser.open("/account").html.contains("/account/invite") == !isSynced)

                let again = PageClient(client)
                #expect(try await again.logIn(with: passkey).location == "/account")
                #expect(try await again.open("/account").html.contains("/account/invite") == !isSynced)
                // The page says what to do before somebody types a list.
                let invite = try await again.open("/account/invite")
                #expect(invite.html.contains("<textarea") == !isSynced, "\(invite)")
                #expect(invite.text.contains("Log in again that way.") == isSynced, "\(invite.text)")
                // Nobody knows the secret: its page is that of anybody who has a passphrase.
                let wrong = try await PageClient(client).logIn(person, Device())
                #expect(wrong.status == 403 && wrong.text.contains("passphrase"), "\(wrong)")

                try await world.linkApp(world.app, to: person.company)
                let events = try await client.events(person.company)
                let policies = events.filter { $0["type"]?.text == "TenantPolicyChanged" }
                #expect(policies.count == 1 && policies[0]["data"]?["by"]?["kind"]?.text == "founding", "\(policies)")
                let keys = events.filter { $0["type"]?.text == "EmployeeKeyPresented" }
                #expect(keys.count == 1 && keys[0]["data"]?["kind"]?.text == "passkey", "\(keys)")
            }
        }
    }

    @Test func `joins, also where questions are refused, and claims no address that nobody confirmed`() async throws {
        try await world { world, client in
            for (name, policy) in [("joined.example", [:]), ("joined-blind.example", ["blindOnly": JSONValue(true)])] {
                _ = try await company(name, policy, world, client)
                let person = Person("erik", at: name), browser = PageClient(client)
                let asked = try await browser.register("/register/join", person, Device())
                #expect(asked.html.contains("name=\"question1\"") == policy.isEmpty, "\(asked)")
                let passkey = try browser.named(authenticator(synced: true), on: asked)
                let done = try await browser.choose(passkey, on: asked)
                #expect(done.status == 303 && done.location?.hasPrefix("/waiting") == true, "\(done) \(done.text)")
                #expect(browser.cookies["tenure"] == nil, "the pages vouched for a stranger")
                #expect(try await browser.logIn(with: passkey).text.contains("has not been approved yet"))
                let path = client.path(person, "/keys/\(passkey.fingerprint)/authorization")
                expectOutcome(try await client.post(path), "done")
                #expect(try await PageClient(client).logIn(with: passkey).location == "/account")

                // Somebody else may register with the address.
                _ = try await company("second-" + name, [:], world, client)
                let also = person.also("e", at: "second-" + name)
                let other = try await PageClient(client).register("/register/join", also, Device())
                #expect(other.title == "Choose your questions", "\(other)")
            }
        }
    }

    /// As the authenticator of Windows makes them.
    @Test func `takes a passkey with RS256, which logs in`() async throws {
        try await world { world, client in
            let name = "joined-rsa.example", person = Person("ron", at: name), browser = PageClient(client)
            _ = try await company(name, [:], world, client)
            let asked = try await browser.register("/register/join", person, Device())
            var made = authenticator()
            made.rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            let passkey = try browser.named(made, on: asked), done = try await browser.choose(passkey, on: asked)
            #expect(done.status == 303 && done.location?.hasPrefix("/waiting") == true, "\(done) \(done.text)")
            let path = client.path(person, "/keys/\(passkey.fingerprint)/authorization")
            expectOutcome(try await client.post(path), "done")
            #expect(try await PageClient(client).logIn(with: passkey).location == "/account")
        }
    }

    @Test func `is enough for an invited person, whose address the invitation names`() async throws {
        try await world { world, client in
            let name = "invited-key.example", admin = try await company(name, [:], world, client)
            let person = Person("eva", at: name, email: "eva@mail.example")
            let salt = Base64.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) })
            let issued = try await client.signed(
                by: admin, "POST", client.path(name, "/invitations"),
                [
                    "companyEmployeeId": .string(person.id), "subjectSalt": .string(salt),
                    "email": .string(person.email),
                ])
            let code = try #require(issued["invitation"]?.text), browser = PageClient(client)
            let asked = try await browser.register("/join", person, Device(), code: code)
            let passkey = try browser.named(authenticator(), on: asked)
            let done = try await browser.choose(passkey, on: asked)
            #expect(done.location == "/account", "\(done) \(done.text)")
            #expect(try await browser.open("/account").text.contains("You are logged in as eva"))

            _ = try await company("second-invited.example", [:], world, client)
            let also = person.also("e", at: "second-invited.example")
            let other = try await PageClient(client).register("/register/join", also, Device())
            #expect(other.title == "Enter your passphrase", "\(other)")
            #expect(other.text.contains("Log in there in this browser") && !other.html.contains("data-signers"))

            // In the browser that is logged in, the passkey signs for one of the other company.
            let joining = try await browser.register("/register/join", also, Device())
            let second = try browser.named(authenticator(), on: joining)
            #expect(second.handle != passkey.handle, "one authenticator would keep one passkey for both")
            let stranger = authenticator()
            for signer in [stranger, second] {
                let refused = try await browser.join(second, on: joining, signedBy: signer)
                #expect(refused.status == 400 && refused.text.contains("The passkey was not added"), "\(refused)")
            }
            let elsewhere = try await browser.join(second, on: joining, signedBy: passkey, over: [1, 2, 3])
            #expect(elsewhere.status == 400, "\(elsewhere)")
            let joined = try await browser.join(second, on: joining, signedBy: passkey)
            #expect(joined.status == 303 && joined.location?.hasPrefix("/waiting") == true, "\(joined) \(joined.text)")
            let path = client.path(also, "/keys/\(second.fingerprint)/authorization")
            expectOutcome(try await client.post(path), "done")
            for key in [passkey, second] {
                #expect(try await PageClient(client).logIn(with: key).location == "/account")
            }
            let events = try await client.events(also.company)
            #expect(!events.contains { $0["type"]?.text == "JoinedByPasskey" }, "the company reads of the other one")
        }
    }

    @Test func `is refused where the company asks for a secret, also if it began to meanwhile`() async throws {
        try await world { world, client in
            let name = "secret-first.example", founder = try await company(name, [:], world, client)
            let browser = PageClient(client)
            let asked = try await browser.register("/register/join", Person("erik", at: name), Device())
            try await client.change(policy: ["logIn": "secret"], of: name, by: founder)
            let refused = try await browser.choose(try browser.named(authenticator(), on: asked), on: asked)
            #expect(refused.status == 403, "\(refused)")
            let late = try await PageClient(client).register("/register/join", Person("eve", at: name), Device())
            #expect(late.title == "Choose your questions" && !late.html.contains("data-handle"), "\(late)")
            let types = try await client.events(name).compactMap { $0["type"]?.text }
            #expect(types.count { $0 == "EmployeeRegistered" } == 1)
        }
    }

    @Test func `takes no passkey of another site, account or challenge, and questions remain`() async throws {
        try await world { world, client in
            let name = "wrong-key.example", person = Person("erik", at: name)
            _ = try await company(name, [:], world, client)
            let first = PageClient(client)
            let asked = try await first.register("/register/join", Person("first", at: name), Device())
            let taken = try first.named(authenticator(), on: asked), old = try await first.challenge(taken, on: asked)
            #expect(try await first.choose(taken, on: asked).status == 303)

            let browser = PageClient(client)
            let page = try await browser.register("/register/join", person, Device())
            let own = try browser.named(authenticator(), on: page)
            let former = try await browser.challenge(own, on: page)
            var unverified = own
            unverified.flags = SoftwareAuthenticator.Flags.present
            var again = page
            for (wrong, bytes) in [
                (authenticator(origin: "http://localhost:8081"), nil), (authenticator(rpID: "badlocalhost"), nil),
                (taken, nil), (own, old), (own, former), (unverified, nil),
                (own, Array("tenure/v1/challenge\n{}".utf8)),
            ] as [(SoftwareAuthenticator, [UInt8]?)] {
                again = try await browser.choose(wrong, on: again, over: bytes)
                #expect(again.status == 400 && again.text.contains("The passkey was not added"), "\(again)")
            }
            again = try await browser.choose(own, on: again, type: "webauthn.create")
            #expect(again.status == 400, "\(again)")
            let done = try await browser.choose(again, person)
            #expect(done.status == 303 && done.location?.hasPrefix("/waiting") == true, "\(done) \(done.text)")
        }
    }
}

extension PageClient {
    /// A passkey with the handle of the account that a page is about.
    fileprivate func named(_ made: SoftwareAuthenticator, on page: Page) throws -> SoftwareAuthenticator {
        var passkey = made
        passkey.handle = try #require(page.attribute("data-handle").flatMap { Base64URL.decode($0) }, "\(page)")
        return passkey
    }

    /// What a new passkey signs in the registration.
    fileprivate func challenge(_ passkey: SoftwareAuthenticator, on page: Page) async throws -> [UInt8] {
        let path = try #require(page.attribute("data-path"))
        let reply = try await submit(Form(action: path, fields: [("key", Base64URL.encode(passkey.publicKey))]))
        try #require(reply.status == 200, "\(reply)")
        return try #require(Base64URL.decode(reply.html))
    }

    /// Registers with a passkey, as the module of the page does. It follows no redirect.
    ///
    /// - Parameter other: What the passkey signs instead of the challenge.
    fileprivate func choose(
        _ passkey: SoftwareAuthenticator, on page: Page, over other: [UInt8]? = nil, type: String = "webauthn.get"
    ) async throws -> Page {
        let bytes = try await challenge(passkey, on: page)
        var fields = passkey.creation()
        fields["proof"] = try passkey.evidence(over: other ?? bytes, type: type)
        return try await submit(try page.form("/flow/passkey"), fields)
    }

    /// Registers a known person with a passkey, for which one of another account signs, as the module of the page does.
    ///
    /// - Parameter other: What that one signs instead of the challenge.
    fileprivate func join(
        _ passkey: SoftwareAuthenticator, on page: Page, signedBy signer: SoftwareAuthenticator,
        over other: [UInt8]? = nil
    ) async throws -> Page {
        let bytes = try await challenge(passkey, on: page)
        var fields = passkey.creation()
        fields["proof"] = try passkey.evidence(over: bytes)
        let path = try #require(page.attribute("data-path"))
        let key = (name: "key", value: Base64URL.encode(passkey.publicKey))
        let reply = try await submit(Form(action: path, fields: [key, ("joining", "true")]))
        try #require(reply.status == 200, "\(reply)")
        fields["challenge"] = reply.html
        fields["signed"] = try signer.evidence(over: other ?? #require(Base64URL.decode(reply.html)))
        return try await submit(try page.form("/flow/passkey"), fields)
    }

    /// Logs in with a passkey alone. It follows no redirect.
    fileprivate func logIn(with passkey: SoftwareAuthenticator) async throws -> Page {
        let challenge = try await submit(Form(action: "/passkey/challenge", fields: []))
        let bytes = try #require(Base64URL.decode(challenge.html))
        return try await submit(
            try await open("/login").form("/passkey/login"),
            [
                "credential": Base64URL.encode(passkey.id), "user": Base64URL.encode(passkey.handle),
                "challenge": challenge.html, "proof": try passkey.evidence(over: bytes),
            ])
    }
}
