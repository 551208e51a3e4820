import Embedding
import Mustache

/// A template of the pages, by the name of its file in `Templates`, by which templates refer to each other too.
///
/// `PageTemplateTests` finds a name without a file, and a file without a page.
struct PageTemplate: Sendable, Hashable, ExpressibleByStringLiteral {
    let name: String

    init(stringLiteral name: String) { self.name = name }

    /// The Mustache text of each template, as it was compiled in.
    static let sources = Dictionary(
        uniqueKeysWithValues: EmbeddedFiles.httpAPI.files(in: "Templates").map { name, bytes in
            (name.replacing(".mustache", with: ""), String(decoding: bytes, as: UTF8.self))
        })

    /// Renders the template.
    ///
    /// - Throws: An error if a template cannot be parsed, which a test excludes.
    func render(_ page: some MustacheParent) throws -> String {
        guard let html = try Self.library.get().render(page, withTemplate: name) else {
            throw PageTemplateDefect(template: name)
        }
        return html
    }

    /// All templates. They are parsed at the first use.
    private static let library = Result {
        MustacheLibrary(templates: try sources.mapValues { try MustacheTemplate(string: $0) })
    }
}

/// A template that the library does not have.
struct PageTemplateDefect: Error, CustomStringConvertible {
    let template: String
    var description: String { "there is no template \(template)" }
}
