import Canonical
import FoundationEssentials
@testable import Identity
import Testing
@testable import IdentityService

@Suite struct WaitSummaryTests {
    private func entry(_ id: String, _ origin: WaitingEntry.Origin = .open, isConfirmed: Bool = false) -> WaitingEntry {
        WaitingEntry(
            employee: UUID(), companyEmployeeId: id, address: "a@b.example", isAddressConfirmed: isConfirmed,
            needsApproval: false, isNewPerson: true, isAdministrative: false, origin: origin, device: nil,
            since: MailScene.start)
    }

    @Test(arguments: [
        ("cy", "cy"), ("Zoë-Lou_2", "Zoë-Lou_2"), ("cy@pier.example", "cy pier example"),
        ("https://evil.example/x", "https evil example x"), ("a．b／c：d", "a b c d"), ("a\u{2024}b\u{2044}c", "a b c"),
        ("\u{202E}evil\r\nBcc: x", "evil Bcc x"), ("<b>x</b>", "b x b"), ("صفاء", "صفاء"),
    ]) func `a name is left with letters, digits and hyphens`(name: String, expected: String) {
        #expect(WaitSummary.cleaned(name) == expected)
    }

    @Test func `a name of nothing but marks is none, and a long one is cut`() {
        #expect(WaitSummary.cleaned("://..") == nil && WaitSummary.cleaned("") == nil)
        #expect(WaitSummary.cleaned(String(repeating: "x", count: 10_000))?.count == WaitSummary.longestName)
    }

    @Test func `only somebody whom an admin or a mailbox vouches for is named`() throws {
        let words = MailTexts.words(of: .english)
        let strangers = try #require(WaitSummary([entry("log in at evil"), entry("x", .domain)]))
        #expect(strangers.name == nil && strangers.count == 2)
        #expect(
            strangers.sentences(words)
                == ["Waiting: 2", "With an address of your company’s domain: 1", "Without an invitation: 1"])
        let invited = try #require(WaitSummary([entry("cy", .invited), entry("evil")]))
        #expect(invited.sentences(words).last == "One of them: cy")
        #expect(try #require(WaitSummary([entry("joe", isConfirmed: true)])).name == "joe")
        #expect(WaitSummary([]) == nil)
    }

    @Test(arguments: MailLanguage.allCases)
    func `the mail says how many wait, and has the list and a link that stops it`(_ language: MailLanguage) throws {
        var content = MailContent(
            id: MailID(UUID()), kind: .somebodyWaits, language: language,
            settings: try #require(MailSettings(publicURL: "https://id.example", sender: "tenure@id.example")),
            recipient: try #require(DeliverableAddress("ada@mail.example")), domain: nil,
            link: "https://id.example/account/approvals", end: MailScene.start)
        content.waiting = WaitSummary((1...300).map { entry("flood\($0)") } + [])
        content.stopLink = "https://id.example/waiting/admins/a/b?expires=1&key=ab"
        let text = String(decoding: content.bytes(at: MailScene.start), as: UTF8.self)
        #expect(text.contains("300") && !text.contains("flood"))
        #expect(text.contains("https://id.example/account/approvals") && !text.contains("decision"))
        #expect(text.contains("List-Unsubscribe: <https://id.example/waiting/admins/a/b?expires=1&key=ab>\r\n"))
        #expect(text.contains("List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"))
        #expect(text.utf8.count < 6_000, "a flood makes a long mail")
    }
}
