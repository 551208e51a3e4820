/// A page that the service makes for browsers.
struct HostedPage: Sendable {
    let template: PageTemplate
    let language: PageLanguage
    let title: String
    /// What the template shows besides the title.
    var content: PageContent
    var status = 200
    /// The origin of the client that the page's form ends at; `nil` for a form that ends here.
    var clientOrigin: String?

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
        reply.headers["Content-Security-Policy"] = Self.policy(formsEndAt: clientOrigin)
        reply.headers["Cache-Control"] = "no-store"
        reply.headers["Referrer-Policy"] = "no-referrer"
        return reply
    }

    /// The Content Security Policy of a page.
    ///
    /// - Parameter client: The origin of a validated redirect URI, which the answer to the form redirects to. Browsers
    ///   stop that redirect unless the page's policy names the origin.
    static func policy(formsEndAt client: String? = nil) -> String {
        let forms = client.map { " " + $0 } ?? ""
        return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
            + "form-action 'self'\(forms); base-uri 'none'; frame-ancestors 'none'; "
            + "require-trusted-types-for 'script'"
    }
}
