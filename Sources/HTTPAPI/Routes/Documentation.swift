import TenureAPI

extension Route {
    /// `GET /openapi.yaml`.
    static let openAPI = Route(.openAPI) { _ in
        Reply(headers: ["Content-Type": "application/yaml"], body: PackageResources.openapi_yaml)
    }

    /// `GET /docs`, made once from the operations and the codes.
    static var docs: Route {
        let page = DocumentationPage().html
        return Route(.docs) { _ in
            var reply = Reply.text(page, "text/html; charset=utf-8")
            reply.headers["Content-Security-Policy"] =
                "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            return reply
        }
    }

    /// `GET /docs/style.css`.
    static let docsStyle = Route(.docsStyle) { _ in .text(DocumentationPage.style, "text/css; charset=utf-8") }
}
