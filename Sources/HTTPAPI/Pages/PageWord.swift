import IdentityService

/// The name of a text of the pages, where Swift chooses it: `PageWord("login.title")`. Templates name the others.
///
/// `PageWordTests` finds a name that the files of `Words` lack, and a text that nothing names.
struct PageWord: Sendable, Hashable, ExpressibleByStringInterpolation {
    let name: String

    init(stringLiteral name: String) { self.name = name }

    /// What a client learns by a scope; `nil` for a scope without a text.
    init?(scope: String) {
        self = "scope.\(scope)"
        if PageWords.of(.english)[name] == nil { return nil }
    }

    /// The text in a language.
    ///
    /// - Parameter values: The values of `{1}`, `{2}` and so on. They are not escaped: the template does that.
    func text(in language: PageLanguage, _ values: String...) -> String { text(in: language, values) }

    func text(in language: PageLanguage, _ values: [String]) -> String {
        WordFile.filled(PageWords.of(language)[name] ?? name, values)
    }
}

extension PageLanguage {
    /// A text in the language, with the values of `{1}`, `{2}` and so on.
    func text(_ word: PageWord, _ values: String...) -> String { word.text(in: self, values) }
}
