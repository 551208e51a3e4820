import IdentityService
import TenureAPI

extension Route {
    /// `GET /mpin/{companyName}/verification/{identityId}`: the page that a link in a mail leads to. It changes nothing.
    static let showMPinLink = Route(.showMPinLink) { exchange in
        try await mpinLink(exchange, isConfirmed: false)
    }

    /// `POST /mpin/{companyName}/verification/{identityId}`: the button on that page.
    static let followMPinLink = Route(.followMPinLink, body: .form) { exchange in
        try await mpinLink(exchange, isConfirmed: true)
    }

    private static func mpinLink(_ exchange: RoutedRequest, isConfirmed: Bool) async throws -> Reply {
        var query = try QueryReader(exchange.rawQuery)
        let expires = query.text("expires") ?? "", key = query.text("key") ?? ""
        try query.finish()
        let proof = VerifyMPinByMail.Proof.link(
            identity: exchange.captures["identityId"], expires: expires, key: key)
        do {
            let view = try await exchange.run(
                VerifyMPinByMail(company: exchange.company, proof, isConfirmed: isConfirmed))
            return LinkPage(
                title: view.isVerified ? "Your address is verified" : "Verify your address",
                text: view.isVerified
                    ? "You can go on in the app of \(view.companyName)."
                    : "Somebody registers a PIN for this address at \(view.companyName). If it is you, verify it.",
                button: view.isVerified ? nil : "Verify"
            ).reply
        } catch let error as ServiceError {
            guard let code = ErrorCode(rawValue: error.code.rawValue), code.status < 500, code.status != 429 else {
                throw error
            }
            var reply = LinkPage(title: "This link is not valid", text: "\(code.title). \(code.advice)", button: nil)
                .reply
            reply.status = code.status
            return reply
        }
    }
}

/// A page for people who followed a link in a mail. It loads nothing and runs no script.
struct LinkPage {
    let title: String
    let text: String
    /// The words on the button; `nil` for none. The button sends an empty form to the address of the page.
    let button: String?

    /// The page as it is sent.
    var reply: Reply {
        let form = button.map { "<form method=\"post\"><button>\(Self.escape($0))</button></form>" } ?? ""
        var reply = Reply.text(
            """
            <!doctype html>
            <html lang="en">
            <head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <meta name="robots" content="noindex"><title>\(Self.escape(title))</title></head>
            <body>
            <h1>\(Self.escape(title))</h1>
            <p>\(Self.escape(text))</p>
            \(form)
            </body>
            </html>

            """, "text/html; charset=utf-8")
        reply.headers["Content-Security-Policy"] =
            "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        return reply
    }

    private static func escape(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
