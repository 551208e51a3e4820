/// A page that the service makes for browsers.
struct HostedPage: Sendable {
    let template: PageTemplate
    let language: PageLanguage
    let title: String
    /// What the template shows besides the title.
    var content: PageContent
    var status = 200

    /// Everything that the template shows, the frame included.
    var model: PageContent {
        var model = content
        model["title"] = .text(title)
        model["language"] = .text(language.rawValue)
        model["stylesheet"] = .text(PageAsset.style.path)
        return model
    }

    /// The page as a reply.
    func reply() throws -> Reply {
        var reply = Reply.text(try template.render(model), "text/html; charset=utf-8")
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
