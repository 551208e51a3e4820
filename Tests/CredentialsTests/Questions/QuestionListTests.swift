import Canonical
import Crypto
import Testing
@testable import Credentials

@Suite struct QuestionListTests {
    @Test func `version 1 is frozen`() throws {
        let list = QuestionList.version1
        #expect(list.version == 1 && list.questions.map(\.number) == Array(1...48))
        let lines = list.questions.map { "\($0.entry.weight)|\($0.entry.en)|\($0.entry.de)|\($0.entry.fr)" }
        let hash = Hex.encode(Array(SHA256.hash(data: Array(lines.joined(separator: "\n").utf8))))
        #expect(hash == "def0608edd40cf2fb3359908aeb5cf09db593e5a2816d97e2fd0bf078251f396")
    }

    @Test(arguments: QuestionLocale.allCases)
    func `all texts of a language differ and are acceptable questions`(locale: QuestionLocale) throws {
        let texts = QuestionList.current.questions.map { $0.text(in: locale) }
        for text in texts {
            _ = try QuestionText(text)
            #expect(!text.isEmpty && text.hasSuffix("?"))
        }
        #expect(Set(texts).count == 48)
    }

    @Test func `an unknown number or version is no question`() {
        #expect(ListedQuestion(number: 48, version: 1) != nil && ListedQuestion(number: 1) != nil)
        for number in [0, -1, 49, Int.max, Int.min] { #expect(ListedQuestion(number: number) == nil) }
        for version in [0, 2, -1] { #expect(ListedQuestion(number: 1, version: version) == nil) }
    }

    @Test func `questions are drawn by weight and never twice`() {
        let list = QuestionList.version1
        let total = list.questions.reduce(0) { $0 + $1.entry.weight }
        func draw(_ number: UInt64) -> Int? {
            let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
            return list.draw(1, by: bytes).first?.number
        }
        // Each number modulo the total weight belongs to one question, as often as its weight says.
        var counts: [Int: UInt64] = [:]
        for number in 0..<total { if let drawn = draw(number) { counts[drawn, default: 0] += 1 } }
        for question in list.questions { #expect(counts[question.number] == question.entry.weight) }
        #expect(draw(total) == 1 && draw(total * 7 + 12) == 2)
        for seed in 0..<200 {
            let drawn = list.suggestions(48, random: .seeded("draw \(seed)"))
            #expect(Set(drawn.map(\.number)).count == 48)
        }
    }

    @Test func `suggestions and decoys have the same distribution`() throws {
        let key = try DecoyKey(bytes: [UInt8](repeating: 7, count: 32))
        var suggested = [Int](repeating: 0, count: 49), shown = suggested
        for index in 0..<2_000 {
            let decoy = try key.decoy(
                company: [1], employee: Array("\(index)".utf8), kdf: try ScryptParameters(log2N: 14), keys: Self.keys(),
                parts: .record)
            for item in decoy.questions { shown[item.question.number] += 1 }
            for item in QuestionList.current.suggestions(random: .seeded("\(index)")) { suggested[item.number] += 1 }
        }
        for number in 1...48 {
            let difference = abs(suggested[number] - shown[number])
            // Five standard deviations of the difference of two counts.
            let bound = 5 * Double(suggested[number] + shown[number]).squareRoot()
            #expect(Double(difference) < bound, "question \(number): \(suggested[number]) and \(shown[number])")
        }
    }

    /// Keys that were made once: the questions do not depend on them, and making them takes long.
    private static func keys() throws -> DecoyPublicKeys { try made.get() }
    private static let made = Result {
        try DecoyKey(bytes: [UInt8](repeating: 7, count: 32))
            .decoy(company: [1], employee: [2], kdf: try ScryptParameters(log2N: 14), parts: []).publicKeys
    }
}

@Suite struct QuestionTests {
    @Test(arguments: QuestionLocale.allCases)
    func `a text that equals a listed question in any language is that question`(locale: QuestionLocale) {
        for listed in QuestionList.current.questions {
            let text = listed.text(in: locale)
            for form in [text, text.uppercased(), "  " + text.replacing(" ", with: " \u{A0} ")] {
                #expect(Question(form) == .listed(listed), "\(form)")
            }
            #expect(Question(String(text.dropLast())).listed == nil)
        }
    }

    @Test func `any other text is the user's own and shown as entered`() {
        for text in ["Q1", "What was the name of your second pet?", "", "\u{1}1/1", String(repeating: "q", count: 300)]
        {
            #expect(Question(text) == .own(text))
            for locale in QuestionLocale.allCases { #expect(Question(text).text(in: locale) == text) }
        }
    }

    @Test(arguments: [
        ("de", QuestionLocale.german), ("de-AT", .german), ("DE_ch.UTF-8", .german), ("fr-CA", .french),
        ("en-GB", .english),
    ])
    func `a language is found by its primary tag`(tag: String, locale: QuestionLocale) {
        #expect(QuestionLocale(tag: tag) == locale)
    }

    @Test func `the first known language is used, or English if none is known`() {
        for unknown in ["", "it", "dex", "*", "C.UTF-8"] { #expect(QuestionLocale(tag: unknown) == nil) }
        #expect(QuestionLocale(preferring: ["it", "fr", "de"]) == .french)
        #expect(QuestionLocale(preferring: ["it"]) == .english && QuestionLocale(preferring: []) == .english)
    }
}
