import Canonical
import Crypto
import CryptoExtras
import Foundation
import IdentityService
import TenureAPI
import TestSupport
import Testing

/// Bad input of passkeys on the pages: whatever is wrong has one answer, and nothing of it is recorded.
@Suite(
    .onServer,
    .sharedWorld {
        $0.servesPages = true
        $0.settings.tokenIssuer = PasskeyScene.origin
    })
struct `Bad input of passkeys on the pages` {
    private func scene(_ company: String, _ person: Person? = nil) async throws -> PasskeyScene {
        try await PasskeyScene(company, person, in: try sharedWorld())
    }

    private func expectLawful(_ scene: PasskeyScene, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let found = try await scene.violations(in: try sharedWorld()).violations
        #expect(found == [], "\(found)", sourceLocation: sourceLocation)
    }

    // MARK: Log-in

    @Test func `a log-in that proves something else has the answer of an unknown credential`() async throws {
        let scene = try await scene("bad-login.example"), passkey = try await scene.add()
        let before = try await scene.client.events(scene.company).count
        var unknown = PasskeyScene.authenticator()
        unknown.handle = passkey.handle
        let elsewhere = PageClient(scene.client), first = try await scene.logIn(unknown, in: elsewhere)
        #expect(first.status == 400 && first.text.contains("This passkey cannot log in here"), "\(first.text)")
        // No page tells a browser to forget a credential that the service does not know.
        #expect(!first.html.contains(Base64URL.encode(unknown.id)) && !first.html.contains("signal"))

        var wrong = OddSaying.wrong
        wrong += [OddSaying(flags: 0x0D), OddSaying(flags: 0x1D), OddSaying(signer: P256.Signing.PrivateKey())]
        for odd in wrong {
            let page = try await scene.logIn(passkey, odd, in: elsewhere)
            #expect(page.status == first.status && page.text == first.text, "\(odd): \(page) \(page.text)")
        }
        let challenge = try await scene.challenge(elsewhere)
        let statement = Array("tenure/v1/key-authorization\n{}".utf8)
        for fields: [String: String?] in [
            ["proof": Base64URL.encode(try signature(of: passkey, over: challenge))],
            ["proof": try passkey.evidence(over: challenge, OddSaying(), type: "webauthn.create")],
            ["proof": try passkey.evidence(over: statement, OddSaying())],
            ["proof": ""], ["proof": nil], ["proof": "AgEA"], ["challenge": Base64URL.encode(statement)],
            ["challenge": nil], ["credential": nil], ["credential": ""], ["user": nil], ["user": ""],
            ["credential": Base64URL.encode(passkey.id + [0])], ["user": Base64URL.encode(passkey.handle + [0])],
        ] {
            let page = try await scene.logIn(passkey, in: elsewhere, over: challenge, fields: fields)
            #expect(page.status == first.status && page.text == first.text, "\(fields): \(page) \(page.text)")
        }
        // Everybody can sign with the key that verifies proofs for a credential that nobody has, or of another algorithm.
        let one = try P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 0, count: 31) + [1])
        var rsa = passkey
        rsa.rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        for (credential, odd) in [(unknown, OddSaying(signer: one)), (passkey, OddSaying(signer: one)), (rsa, .init())]
        {
            let page = try await scene.logIn(credential, odd, in: elsewhere)
            #expect(page.status == first.status && bare(page) == bare(first), "\(page)")
        }
        #expect(elsewhere.cookies["tenure"] == nil)
        #expect(try await scene.client.events(scene.company).count == before)
        // The challenge that was answered wrongly so often is right for who answers it.
        let done = try await scene.logIn(passkey, in: elsewhere, over: challenge)
        #expect(done.status == 303 && done.location == "/account", "\(done) \(done.text)")
        try await expectLawful(scene)
    }

    /// A page without the values of its forms, of which each page has one of its own.
    private func bare(_ page: Page) -> String { page.html.replacing(/value="[^"]*"/, with: "") }

    private func signature(of passkey: SoftwareAuthenticator, over bytes: [UInt8]) throws -> [UInt8] {
        Array(try passkey.privateKey.signature(for: bytes).rawRepresentation)
    }

    @Test func `client data in another order, unknown members and extension bytes log in`() async throws {
        let scene = try await scene("odd-login.example"), passkey = try await scene.add()
        for odd in OddSaying.right {
            let browser = PageClient(scene.client), done = try await scene.logIn(passkey, odd, in: browser)
            #expect(done.status == 303 && done.location == "/account", "\(odd): \(done) \(done.text)")
        }
        try await expectLawful(scene)
    }

    /// As the authenticator of Windows makes them.
    @Test func `a passkey with RS256 is added, logs in, and signs`() async throws {
        let scene = try await scene("rsa.example"), device = try await scene.furtherDevice()
        var made = PasskeyScene.authenticator()
        made.rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let passkey = try await scene.add(made), elsewhere = PageClient(scene.client)
        var other = passkey, ecdsa = passkey
        other.rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        ecdsa.rsa = nil
        for wrong in [other, ecdsa] {
            let page = try await scene.logIn(wrong, in: elsewhere)
            #expect(page.status == 400 && elsewhere.cookies["tenure"] == nil, "\(page) \(page.text)")
        }
        let browser = try await scene.entered(passkey)
        let (form, statement) = try await scene.signing(try await scene.askToRevoke(device, browser), browser)
        let done = try await browser.submit(form, ["signature": try passkey.evidence(over: statement, OddSaying())])
        #expect(done.status == 303, "\(done) \(done.text)")
        #expect(try await presentations(scene) == 1)
        try await expectLawful(scene)
    }

    @Test func `a creation with an RSA key of another form is refused`() async throws {
        let scene = try await scene("bad-rsa.example")
        let changes: [@Sendable (inout [UInt8]) -> Void] = [
            // Its algorithm, its length, an even modulus, an exponent of 3, a truncated key.
            { $0[34 + 6] = 0x01 }, { $0[34 + 9] = 0x02 }, { $0[34 + 266] &= 0xFE }, { $0[34 + 271] = 0x03 },
            { $0.removeLast() },
        ]
        var passkey = PasskeyScene.authenticator()
        passkey.rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        var creations = changes.map { [passkey] in passkey.creation(OddSaying(), change: $0) }
        passkey.rsa = try _RSA.Signing.PrivateKey(keySize: .bits4096)
        creations.append(passkey.creation(OddSaying()))
        for (place, creation) in creations.enumerated() {
            let challenge = try await scene.challenge(adding: scene.browser)
            var fields = creation
            fields["challenge"] = Base64URL.encode(challenge)
            fields["proof"] = try passkey.evidence(over: challenge, OddSaying())
            let page = try await scene.present(fields)
            #expect(page.status == 400, "\(place): \(page) \(page.text)")
        }
        #expect(try await presentations(scene) == 0)
    }

    @Test func `nobody logs in with the credential of another account or company`() async throws {
        let scene = try await scene("bad-owner.example"), victim = try await scene.add()
        let there = try await self.scene("bad-stranger.example"), own = try await there.add()
        let browser = PageClient(scene.client)
        var mixed: [SoftwareAuthenticator] = []
        var other = own
        other.handle = victim.handle
        mixed.append(other)
        other = victim
        other.handle = own.handle
        mixed.append(other)
        for passkey in mixed {
            let page = try await scene.logIn(passkey, in: browser)
            #expect(page.status == 400, "\(page)")
        }
        let stolen = try await scene.logIn(victim, OddSaying(signer: own.privateKey), in: browser)
        #expect(stolen.status == 400 && browser.cookies["tenure"] == nil, "\(stolen)")
        for (scene, passkey) in [(scene, victim), (there, own)] {
            let account = try await scene.entered(passkey).open("/account")
            #expect(account.text.contains(scene.company), "\(account.text)")
        }
    }

    @Test func `a challenge that presented a passkey logs nobody in, and one that logged in presents none`()
        async throws
    {
        let scene = try await scene("bad-reuse.example"), browser = scene.browser
        let first = try await scene.add()
        var second = PasskeyScene.authenticator()
        second.handle = first.handle
        let used = try await scene.challenge(adding: browser)
        var fields = second.creation(OddSaying())
        fields["challenge"] = Base64URL.encode(used)
        fields["proof"] = try second.evidence(over: used, OddSaying())
        let presented = try await scene.present(fields)
        #expect(presented.status == 200, "\(presented)")
        let before = try await scene.events("PasskeyValidated").count
        let replayed = try await scene.logIn(first, in: browser, over: used)
        #expect((400..<500).contains(replayed.status), "\(replayed)")
        #expect(try await scene.events("PasskeyValidated").count == before)

        let spent = try await scene.challenge(browser)
        let done = try await scene.logIn(first, in: browser, over: spent)
        #expect(done.status == 303, "\(done) \(done.text)")
        var third = PasskeyScene.authenticator()
        third.handle = first.handle
        fields = third.creation(OddSaying())
        fields["challenge"] = Base64URL.encode(spent)
        fields["proof"] = try third.evidence(over: spent, OddSaying())
        let refused = try await scene.present(fields)
        #expect((400..<500).contains(refused.status), "\(refused)")
        #expect(try await presentations(scene) == 2)
        try await expectLawful(scene)
    }

    /// How many passkeys were presented.
    private func presentations(_ scene: PasskeyScene) async throws -> Int {
        try await scene.events("EmployeeKeyPresented").count { $0["data"]?["kind"]?.text == "passkey" }
    }

    // MARK: Adding

    @Test func `a creation that says something else is refused, and nothing is presented`() async throws {
        let scene = try await scene("bad-creation.example"), passkey = PasskeyScene.authenticator()
        _ = try await scene.challenge(adding: scene.browser)
        var creations = OddSaying.wrong.map { passkey.creation($0) }
        creations.append(passkey.creation(OddSaying(), type: "webauthn.get"))
        let changes: [@Sendable (inout [UInt8]) -> Void] = [
            { $0.removeLast() }, { $0[34 + 4] = 0x27 }, { $0[34] = 0xA4 }, { $0[34 + 76] ^= 1 }, { $0 = [] },
            { $0[17] = 0 }, { $0 = Array($0.prefix(34)) + [UInt8](repeating: 0, count: 77) },
        ]
        creations += changes.map { passkey.creation(OddSaying(), change: $0) }
        let other = PasskeyScene.authenticator()
        for (name, value) in [
            ("spki", other.creation(OddSaying())["spki"]), ("spki", ""), ("spki", nil), ("random", nil),
            ("random", Base64URL.encode([UInt8](repeating: 1, count: 32))), ("authenticator", ""), ("client", nil),
        ] as [(String, String??)] {
            var fields = passkey.creation(OddSaying())
            fields[name] = value
            creations.append(fields)
        }
        let pages = try await concurrently(creations.count) { [creations] place in
            let challenge = try await scene.challenge(adding: scene.browser)
            var fields = creations[place]
            fields["challenge"] = Base64URL.encode(challenge)
            fields["proof"] = try passkey.evidence(over: challenge, OddSaying())
            return try await scene.present(fields)
        }
        for (place, page) in pages.enumerated() { #expect(page.status == 400, "\(place): \(page) \(page.text)") }
        #expect(try await presentations(scene) == 0)
        _ = try await scene.add(passkey)
        #expect(try await presentations(scene) == 1)
        try await expectLawful(scene)
    }

    @Test func `a creation without a right assertion over the challenge is refused`() async throws {
        let scene = try await scene("bad-get.example"), passkey = PasskeyScene.authenticator()
        let stranger = PasskeyScene.authenticator(), elsewhere = PageClient(scene.client)
        let entered = try await elsewhere.logIn(scene.member.person, scene.member.device)
        try #require(entered.location == "/account", "\(entered)")
        let foreign = try await scene.challenge(adding: elsewhere)
        var proofs: [@Sendable ([UInt8]) throws -> String?] = OddSaying.wrong.map { odd in
            { try passkey.evidence(over: $0, odd) }
        }
        proofs += [
            { _ in nil }, { _ in "" },
            { Base64URL.encode(Array(try passkey.privateKey.signature(for: $0).rawRepresentation)) },
            { try passkey.evidence(over: $0, OddSaying(), type: "webauthn.create") },
            { try passkey.evidence(over: $0 + [0], OddSaying()) },
            { try passkey.evidence(over: Array(SHA256.hash(data: $0)), OddSaying()) },
            { try stranger.evidence(over: $0, OddSaying()) }, { _ in try passkey.evidence(over: foreign, OddSaying()) },
        ]
        let pages = try await concurrently(proofs.count) { [proofs] place in
            let challenge = try await scene.challenge(adding: scene.browser)
            var fields = passkey.creation(OddSaying())
            fields["challenge"] = Base64URL.encode(challenge)
            fields["proof"] = .some(try proofs[place](challenge))
            return try await scene.present(fields)
        }
        for (place, page) in pages.enumerated() { #expect(page.status == 400, "\(place): \(page) \(page.text)") }
        // The challenges of another browser and of a log-in, each with a right assertion over it.
        for challenge in [foreign, try await scene.challenge(scene.browser)] {
            var fields = passkey.creation(OddSaying())
            fields["challenge"] = Base64URL.encode(challenge)
            fields["proof"] = try passkey.evidence(over: challenge, OddSaying())
            #expect(try await scene.present(fields).status == 400)
        }
        #expect(try await presentations(scene) == 0)
        _ = try await scene.add(passkey)
        try await expectLawful(scene)
    }

    @Test func `a creation with extension bytes, members in another order and unknown ones is added`() async throws {
        let scene = try await scene("odd-creation.example")
        for odd in OddSaying.right {
            let passkey = PasskeyScene.authenticator(), challenge = try await scene.challenge(adding: scene.browser)
            var fields = passkey.creation(odd)
            fields["challenge"] = Base64URL.encode(challenge)
            fields["proof"] = try passkey.evidence(over: challenge, odd)
            let answer = try await scene.present(fields)
            #expect(answer.status == 200, "\(odd): \(answer) \(answer.text)")
        }
        #expect(try await presentations(scene) == OddSaying.right.count)
        try await expectLawful(scene)
    }

    @Test func `one authenticator keeps the passkeys of one person in two companies`() async throws {
        let here = try await scene("one-key-here.example")
        let there = try await scene("one-key-there.example", here.member.person)
        // An authenticator has one credential for each site and handle: another one replaces it.
        var kept: [[UInt8]: SoftwareAuthenticator] = [:]
        for scene in [here, there] {
            let known = try await scene.addingPage().attribute("data-known")
            #expect(known == "", "an account's page names the passkeys of another one: \(known ?? "")")
            let passkey = try await scene.add()
            kept[passkey.handle] = passkey
            let listed = try await scene.addingPage().attribute("data-known")
            #expect(listed == Base64URL.encode(passkey.id))
        }
        #expect(kept.count == 2)
        for scene in [here, there] {
            let handle = try bytes(base64url: try await scene.addingPage().attribute("data-handle"))
            let passkey = try #require(kept[handle], "\(scene.company)")
            #expect(try await scene.entered(passkey).open("/account").text.contains(scene.company))
            try await expectLawful(scene)
        }
    }

    // MARK: Statements

    @Test func `a statement is signed by an assertion over it, of this site and by the session's passkey`() async throws
    {
        let scene = try await scene("bad-statement.example"), passkey = try await scene.add()
        let device = try await scene.furtherDevice(), another = try await scene.furtherDevice()
        let browser = try await scene.entered(passkey)
        let asked = try await scene.askToRevoke(device, browser)
        #expect(asked.attribute("data-passkey") == Base64URL.encode(passkey.id))
        let (_, foreign) = try await scene.signing(try await scene.askToRevoke(another, browser), browser)
        var wrong: [@Sendable ([UInt8]) throws -> String] = OddSaying.wrong.map { odd in
            { try passkey.evidence(over: $0, odd) }
        }
        wrong += [
            { try passkey.evidence(over: $0, OddSaying(flags: 0x0D)) },
            { try passkey.evidence(over: $0, OddSaying(signer: P256.Signing.PrivateKey())) },
            { try passkey.evidence(over: $0, OddSaying(), type: "webauthn.create") },
            { try passkey.evidence(over: $0 + [0], OddSaying()) },
            { _ in try passkey.evidence(over: foreign, OddSaying()) },
            // As a key in software signs.
            { Base64URL.encode(Array(try passkey.privateKey.signature(for: $0).rawRepresentation)) },
            { Base64URL.encode(Array(try passkey.privateKey.signature(for: $0).derRepresentation)) },
        ]
        let pages = try await concurrently(wrong.count) { [wrong] place in
            let (form, statement) = try await scene.signing(try await scene.askToRevoke(device, browser), browser)
            return try await browser.submit(form, ["signature": try wrong[place](statement)])
        }
        for (place, page) in pages.enumerated() {
            #expect(page.status == 403 && page.text.contains("The signature does not fit"), "\(place): \(page)")
        }
        let (form, statement) = try await scene.signing(try await scene.askToRevoke(device, browser), browser)
        let done = try await browser.submit(form, ["signature": try passkey.evidence(over: statement, OddSaying())])
        #expect(done.status == 303 && done.location?.hasPrefix("/account/devices?done=revoke") == true, "\(done)")
        let revoked = try await scene.events("EmployeeKeyRevoked")
        #expect(revoked.count == 1, "\(revoked)")
        try await expectLawful(scene)
    }

    @Test func `a key in software signs no statement as a passkey does`() async throws {
        let scene = try await scene("bad-kind.example"), device = try await scene.furtherDevice()
        let browser = scene.browser
        let (form, statement) = try await scene.signing(try await scene.askToRevoke(device, browser), browser)
        let challenge = Base64URL.encode(Array(SHA256.hash(data: statement)))
        let client = Array(
            #"{"type":"webauthn.get","challenge":"\#(challenge)","origin":"\#(PasskeyScene.origin)"}"#.utf8)
        let authenticator = Array(SHA256.hash(data: Array("localhost".utf8))) + [0x05, 0, 0, 0, 0]
        let signature = try bytes(
            base64: try scene.member.device.sign(authenticator + Array(SHA256.hash(data: client)), .raw))
        let refused = try await browser.submit(
            form, ["signature": SoftwareAuthenticator.framed(authenticator, client, signature)])
        #expect(refused.status == 403 && refused.text.contains("The signature does not fit"), "\(refused)")
        #expect(try await scene.events("EmployeeKeyRevoked") == [])
        let again = try await scene.signing(try await scene.askToRevoke(device, browser), browser)
        let own = try bytes(base64: try scene.member.device.sign(again.statement, .raw))
        let done = try await browser.submit(again.form, ["signature": Base64URL.encode(own)])
        #expect(done.status == 303, "\(done)")
    }

    @Test func `a passkey's key logs nobody in as a key in software does`() async throws {
        let scene = try await scene("bad-kind-login.example"), passkey = try await scene.add()
        let browser = PageClient(scene.client), person = scene.member.person
        let begun = try await browser.submit(
            try await browser.open("/login").form("/login"),
            ["company": person.company, "employee": person.id, "key": Base64URL.encode(passkey.publicKey)])
        let asked = try await browser.follow(begun)
        let challenge = try bytes(base64url: asked.attribute("data-challenge"))
        let proof = Base64URL.encode(try signature(of: passkey, over: challenge))
        let proved = try await browser.follow(
            try await browser.submit(try asked.form("/flow/key"), ["proof": proof]))
        // A service that knows the key only after the secret refuses it then.
        if (try? proved.form("/flow/passphrase")) != nil {
            let done = try await browser.answer(proved, person)
            #expect((400..<500).contains(done.status), "\(done)")
        }
        #expect(browser.cookies["tenure"] == nil)
        try await expectLawful(scene)
    }

    @Test func `two statements that overtake each other are both taken`() async throws {
        let scene = try await scene("overtaking.example"), passkey = try await scene.add()
        let devices = [try await scene.furtherDevice(), try await scene.furtherDevice()]
        let browser = try await scene.entered(passkey)
        var forms: [(form: Form, statement: [UInt8])] = []
        for device in devices {
            forms.append(try await scene.signing(try await scene.askToRevoke(device, browser), browser))
        }
        // The authenticator signs the first one first, and the second one arrives first.
        for (place, counter) in [(1, 8), (0, 7)] as [(Int, UInt8)] {
            let proof = try passkey.evidence(over: forms[place].statement, OddSaying(counter: counter))
            let done = try await browser.submit(forms[place].form, ["signature": proof])
            #expect(done.status == 303 && done.location?.contains("done=revoke") == true, "\(place): \(done)")
        }
        #expect(try await scene.events("EmployeeKeyRevoked").count == 2)
        #expect(try await scene.events("PasskeyCounterRepeated") == [])
        try await expectLawful(scene)
    }
}

/// A copy of an authenticator, by the service's own clock.
@Suite(.onServer)
struct `A cloned authenticator` {
    /// Logs in with a passkey and the secret, in a new browser.
    ///
    /// - Parameter meanwhile: What happens between the passkey's signature and the secret.
    private func logInWithSecret(
        _ scene: PasskeyScene, _ passkey: SoftwareAuthenticator, counter: UInt8,
        meanwhile: () async throws -> Void = {}
    ) async throws -> Page {
        let browser = PageClient(scene.client), odd = OddSaying(counter: counter)
        let page = try await browser.follow(
            try await scene.logIn(passkey, odd, in: browser, fields: ["with": "secret"]))
        let challenge = try bytes(base64url: page.attribute("data-challenge"))
        let proof = try passkey.evidence(over: challenge, odd)
        let proved = try await browser.submit(try page.form("/flow/key"), ["proof": proof])
        try await meanwhile()
        return try await browser.answer(try await browser.follow(proved), scene.member.person)
    }

    @Test func `logs in, and is told, unless log-ins overtook each other within two minutes`() async throws {
        let clock = TestClock()
        var options = WorldOptions.waiting(clock)
        options.servesPages = true
        options.settings.tokenIssuer = PasskeyScene.origin
        try await inTurn(options) { world in
            let scene = try await PasskeyScene("cloned.example", in: world), passkey = try await scene.add()
            func use(_ counter: UInt8, sourceLocation: SourceLocation = #_sourceLocation) async throws {
                let browser = PageClient(scene.client)
                let done = try await scene.logIn(passkey, OddSaying(counter: counter), in: browser)
                #expect(
                    done.status == 303 && done.location == "/account", "\(counter): \(done) \(done.text)",
                    sourceLocation: sourceLocation)
            }
            try await use(8)
            try await use(7)
            #expect(try await scene.events("PasskeyCounterRepeated") == [])
            clock.pass(.seconds(300))
            try await use(9)
            #expect(try await scene.events("PasskeyCounterRepeated") == [])
            clock.pass(.seconds(300))
            try await use(9)
            try await use(3)
            let repeated = try await scene.events("PasskeyCounterRepeated").map { $0["data"] }
            #expect(repeated.map { $0?["counter"]?.number } == [9, 3], "\(repeated)")
            #expect(repeated.allSatisfy { $0?["previous"]?.number == 9 }, "\(repeated)")
            let found = try await scene.violations(in: world)
            #expect(found.violations == [] && found.notes.contains { $0.contains("counted no further") }, "\(found)")
        }
    }

    @Test func `is found by what it signs beside the secret`() async throws {
        let clock = TestClock()
        var options = WorldOptions.waiting(clock)
        options.servesPages = true
        options.settings.tokenIssuer = PasskeyScene.origin
        try await inTurn(options) { world in
            let scene = try await PasskeyScene("cloned-secret.example", in: world), passkey = try await scene.add()
            // The first log-in is counted, although it stands in the stream of its flow.
            for counter in [8, 5] as [UInt8] {
                let done = try await logInWithSecret(scene, passkey, counter: counter)
                #expect(done.location == "/account", "\(done) \(done.text)")
                clock.pass(.seconds(300))
            }
            let repeated = try await scene.events("PasskeyCounterRepeated").map { $0["data"] }
            #expect(repeated.map { $0?["counter"]?.number } == [5], "\(repeated)")
            #expect(repeated.first??["previous"]?.number == 8, "\(repeated)")
            let found = try await scene.violations(in: world)
            #expect(found.violations == [], "\(found)")
        }
    }

    @Test func `is not seen in a log-in with the secret that another one overtook`() async throws {
        let clock = TestClock()
        var options = WorldOptions.waiting(clock)
        options.servesPages = true
        options.settings.tokenIssuer = PasskeyScene.origin
        try await inTurn(options) { world in
            let scene = try await PasskeyScene("slow-secret.example", in: world), passkey = try await scene.add()
            let done = try await logInWithSecret(scene, passkey, counter: 5) {
                clock.pass(.seconds(180))
                _ = try await scene.logIn(passkey, OddSaying(counter: 8), in: PageClient(scene.client))
                clock.pass(.seconds(180))
            }
            #expect(done.location == "/account", "\(done) \(done.text)")
            #expect(try await scene.events("PasskeyCounterRepeated") == [])
            #expect(try await scene.violations(in: world).violations == [])
        }
    }

    @Test func `that is stopped spends nothing of the budget of the right secret`() async throws {
        let clock = TestClock()
        var options = WorldOptions.waiting(clock)
        options.servesPages = true
        options.settings.tokenIssuer = PasskeyScene.origin
        try await inTurn(options) { world in
            let scene = try await PasskeyScene("cloned-budget.example", in: world), passkey = try await scene.add()
            try await scene.client.change(policy: ["clonedKey": "stop"], of: scene.company, by: scene.founder)
            for counter in [8, 8] as [UInt8] {
                _ = try await scene.logIn(passkey, OddSaying(counter: counter), in: PageClient(scene.client))
                clock.pass(.seconds(300))
            }
            // More than the ten tries that an unknown device has.
            for _ in 0..<12 {
                let done = try await logInWithSecret(scene, passkey, counter: 9)
                #expect(done.status == 403, "\(done) \(done.text)")
            }
            let known = try await PageClient(scene.client).logIn(scene.member.person, scene.member.device)
            #expect(known.location == "/account", "\(known)")
            #expect(try await scene.violations(in: world).violations == [])
        }
    }
}

/// A synced passkey, which its sync provider may bring to any machine.
@Suite(.onServer)
struct `A synced passkey elsewhere` {
    @Test func `is mailed to a confirmed address, once for a browser`() async throws {
        let mailbox = Mailbox()
        var options = WorldOptions()
        options.servesPages = true
        options.settings.tokenIssuer = PasskeyScene.origin
        mailbox.serve(&options)
        try await inTurn(options) { world in
            let scene = try await PasskeyScene("synced-elsewhere.example", in: world)
            func texts() -> [String] {
                mailbox.copies.map {
                    $0.text.replacingOccurrences(of: "=\r\n", with: "").replacingOccurrences(of: "=3D", with: "=")
                }
            }
            func told() -> Int { texts().count { $0.contains("Subject: Your passkey was used in another browser") } }
            var made = PasskeyScene.authenticator()
            made.flags = 0x1D
            let passkey = try await scene.add(made), bound = try await scene.add()
            _ = try await scene.entered(passkey)
            expectOutcome(try await scene.client.post("/v1/me/email-verification", by: scene.member.session), "sent")
            let form = /https:\/\/id\.example(\/verify-email\/[0-9a-f-]{36}\?expires=\d+&key=[0-9a-f]{64})/
            func link() -> String? { texts().lazy.compactMap { $0.firstMatch(of: form).map { String($0.1) } }.first }
            try await world.until { link() != nil }
            #expect(try await world.press(try #require(link())).status == 200)
            #expect(told() == 0, "nobody had confirmed the address")

            let browser = try await scene.entered(passkey)
            try await world.until { told() == 1 }
            // Logged out it is still the same browser, and that of the device key is known too.
            browser.set(cookie: "tenure", nil)
            #expect(try await scene.logIn(passkey, in: browser).status == 303)
            scene.browser.set(cookie: "tenure", nil)
            #expect(try await scene.logIn(passkey, in: scene.browser).status == 303)
            _ = try await scene.entered(bound)
            let kinds = try await scene.events("MailQueued").map { $0["data"]?["kind"]?.text }
            #expect(kinds.count { $0 == "passkeyElsewhere" } == 1, "\(kinds)")
        }
    }
}

/// A person who types an address where their passkey is not in the browser's list.
@Suite(.onServer)
struct `A passkey after a log-in by an address` {
    @Test func `opens the session after a right secret, and is shown to nobody before`() async throws {
        var options = WorldOptions()
        options.servesPages = true
        options.settings.tokenIssuer = PasskeyScene.origin
        try await inTurn(options) { world in
            let scene = try await PasskeyScene("by-address-passkey.example", in: world)
            let passkey = try await scene.add(), other = PasskeyScene.authenticator(), person = scene.member.person
            func pick(_ browser: PageClient, _ proof: ([UInt8]) throws -> String) async throws -> Page {
                let device = Device(), page = try await browser.open("/login/address")
                let begun = try await browser.submit(
                    try page.form("/login/address"),
                    ["email": person.email, "key": Base64URL.encode(device.point)])
                let secret = try await browser.prove(try await browser.follow(begun), device)
                #expect(!secret.html.contains("data-passkey"), "\(secret.html)")
                let choice = try await browser.follow(try await browser.answer(secret, person))
                #expect(!choice.html.contains("id=\"only\""), "a passkey wants a click")
                let part = try #require(
                    choice.html.components(separatedBy: "<form ").first {
                        $0.contains("data-passkey=\"\(Base64URL.encode(passkey.id))\"")
                    }, "\(choice.html)")
                let head = "HTTP/1.1 200 OK\r\nContent-Security-Policy: form-action 'self'\r\n\r\n<form "
                let form = try Page(reply: try HTTPReply(Array((head + part).utf8))).form("/flow/account")
                let text = try #require(part.firstMatch(of: /data-pick="([^"]*)"/)?.output.1)
                return try await browser.submit(form, ["proof": try proof(try bytes(base64url: String(text)))])
            }
            for wrong in [
                { try other.evidence(over: $0, OddSaying()) }, { _ in try passkey.evidence(over: [1], OddSaying()) },
                { try passkey.evidence(over: $0, OddSaying(origin: "https://evil.example")) },
            ] as [([UInt8]) throws -> String] {
                let refused = try await pick(PageClient(scene.client), wrong)
                #expect(refused.status >= 400, "\(refused)")
            }
            let done = try await pick(PageClient(scene.client)) { try passkey.evidence(over: $0, OddSaying()) }
            #expect(done.location == "/account", "\(done) \(done.text)")
            #expect(try await scene.violations(in: world).violations == [])
        }
    }
}
