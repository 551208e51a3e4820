import Canonical
import Foundation
import IdentityService
import Postgres
import Testing

/// Two domains that Unicode folds to one text, and that have different owners.
struct DomainPair: Sendable, CustomTestStringConvertible {
    /// What the attacker controls.
    let own: String
    /// What somebody else controls.
    let foreign: String

    var testDescription: String { "\(own), not \(foreign)" }

    /// The pairs, under names of a test's own.
    static func all(_ test: String) -> [DomainPair] {
        [
            DomainPair(own: "\(test)-straße.example", foreign: "\(test)-strasse.example"),
            DomainPair(own: "\(test)-weissbier.example", foreign: "\(test)-weißbier.example"),
            DomainPair(own: "\(test)-λόγος.example", foreign: "\(test)-λόγοσ.example"),
        ]
    }
}

/// What the owner of one domain did with addresses of another that Unicode folds to the same text.
@Suite(.onServer, .sharedWorld)
struct `Domains that fold to one text` {
    @Test(arguments: DomainPair.all("reclaims"))
    func `give no power over each other's addresses`(pair: DomainPair) async throws {
        let world = try sharedWorld(), client = try world.client
        let attacker = try await client.found(pair.own)
        try await world.confirmDomain(of: pair.own)
        let home = "home-of-\(pair.foreign)"
        let victim = try await client.found(home, by: Person("v", at: home, email: "v@\(pair.foreign)"))
        for spelling in ["v@\(pair.foreign)", "V@\(pair.foreign)", "v@\(pair.own)"] {
            try expectProblem(
                try await reclaim(spelling, pair.own, client, by: attacker), "email.not_reclaimable")
        }
        // The address is still the victim's.
        let device = Device()
        let asked = try await Flow.register(victim.person.also("w", at: pair.own), device, client).prove(device)
        #expect(asked.outcome == "validatePassphrase", "\(asked)")
    }

    @Test(arguments: DomainPair.all("confirms"))
    func `are reclaimed by the owner of each`(pair: DomainPair) async throws {
        let world = try sharedWorld(), client = try world.client
        let admin = try await client.found(pair.own)
        try await world.confirmDomain(of: pair.own)
        let squatter = "squatter-of-\(pair.own)"
        _ = try await client.found(squatter, by: Person("s", at: squatter, email: "s@\(pair.own)"))
        expectOutcome(try await reclaim("S@\(pair.own)", pair.own, client, by: admin), "done")
        let device = Device(), owner = Person("owner", at: pair.own, email: "s@\(pair.own)")
        let asked = try await Flow.register(owner, device, client).prove(device)
        expectOutcome(asked, "setCredentials")
    }

    @Test(arguments: DomainPair.all("flags"), [true, false])
    func `are not the company's own alike`(pair: DomainPair, isConfirmed: Bool) async throws {
        let world = try sharedWorld(), client = try world.client
        let company = "\(isConfirmed)-\(pair.own)", foreign = "\(isConfirmed)-\(pair.foreign)"
        _ = try await client.found(company)
        if isConfirmed { try await world.confirmDomain(of: company) }
        // The caller's spelling of the tenant's name does not choose the domain.
        for spelling in [company, foreign] {
            var eve = Person("eve", at: spelling, email: "eve@\(foreign)")
            eve.isCompanyOwnedEmail = true
            try expectProblem(
                try await client.post("/v1/registrations", eve.registration(Device())), "email.not_company_owned")
            var own = Person("own", at: spelling, email: "own@\(company)")
            own.isCompanyOwnedEmail = true
            #expect(try await client.post("/v1/registrations", own.registration(Device())).status == 201)
        }
    }

    @Test(arguments: DomainPair.all("claims"))
    func `have addresses of their own`(pair: DomainPair) async throws {
        let client = try sharedWorld().client
        try await expectTwoPeople("a@\(pair.own)", "a@\(pair.foreign)", client)
    }

    @Test(arguments: [
        ("straße@locals.example", "strasse@locals.example"), ("οδός@locals.example", "οδόσ@locals.example"),
        ("ｚｏｅ@locals.example", "zoe@locals.example"), ("É@locals.example", "é@locals.example"),
        ("ﬁn@locals.example", "fin@locals.example"),
    ])
    func `belong to different people if their local parts differ`(first: String, second: String) async throws {
        try await expectTwoPeople(first, second, try sharedWorld().client)
    }

    @Test(arguments: [
        ("Ann@Spell-Straße.example", "ann@xn--spell-strae-46a.example"),
        ("bob@SPELL-müller.example", "BOB@xn--spell-mller-zhb.example"),
        ("carl@spell-mu\u{308}ller.example", "carl@ｓｐｅｌｌ－müller．example"),
        ("dan@XN--SPELL-MLLER-ZHB.EXAMPLE", "dan@spell-müller.example"),
        ("eva＠plain.spell.example", "EVA@Plain.SPELL.example"),
    ])
    func `are one if they are spellings of one domain`(first: String, second: String) async throws {
        let client = try sharedWorld().client
        let home = "spells-\(Person.word()).example"
        let member = try await client.found(home, by: Person("a", at: home, email: first))
        var again = member.person.also("b", at: home)
        again.email = second
        let device = Device()
        let asked = try await Flow.register(again, device, client).prove(device)
        #expect(asked.outcome == "validatePassphrase", "\(asked)")
    }

