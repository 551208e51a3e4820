import IdentityService
import Mustache

/// A page that the service makes for browsers.
struct HostedPage: Sendable {
    let language: PageLanguage
    let title: String
    let content: any PageContent
    /// The client that the page leads to, where the title of the tab names it besides the heading; `nil` for none.
    var client: String?
    /// What the tab says instead of the heading; `nil` for the heading.
    var tab: String?
    /// What every page of an account shows; `nil` for another page.
    var account: AccountFrame?
    /// How many wait for the reader, which the title of the window begins with; 0 for none.
    var number = 0
    /// Whether the links that change the language lead back to the query of the request. It may be a stranger's, which the
    /// page of a refusal leads nowhere with: such a page has no links.
    var repeatsQuery = true
    var status: Int

    /// - Parameter values: The values of the title.
    init(
        _ content: some PageContent, _ title: PageWord, _ values: String..., in language: PageLanguage,
        status: Int = 200
    ) {
        self.content = content
        self.status = status
        self.title = title.text(in: language, values)
        self.language = language
    }

    /// The client that the tab names besides the heading.
    private func namedClient(_ frame: PageFrame) -> String? {
        client ?? frame.client.flatMap { (tab ?? title).contains($0) ? nil : $0 }
    }

    func reply() throws -> Reply {
        var reply = Reply.text(try type(of: content).template.render(self), "text/html; charset=utf-8")
        reply.status = status
        reply.headers["Content-Language"] = language.rawValue
        reply.headers["Content-Security-Policy"] = Self.policy
        reply.headers["Cache-Control"] = "no-store"
        reply.headers["Referrer-Policy"] = "no-referrer"
        return reply
    }

    /// The Content Security Policy of every page but the answers.
    static let policy = policy(forms: " form-action 'self';")

    /// The policy of the pages that lead to a client: a form may go to its redirect URI.
    static let policyOfAnswers = policy(forms: "")

    private static func policy(forms: String) -> String {
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';\(forms) "
            + "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
    }
}

extension HostedPage: MustacheParent {
    /// What every template may name, and then what the content has.
    func child(named name: String) -> Any? {
        let frame = PageFrame.current
        return switch name {
        case "title": title.escapable
        case "tab":
            ((number > 0 ? "(\(number)) " : "")
                + [tab ?? title, namedClient(frame), frame.brand.brand.name].compactMap(\.self)
                .joined(separator: " – "))
                .escapable
        case "brand": PageFrame.Shown(frame: frame, language: language, repeatsQuery: repeatsQuery)
        case "language": language.rawValue
        case "w": PageWords(language: language)
        case "asset": PageAsset.Paths()
        case "me": account
        default: content.child(named: name)
        }
    }
}
