import Canonical
@testable import HTTPAPI
import IdentityService
import TenureAPI

extension TenureWorld {
    /// Presses the button behind the link of a mail, as `arm.js` does after a quiet second. A row of words is that of the
    /// query.
    func press(_ link: String, at client: Client? = nil) async throws -> HTTPReply {
        let parts = link.split(separator: "?", maxSplits: 1), path = String(parts[0])
        let query = parts.count > 1 ? parts[1] : "", parameters = MailLinkParameters(query)
        let visitor = Base64URL.encode((0..<32).map { _ in UInt8.random(in: 0...255) })
        let armed = ArmedForm(
            holder: .visitor, cookie: visitor, path: path, subject: "\(parameters.expires)\n\(parameters.key)")
        let granted = armed.granted(at: options.settings.now())
        var fields = [
            (name: "token", value: FormToken(cookie: visitor, path: path, request: "").text), ("page", granted.page),
            ("nonce", granted.nonce),
        ]
        if let words = try FormReader(query.utf8).text("words") { fields.append(("words", words)) }
        let body = String(decoding: FormEncoding.encode(fields), as: UTF8.self)
        let request = HTTPRequest("POST", link).with("Content-Type", FormEncoding.mediaType).with(body: body)
            .with("Cookie", "tenure-form=\(visitor); __Host-tenure-form=\(visitor)").with(
                "Sec-Fetch-Site", "same-origin")
        return try await (client ?? self.client).send(request)
    }

    /// Opens the link of a mail, or presses the button of its page.
    func follow(_ link: String, _ method: String) async throws -> HTTPReply {
        method == "POST" ? try await press(link) : try await client.send(client.request(method, link, by: .nobody))
    }
}
