import Canonical
import Foundation
@testable import Identity
import Testing
@testable import IdentityService

@Suite struct MailContentTests {
    private func content(
        _ kind: MailKind, _ language: MailLanguage = .english, domain: String? = nil, link: String? = nil,
        facts: MailFacts = MailFacts()
    ) throws -> String {
        let content = MailContent(
            id: MailID(UUID()), kind: kind, language: language,
            settings: try #require(MailSettings(publicURL: "https://id.example", sender: "tenure@id.example")),
            recipient: try #require(DeliverableAddress("zoe@mail.example")), domain: domain, link: link,
            end: MailScene.start, facts: facts)
        return String(decoding: content.bytes(at: MailScene.start), as: UTF8.self)
    }

    @Test(arguments: MailKind.allCases, MailLanguage.allCases)
    func `every mail is 7-bit text in short lines with one of each header`(
        _ kind: MailKind, _ language: MailLanguage
    ) throws {
        let long = String(repeating: "k", count: 64)
        let text = try content(
            kind, language, domain: "Müller & Söhne <b>\r\nBcc: eve@mail.example",
            link: "https://id.example/verify?expires=1&key=\(long)")
        let lines = text.components(separatedBy: "\r\n")
        #expect(text.utf8.allSatisfy { $0 == 0x0D || $0 == 0x0A || (0x20...0x7E).contains($0) })
        #expect(lines.allSatisfy { $0.utf8.count <= 76 && !$0.contains("\n") && !$0.contains("\r") })
        for name in ["From", "To", "Subject", "Date", "Message-ID", "MIME-Version"] {
            #expect(lines.filter { $0.hasPrefix("\(name): ") }.count == 1, "\(name)")
        }
        #expect(!lines.contains { $0.hasPrefix("Bcc") })
        // In plain text the name is only text.
        let html = try #require(text.components(separatedBy: "Content-Type: text/html").dropFirst().first)
        #expect(html.contains("&lt;b&gt;") && !html.contains("<b>"))
    }

    @Test(arguments: MailKind.allCases, MailLanguage.allCases)
    func `a mail has every text in each language, and no text of a file is left out`(
        _ kind: MailKind, _ language: MailLanguage
    ) {
        let texts = MailTexts(kind, domain: nil, by: "Harbour", until: MailScene.start, in: language)
        #expect(!texts.sentences.isEmpty && !texts.closing.isEmpty && texts.subject != kind.rawValue)
        #expect(!(texts.sentences + [texts.subject, texts.closing, texts.origin]).contains { $0.contains(/[{}]/) })
        let english = MailTexts.words(of: .english), words = MailTexts.words(of: language)
        #expect(words.keys.sorted() == english.keys.sorted())
        let waits = ["count", "invited", "domain", "open", "named"].map { "somebodyWaits.\($0)" }
        let parts = ["subject", "caption", "closing", "stop"] + (1...MailTexts.mostSentences).map { "text\($0)" }
        let names =
            waits
            + MailKind.allCases.flatMap { kind in
                parts.flatMap { ["\(kind.rawValue).\($0)", "\(kind.rawValue).first.\($0)"] }
            }
        #expect(words.keys.allSatisfy { $0.hasPrefix("origin.") || $0.hasPrefix("fact.") || names.contains($0) })
        for (name, text) in words {
            for value in ["{1}", "{2}"] {
                #expect(text.contains(value) == english[name]?.contains(value), "\(name)")
            }
            #expect(language == .english || text != english[name], "\(name)")
        }
    }

    @Test(arguments: MailLanguage.allCases)
    func `a mail about a person's own first device accuses nobody`(_ language: MailLanguage) throws {
        let words = MailTexts.words(of: language)
        func texts(_ isFirst: Bool) -> String {
            let texts = MailTexts(
                .deviceConfirmation, isFirst: isFirst, domain: nil, by: "Harbour", until: MailScene.start,
                in: language)
            return (texts.sentences + [texts.closing]).joined(separator: "\n")
        }
        for part in ["text1", "closing"] {
            let accusing = try #require(words["deviceConfirmation.\(part)"])
            let own = try #require(words["deviceConfirmation.first.\(part)"])
            #expect(texts(false).contains(accusing) && !texts(false).contains(own))
            #expect(texts(true).contains(own) && !texts(true).contains(accusing))
        }
    }

