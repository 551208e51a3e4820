import Embedding

/// The texts of the pages, one file for each language, with a line `name = text` for each text.
enum PageWords {
    private static let english = parse(EmbeddedFiles.httpAPI["Words/english.words"])
    private static let german = parse(EmbeddedFiles.httpAPI["Words/german.words"])
    private static let french = parse(EmbeddedFiles.httpAPI["Words/french.words"])

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
}
