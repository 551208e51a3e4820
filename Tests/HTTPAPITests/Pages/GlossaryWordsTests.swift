import Foundation
import Testing

@testable import HTTPAPI

/// One word for one thing: the texts of pages and mails, held against the table of the glossary.
@Suite struct GlossaryWordsTests {
    /// A row of the table in one language.
    private struct Term: CustomStringConvertible {
        let language: PageLanguage
        let word: String
        let not: [String]

        var description: String { "\(language.rawValue): \(word)" }
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../..").standardizedFileURL

    private static func terms() throws -> [Term] {
        let page = try String(contentsOf: root.appendingPathComponent("docs/glossary.md"), encoding: .utf8)
        let section = page.components(separatedBy: "\n## Words of pages and mails\n").dropFirst().first ?? ""
        let table = (section.components(separatedBy: "\n## ").first ?? "").split(separator: "\n")
        return table.filter { $0.hasPrefix("| ") && $0.contains("`") }.flatMap { row in
            let cells = row.split(separator: "|").dropFirst()
            return zip(PageLanguage.allCases, cells).compactMap { language, cell in
                let words = cell.matches(of: /`([^`]+)`/).map { String($0.output.1).lowercased() }
                return words.first.map { Term(language: language, word: $0, not: Array(words.dropFirst())) }
            }
        }
    }

    /// The texts of pages and mails in a language, in small letters.
    private static func texts(_ language: PageLanguage) throws -> [(name: String, text: String)] {
        let name =
            switch language {
            case .english: "english.words"
            case .german: "german.words"
            case .french: "french.words"
            }
        return try ["Sources/HTTPAPI/Pages/Words", "Sources/IdentityService/Mail/Words"].flatMap { folder in
            let file = root.appendingPathComponent(folder).appendingPathComponent(name)
            return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
                let sign = line.firstRange(of: " = ")
                return sign.map { (String(line[..<$0.lowerBound]), line[$0.upperBound...].lowercased()) }
            }
        }
    }

    @Test func `the glossary has each word in each language`() throws {
        let terms = try Self.terms()
        #expect(terms.count >= 3 * 14)
        for language in PageLanguage.allCases {
            let all = try Self.texts(language).map(\.text).joined(separator: "\n")
            for term in terms where term.language == language { #expect(all.contains(term.word), "\(term)") }
        }
    }

    @Test func `no text has a word that the glossary excludes`() throws {
        for term in try Self.terms() {
            for (name, text) in try Self.texts(term.language) {
                for word in term.not { #expect(!text.contains(word), "\(name): “\(word)” instead of \(term)") }
            }
        }
    }
}