    @Test(arguments: [
        ("t@login.example", "\"Tenure\"\r\n <t@login.example>"),
        (" <t@login.example> \n", "\"Tenure\"\r\n <t@login.example>"),
        ("Tenure <t@login.example>", "\"Tenure\"\r\n <t@login.example>"),
        ("\"Tenure, Inc. \\\"x\\\"\" <t@login.example>", "\"Tenure, Inc. \\\"x\\\"\"\r\n <t@login.example>"),
        ("T\" <e@evil.example> <t@login.example>", "\"T\\\" <e@evil.example>\"\r\n <t@login.example>"),
        ("Zoë <t@login.example>", "=?utf-8?B?Wm/Dqw==?=\r\n <t@login.example>"),
    ]) func `a sender may have a name, which is one word of the header`(_ sender: String, _ header: String) throws {
        let settings = try #require(MailSettings(publicURL: "https://id.example", sender: sender))
        #expect(settings.sender == "t@login.example" && settings.domain == "login.example")
        let content = MailContent(
            id: MailID(UUID()), kind: .verify, language: .english, settings: settings,
            recipient: try #require(DeliverableAddress("zoe@mail.example")), domain: nil, link: nil,
            end: MailScene.start)
        let text = String(decoding: content.bytes(at: MailScene.start), as: UTF8.self)
        #expect(text.hasPrefix("From: \(header)\r\nTo: <zoe@mail.example>\r\n"), "\(text.prefix(200))")
    }

    @Test(arguments: [
        "", "Tenure", "Tenure <>", "Tenure <t@>", "Tenure <t@login.example> x", "Tenure t@login.example",
        "Ten\r\nBcc: e@evil.example <t@login.example>", "Ten\nure <t@login.example>", "T\u{202E} <t@login.example>",
        "T <t@login.example\r\nBcc: e@evil.example>", "T <a@b@login.example>", "T\0 <t@login.example>",
        String(repeating: "n", count: 65) + " <t@login.example>",
    ]) func `a sender that no header can hold is refused`(_ sender: String) {
        #expect(!MailSettings.isSender(sender))
        #expect(MailSettings(publicURL: "https://id.example", sender: sender) == nil)
    }

    @Test(arguments: MailLanguage.allCases)
    func `a mail says whose account it is about, who did it, where and when, and what nobody asks`(
        _ language: MailLanguage
    ) throws {
        let facts = MailFacts(
            account: "bo", company: .confirmed("pier.example"), actor: .colleague("ada"), device: "Firefox on Linux",
            time: MailScene.start, network: "192.0.x.x")
        let text = try content(.deviceAdded, language, facts: facts)
        let part = try #require(text.components(separatedBy: "\r\n--tenure-").dropFirst().first)
        let body = try #require(part.range(of: "\r\n\r\n")).upperBound
        let plain = QuotedPrintable.decode(part[body...].split(separator: "\r\n", omittingEmptySubsequences: false))
        for value in [": bo\n", "pier.example", ": ada\n", ": Firefox on Linux\n", " UTC\n", ": 192.0.x.x\n"] {
            #expect(plain.contains(value), "\(value)")
        }
        #expect(plain.contains(try #require(MailTexts.words(of: language)["origin.secret"])))
        #expect(facts.rows(MailTexts.words(of: language)).count == 6)
    }

    @Test(arguments: MailLanguage.allCases)
    func `a mail says in its language who caused it`(_ language: MailLanguage) throws {
        let words = MailTexts.words(of: language), label = try #require(words["fact.actor"])
        let actors: [MailFacts.Actor] = [.owner, .application, .prover, .registrant, .waiting, .colleague("ada")]
        let shown = actors.map { MailFacts(actor: $0).rows(words).filter { $0.label == label }.map(\.value) }
        #expect(shown.allSatisfy { $0.count == 1 } && Set(shown).count == actors.count, "\(shown)")
    }

    @Test(arguments: [
        ("harbour.example", "harbour example"), ("https://evil.example/x", "https evil example x"),
        ("a@b.c", "a b c"), ("evil\u{3002}example\u{FF0F}x", "evil example x"), ("a\r\nBcc: x", "a Bcc x"),
        ("a\u{202E}b\u{200B}c", "a b c"), (String(repeating: "y", count: 80), String(repeating: "y", count: 60) + "…"),
    ])
    func `a name that a stranger chose makes no link and no line`(_ name: String, _ shown: String) throws {
        #expect(MailFacts.plain(name) == shown)
        let facts = MailFacts(account: name, company: .claimed(name), actor: .colleague(name), device: name)
        let rows = facts.rows(MailTexts.words(of: .english))
        #expect(rows.count == 4 && rows.allSatisfy { $0.value.contains(shown) && !$0.value.contains(name + ".") })
        #expect(rows[1].value == "a company that calls itself “\(shown)”")
    }

