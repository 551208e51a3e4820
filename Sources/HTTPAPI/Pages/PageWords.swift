import Embedding
import IdentityService
import Mustache

/// The texts of the pages in a language, of a file with a line `name = text` for each. A template names one by
/// `{{w.login.title}}`.
struct PageWords: MustacheParent {
    let language: PageLanguage

    private static let english = WordFile.texts(EmbeddedFiles.httpAPI["Words/english.words"])
    private static let german = WordFile.texts(EmbeddedFiles.httpAPI["Words/german.words"])
    private static let french = WordFile.texts(EmbeddedFiles.httpAPI["Words/french.words"])

    /// The texts of a language by their names.
    static func of(_ language: PageLanguage) -> [String: String] {
        switch language {
        case .english: english
        case .german: german
        case .french: french
        }
    }

    func child(named group: String) -> Any? { Group(texts: Self.of(language), name: group) }

    private struct Group: MustacheParent {
        let texts: [String: String]
        let name: String

        func child(named word: String) -> Any? { texts["\(name).\(word)"] }
    }
}