    @Test(arguments: DomainPair.all("invites"))
    func `are not invited alike`(pair: DomainPair) async throws {
        let client = try sharedWorld().client
        let name = "inviting-\(Person.word()).example"
        let admin = try await client.found(name)
        try await client.change(policy: ["registrationMode": "invited"], of: name, by: admin)
        let salt = Base64.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        let invited = try await client.signed(
            by: admin, "POST", client.path(name, "/invitations"),
            [
                "companyEmployeeId": "zoe", "subjectSalt": .string(salt), "email": .string("zoe@\(pair.foreign)"),
            ])
        let token = try #require(invited["invitation"]?.text, "\(invited)")
        for (email, status) in [("zoe@\(pair.own)", 403), ("ZOE@\(pair.foreign)", 201)] {
            var body = Person("zoe", at: name, email: email).registration(Device()).members
            body["invitation"] = .string(token)
            let reply = try await client.post("/v1/registrations", .object(body))
            #expect((reply.status == 201) == (status == 201), "\(email): \(reply)")
        }
    }

    @Test(arguments: [
        "a@xn--strasse-.example", "a@xn--ASCII-.example", "a@xn--a.example", "a@xn--\u{FC}-9aa.example",
        "a@xn--53h.example", "a@xn--straße.example", "a@mail.example.", "a@mail.example。", "a@.mail.example",
        "a@mail..example", "a@mail。example",
    ])
    func `refuse what is no label`(email: String) async throws {
        let client = try sharedWorld().client
        let person = Person("malformed", at: "labels.example", email: email)
        try expectProblem(try await client.post("/v1/registrations", person.registration(Device())), "email.invalid")
    }

    /// Two people register the addresses, and each sets credentials of their own.
    private func expectTwoPeople(_ first: String, _ second: String, _ client: Client) async throws {
        for (number, email) in [first, second].enumerated() {
            let company = "people-\(number)-\(Person.word()).example"
            let person = Person("p", at: company, email: email), device = Device()
            let flow = try await Flow.register(person, device, client)
            let asked = try await flow.prove(device)
            #expect(asked.outcome == "setCredentials", "\(email): \(asked)")
            expectOutcome(try await flow.complete(person, asked), "success")
        }
        // Each is known again.
        for email in [first, second] {
            let device = Device(), company = "again-\(Person.word()).example"
            let asked = try await Flow.register(Person("p", at: company, email: email), device, client).prove(device)
            #expect(asked.outcome == "validatePassphrase", "\(email): \(asked)")
        }
    }

    private func reclaim(
        _ email: String, _ company: String, _ client: Client, by admin: Member
    ) async throws -> HTTPReply {
        try await client.signed(
            by: admin, "POST", client.path(company, "/reclaimed-emails"),
            ["email": .string(email), "reason": "not ours"])
    }
}

@Suite(.onServer)
struct `The registration mode domain` {
    @Test(arguments: DomainPair.all("mode"))
    func `admits addresses of the confirmed domain, and of no other that folds to it`(pair: DomainPair) async throws {
        let mailbox = Mailbox()
        try await withMPin(policy: [:], mailbox: mailbox) { scene in
            let admin = try await scene.client.found(pair.own)
            try await scene.world.confirmDomain(of: pair.own)
            try await scene.client.change(policy: ["registrationMode": "domain"], of: pair.own, by: admin)
            for company in [pair.own, pair.foreign] {
                let eve = Person("eve", at: company, email: "eve@\(pair.foreign)")
                try expectProblem(
                    try await scene.client.post("/v1/registrations", eve.registration(Device())),
                    "registration.invitation_required")
            }
            // The mail goes to the domain as the mail system knows it.
            let person = Person("zoe", at: pair.own, email: "zoe@\(pair.own)")
            expectOutcome(try await scene.client.register(person, Device()), "authorizationPending")
            try await scene.mailsSettle()
            let recipient = try #require(mailbox.copies.last?.mail.recipient)
            #expect(recipient.utf8.allSatisfy { $0 < 0x80 } && recipient.hasPrefix("zoe@"), "\(recipient)")
            #expect(pair.own.utf8.allSatisfy { $0 < 0x80 } == !recipient.contains("@xn--"), "\(recipient)")
        }
    }

    @Test func `admits the people of an international domain in every spelling, and mails to the A-label`() async throws
    {
        let mailbox = Mailbox()
        try await withMPin(policy: [:], mailbox: mailbox) { scene in
            for company in ["both-müller.example", "xn--two-mller-u9a.example"] {
                let admin = try await scene.client.found(company)
                try await scene.world.confirmDomain(of: company)
                try await scene.client.change(policy: ["registrationMode": "domain"], of: company, by: admin)
            }
            let people = [
                ("both-müller.example", "a@both-müller.example", "a@xn--both-mller-feb.example"),
                ("both-müller.example", "b@xn--both-mller-feb.example", "b@xn--both-mller-feb.example"),
                ("BOTH-MÜLLER.example", "c@Both-Mu\u{308}ller.EXAMPLE", "c@xn--both-mller-feb.example"),
                ("xn--two-mller-u9a.example", "e@two-müller.example", "e@xn--two-mller-u9a.example"),
                ("both-müller.example", "d\u{FF20}both-müller.example", "d@xn--both-mller-feb.example"),
            ]
            for (company, email, recipient) in people {
                let person = Person(String(email.prefix(1)), at: company, email: email)
                expectOutcome(try await scene.client.register(person, Device()), "authorizationPending")
                try await scene.mailsSettle()
                #expect(mailbox.copies.last?.mail.recipient == recipient, "\(email)")
                #expect(mailbox.copies.last?.header("To") == ["<\(recipient)>"], "\(email)")
            }
        }
    }
}