    @Test(
        arguments: [
            ("192.0.2.7", "192.0.x.x"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"), ("2001:db8::7", "2001:db8::"),
            ("", nil), ("::1", nil), ("localhost", nil), ("1.2.3", nil), ("1.2.3.400", nil), ("[erased]", nil),
        ] as [(String, String?)])
    func `a network is the first half of an address`(_ address: String, _ half: String?) {
        #expect(MailFacts.half(address) == half)
    }

    @Test func `a mail has the operator's name, colour and contact, and a button with its link below`() throws {
        var settings = try #require(MailSettings(publicURL: "https://id.example", sender: "t@id.example"))
        settings.brand.name = "Harbour"
        settings.brand.colour = Colour(hex: "#0b5c4a")
        settings.brand.contact = "mailto:help@harbour.example"
        let content = MailContent(
            id: MailID(UUID()), kind: .verify, language: .english, settings: settings,
            recipient: try #require(DeliverableAddress("zoe@mail.example")), domain: nil,
            link: "https://id.example/v?a=1&b=2", end: MailScene.start)
        let text = String(decoding: content.bytes(at: MailScene.start), as: UTF8.self)
        #expect(text.hasPrefix("From: \"Harbour\"\r\n <t@id.example>\r\n"))
        let html = QuotedPrintable.decode(
            text.components(separatedBy: "text/html; charset=utf-8").last?.split(
                separator: "\r\n", omittingEmptySubsequences: false) ?? [])
        #expect(html.contains("background:#0b5c4a") && html.contains("href=\"mailto:help@harbour.example\""))
        #expect(html.contains(">https://id.example/v?a=1&amp;b=2</p>") && html.contains("Sent by Harbour."))
    }

    @Test func `a long subject takes several short lines`() {
        for text in ["ü", String(repeating: "ü", count: 19), String(repeating: "ä€", count: 60)] {
            let lines = "Subject: \(MailContent.encodedWords(text))".components(separatedBy: "\r\n")
            #expect(lines.allSatisfy { $0.utf8.count <= 76 })
            #expect(lines.dropFirst().allSatisfy { $0.hasPrefix(" =?utf-8?B?") })
        }
    }

    @Test func `quoted-printable text reads back as it was`() {
        for text in ["", "a\nb\n", "ü=ß \nlast", String(repeating: "ä", count: 200), "trailing \n"] {
            let lines = QuotedPrintable.lines(text)
            #expect(lines.allSatisfy { $0.utf8.count <= 76 && !$0.hasSuffix(" ") })
            #expect(QuotedPrintable.decode(lines.map { Substring($0) }) == text + "\n")
        }
    }

    @Test(arguments: [
        "", "a", "@a", "a@", "a@@b", "a@b@c", "a b@c", "a@b c", "<a@b>", "a@b>", "a\r\n@b", "a@b\n", "ä@b", "a@b..c",
        "a@-b", "\"a\"@b", "a,b@c", "a;b@c", "a@[127.0.0.1]", "ä@müller.example", "a@☕.example", "a@mül_ler.example",
        "a@müller.example\r\nBcc: b@c", "a\r\n@müller.example", "a@b@müller.example", "a>@müller.example",
        "a@müller.example.", "a@STRAẞE.example", "1@müller.dummy-email",
    ])
    func `other texts are no addresses`(_ text: String) { #expect(DeliverableAddress(text) == nil) }

    @Test(arguments: ["a@b", "Zoe.O'Hara+x@Mail.Example", "a_b-c@d-e.f"])
    func `an address is kept as it is`(_ text: String) { #expect(DeliverableAddress(text)?.text == text) }

    @Test func `an internationalized domain is in A-labels`() {
        #expect(DeliverableAddress("Zoe@Müller.example")?.text == "Zoe@xn--mller-kva.example")
        #expect(DeliverableAddress("a@straße.example")?.domain == "xn--strae-oqa.example")
        #expect(DeliverableAddress("a\u{FF20}MÜLLER.example")?.text == "a@xn--mller-kva.example")
        #expect(DeliverableAddress("a\u{FF20}plain.example")?.text == "a@plain.example")
    }

    @Test func `waits double from ten seconds to an hour`() {
        let waits = (1...12).map { MailOutboxWorker.wait(after: $0).components.seconds }
        #expect(waits == [10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600, 3_600])
        #expect(MailOutboxWorker.wait(after: 1_000_000) == .seconds(3_600))
    }

    @Test func `dates are those of RFC 5322`() {
        #expect(MailDate.text(Timestamp(microseconds: 0)) == "Thu, 01 Jan 1970 00:00:00 +0000")
        #expect(MailDate.text(Timestamp(microseconds: 1_700_000_000_000_000)) == "Tue, 14 Nov 2023 22:13:20 +0000")
    }

    @Test func `a language is the first that has a text`() {
        #expect(MailLanguage.choose(["it", "de-CH", "fr"]) == .german)
        #expect(MailLanguage.choose(["fr-CA", "de"]) == .french)
        #expect(MailLanguage.choose(["EN-gb"]) == .english)
        #expect(MailLanguage.choose(["it"]) == nil)
    }
}
