import Mustache

/// The texts of the pages in a language, of a file with a line `name = text` for each. A template names one by
/// `{{w.login.title}}`.
struct PageWords: MustacheParent {
    let language: PageLanguage

    private static let english = parse(PackageResources.english_words)
    private static let german = parse(PackageResources.german_words)
    private static let french = parse(PackageResources.french_words)

    /// The texts of a language by their names.
    static func of(_ language: PageLanguage) -> [String: String] {
        switch language {
        case .english: english
        case .german: german
        case .french: french
        }
    }

    /// Reads a file of texts. A line without ` = ` counts as nothing.
    static func parse(_ bytes: [UInt8]) -> [String: String] {
        var texts: [String: String] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            guard let sign = line.firstRange(of: " = ") else { continue }
            texts[String(line[..<sign.lowerBound])] = String(line[sign.upperBound...])
        }
        return texts
    }

    func child(named group: String) -> Any? { Group(texts: Self.of(language), name: group) }

    private struct Group: MustacheParent {
        let texts: [String: String]
        let name: String

        func child(named word: String) -> Any? { texts["\(name).\(word)"] }
    }
}
