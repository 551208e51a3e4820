import Foundation
import Testing

@testable import HTTPAPI

@Suite struct PageWordTests {
    private static let names = PageWords.of(.english).keys.sorted()

    @Test(arguments: PageLanguage.allCases) func `a language has every text and no other`(language: PageLanguage) {
        let texts = PageWords.of(language)
        #expect(texts.keys.sorted() == Self.names)
        #expect(texts.values.allSatisfy { !$0.isEmpty })
    }

    @Test func `a text has the same values in each language`() {
        for name in Self.names {
            let values = PageLanguage.allCases.map { language in
                Set((PageWords.of(language)[name] ?? "").matches(of: /\{\d+\}/).map { String($0.output) })
            }
            #expect(Set(values).count == 1, "\(name)")
        }
    }

    @Test func `texts differ between the languages`() {
        for name in Self.names {
            let texts = PageLanguage.allCases.map { PageWord(stringLiteral: name).text(in: $0, "A", "B") }
            #expect(Set(texts).count == 3, "\(name)")
        }
    }

    /// What looks like the name of a text in the Swift files of the pages: a kind of notice is none.
    private static let others = ["email.changed", "recovery.opened", "return.opened", "return.completed"]

    @Test func `every name in the code and in the templates is that of a text, and every text is named`() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/HTTPAPI").standardizedFileURL
        var named = Set(["openid", "profile", "email", "groups", "offline_access"].map { "scope." + $0 })
        for folder in ["Pages", "Mail", "Operations"] {
            let files = try FileManager.default.contentsOfDirectory(
                at: sources.appendingPathComponent(folder), includingPropertiesForKeys: nil)
            for file in files where file.pathExtension == "swift" {
                let names = try String(contentsOf: file, encoding: .utf8).matches(of: /"([a-z]+\.[A-Za-z]+)"/)
                named.formUnion(names.map { String($0.output.1) })
            }
        }
        let files = ["js", "css", "html", "yaml", "svg", "png"]
        named = named.filter { name in !files.contains { name.hasSuffix("." + $0) } }.subtracting(Self.others)
        for source in PageTemplate.sources.values {
            named.formUnion(source.matches(of: /\bw\.([a-z]+\.[A-Za-z]+)/).map { String($0.output.1) })
        }
        #expect(named.count > 300, "the files are not where the test looks")
        #expect(named.subtracting(Self.names).sorted() == [], "no file has these texts")
        #expect(Set(Self.names).subtracting(named).sorted() == [], "nothing names these texts")
    }

    @Test func `a value stands where its number is, and is not read again`() {
        #expect(PageWord("account.loggedIn").text(in: .english, "{2}", "Acme") == "You are logged in as {2} at Acme.")
        #expect(PageWord("consent.title").text(in: .french, "Wiki") == "Se connecter à Wiki ?")
        #expect(PageWord("account.loggedIn").text(in: .german) == "Sie sind als  bei  angemeldet.")
    }

    @Test(arguments: [
        ([], [], PageLanguage.english), ([], ["de-AT", "en"], .german), (["fr-CA"], ["de"], .french),
        (["xx", "FR"], ["de"], .french), (["xx"], ["yy", "de"], .german), (["xx"], ["yy"], .english),
        ([""], ["-", "*", "fr"], .french),
    ])
    func `the language is that of the request, and then that of the browser`(
        locales: [String], accepted: [String], language: PageLanguage
    ) {
        #expect(PageLanguage(locales: locales, accepted: accepted) == language)
    }
}
