import Mustache

/// A template of the pages. The raw value is the name by which templates refer to each other.
enum PageTemplate: String, Sendable, CaseIterable {
    /// The frame around every page.
    case layout
    /// A text without a form: an error, or the end of something.
    case notice
    /// The question for consent to a client.
    case consent
    /// The question before a log-out that no client of the session asked for.
    case logout

    /// The Mustache text, as it was compiled in.
    var source: String {
        let bytes =
            switch self {
            case .layout: PackageResources.layout_mustache
            case .notice: PackageResources.notice_mustache
            case .consent: PackageResources.consent_mustache
            case .logout: PackageResources.logout_mustache
            }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Renders the template.
    ///
    /// - Throws: An error if a template cannot be parsed, which a test excludes.
    func render(_ content: some MustacheParent) throws -> String {
        guard let html = try Self.library.get().render(content, withTemplate: rawValue) else {
            throw PageTemplateDefect(template: rawValue)
        }
        return html
    }

    /// All templates. They are parsed at the first use.
    private static let library = Result {
        MustacheLibrary(
            templates: Dictionary(
                uniqueKeysWithValues: try allCases.map { ($0.rawValue, try MustacheTemplate(string: $0.source)) }))
    }
}

/// A template that the library does not have.
struct PageTemplateDefect: Error, CustomStringConvertible {
    let template: String
    var description: String { "there is no template \(template)" }
}
