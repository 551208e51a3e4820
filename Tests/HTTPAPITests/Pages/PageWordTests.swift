import Testing

@testable import HTTPAPI

@Suite struct PageWordTests {
    @Test(arguments: PageLanguage.allCases) func `a language has every text and no other`(language: PageLanguage) {
        let texts = PageWords.of(language)
        #expect(Set(texts.keys) == Set(PageWord.allCases.map(\.rawValue)))
        #expect(texts.values.allSatisfy { !$0.isEmpty })
    }

    @Test(arguments: PageWord.allCases) func `a text has the same values in each language`(word: PageWord) {
        let values = PageLanguage.allCases.map { language in
            Set((PageWords.of(language)[word.rawValue] ?? "").matches(of: /\{\d+\}/).map { String($0.output) })
        }
        #expect(Set(values).count == 1)
    }

    @Test func `texts differ between the languages`() {
        for word in PageWord.allCases {
            #expect(Set(PageLanguage.allCases.map { word.text(in: $0, "A", "B") }).count == 3, "\(word)")
        }
    }

    @Test func `a value stands where its number is, and is not read again`() {
        #expect(PageWord.account.text(in: .english, "{2}", "Acme") == "You are logged in as {2} at Acme.")
        #expect(PageWord.consentTitle.text(in: .french, "Wiki") == "Se connecter à Wiki ?")
        #expect(PageWord.account.text(in: .german) == "Sie sind als  bei  angemeldet.")
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
