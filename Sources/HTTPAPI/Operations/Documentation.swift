import APIReference
import Embedding
import ErrorCodes
import NIOCore
import TenureAPI

extension Route {
    /// `GET /openapi.yaml`.
    static let openAPI = Route(.openAPI) { _ in Documentation.contract }

    /// `GET /docs`. The first call renders the page.
    static let docs = Route(.docs) { _ in Documentation.page }

    /// `GET /docs/style.css`.
    static let docsStyle = Route(.docsStyle) { _ in Documentation.style }

    /// `GET /docs/script.js`.
    static let docsScript = Route(.docsScript) { _ in Documentation.script }
}

/// The documents about the API. They do not change while the process runs, so each is made once, at its first use.
enum Documentation {
    /// The OpenAPI document.
    static let contract = fixed(EmbeddedFiles.httpAPI["openapi.yaml"], "application/yaml")

    /// The style sheet of the page.
    static let style = fixed(APIReferencePage.style, "text/css; charset=utf-8")

    static let script = fixed(APIReferencePage.script, "text/javascript; charset=utf-8")

    static let page = page(of: EmbeddedFiles.httpAPI["openapi.yaml"])

    /// Renders the page of a contract. A contract that cannot be read gives a page that says so, with all error codes.
    static func page(of contract: [UInt8]) -> Reply {
        let codes = ErrorCode.all.map {
            ReferenceCode(name: $0.rawValue, status: $0.status, title: $0.title, advice: $0.advice)
        }
        let page: APIReferencePage
        do throws(APIReferenceError) {
            page = try APIReferencePage(contract: contract, codes: codes)
        } catch {
            page = APIReferencePage(unreadable: error, codes: codes)
        }
        var reply = fixed(Array(page.html.utf8), "text/html; charset=utf-8")
        reply.headers["Content-Security-Policy"] =
            "default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'"
        return reply
    }

    private static func fixed(_ body: [UInt8], _ mediaType: String) -> Reply {
        var reply = Reply(headers: ["Content-Type": mediaType, "ETag": EntityTag.text(of: body)], body: body)
        reply.shared = ByteBuffer(bytes: body)
        return reply
    }
}
