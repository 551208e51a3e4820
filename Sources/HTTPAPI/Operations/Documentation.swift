import Embedding
import NIOCore
import TenureAPI

extension Route {
    static let openAPI = Route(.openAPI) { _ in Documentation.contract }

    static let docs = Route(.docs) { _ in Documentation.page }

    static let docsStyle = Route(.docsStyle) { _ in Documentation.style }

    static let docsScript = Route(.docsScript) { _ in Documentation.script }
}

/// The documents about the API. They do not change while the process runs, so each is made once, at its first use.
enum Documentation {
    /// The OpenAPI document.
    static let contract = fixed(EmbeddedFiles.httpAPI["openapi.yaml"], "application/yaml")

    /// The style sheet of the page.
    static let style = fixed(EmbeddedFiles.httpAPI["style.css"], "text/css; charset=utf-8")

    static let script = fixed(EmbeddedFiles.httpAPI["script.js"], "text/javascript; charset=utf-8")

    /// The page that `scripts/generate` makes of the contract. It has no inline style or script.
    static let page = {
        var reply = fixed(EmbeddedFiles.httpAPI["reference.html"], "text/html; charset=utf-8")
        reply.headers["Content-Security-Policy"] =
            "default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'"
        return reply
    }()

    private static func fixed(_ body: [UInt8], _ mediaType: String) -> Reply {
        var reply = Reply(headers: ["Content-Type": mediaType, "ETag": EntityTag.text(of: body)], body: body)
        reply.shared = ByteBuffer(bytes: body)
        return reply
    }
}
