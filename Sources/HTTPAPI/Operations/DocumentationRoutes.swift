import TenureAPI

extension Route {
    /// `GET /openapi.yaml`.
    static let openAPI = Route(.openAPI) { _ in
        Reply(headers: ["Content-Type": "application/yaml"], body: PackageResources.openapi_yaml)
    }

    /// `GET /docs`. The page is rendered once, from the endpoints and the error codes.
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

/// The HTML page that lists endpoints and error codes. It loads no external resources.
struct DocumentationPage {
    /// The style sheet.
    static let style = """
        body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a}
        table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.3rem .6rem}
        tr+tr{border-top:1px solid #ddd}code{font:14px ui-monospace,monospace}tr:target{background:#fff3c4}

        """

    /// The page.
    var html: String {
        let operations = Endpoint.all.map { endpoint in
            row(["<code>\(escape(endpoint.description))</code>", escape(endpoint.summary), who(endpoint.access)])
        }
        let codes = ErrorCode.all.map { code in
            row(
                ["<code>\(escape(code.rawValue))</code>", "\(code.status)", escape(code.title), escape(code.advice)],
                id: code.rawValue)
        }
        return """
            <!doctype html>
            <html lang="en">
            <head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>Tenure API</title><link rel="stylesheet" href="docs/style.css"></head>
            <body>
            <h1>Tenure API</h1>
            <p>The full description is <a href="openapi.yaml">openapi.yaml</a> (OpenAPI 3.1).</p>
            <h2>Operations</h2>
            <table><tr><th>Operation</th><th>What it does</th><th>Who calls</th></tr>
            \(operations.joined(separator: "\n"))
            </table>
            <h2>Codes</h2>
            <p>Every refusal is a problem document (RFC 9457) with one of these codes.</p>
            <table><tr><th>Code</th><th>Status</th><th>Meaning</th><th>What to do</th></tr>
            \(codes.joined(separator: "\n"))
            </table>
            </body>
            </html>

            """
    }

    private func row(_ cells: [String], id: String? = nil) -> String {
        let cells = cells.map { "<td>\($0)</td>" }.joined()
        return (id.map { "<tr id=\"\(escape($0))\">" } ?? "<tr>") + cells + "</tr>"
    }

    private func who(_ access: Endpoint.Access) -> String {
        switch access {
        case .anyone: "anyone"
        case .app: "app"
        case .employee: "employee"
        case .appOrEmployee: "app or employee"
        }
    }

    private func escape(_ text: String) -> String {
        text.map { character in
            switch character {
            case "<": "&lt;"
            case ">": "&gt;"
            case "&": "&amp;"
            case "\"": "&quot;"
            default: String(character)
            }
        }.joined()
    }
}
