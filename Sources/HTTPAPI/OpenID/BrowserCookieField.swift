import TenureAPI

/// The cookie of a browser session in the header fields of a request and a response.
///
/// Over https it has the prefix `__Host-`, so that no other host of the domain can set it. On loopback http browsers
/// refuse that prefix.
struct BrowserCookieField: Sendable {
    /// The name of the cookie.
    let name: String
    private let isSecure: Bool

    /// - Parameter publicURL: The public origin of the service; empty if not configured.
    init(publicURL: String) {
        isSecure = publicURL.hasPrefix("https://")
        name = isSecure ? "__Host-tenure" : "tenure"
    }

    /// The value that a request carries; `nil` without one, or with two.
    func value(in headers: RequestHeaders) -> String? {
        let values = headers.all("Cookie").flatMap { $0.split(separator: ";") }.compactMap { pair -> String? in
            let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmed }
            return parts.count == 2 && parts[0] == name ? parts[1] : nil
        }
        return values.count == 1 ? values[0] : nil
    }

    /// The field that sets the cookie for the time of the browser's own session.
    func setting(_ value: String) -> String { "\(name)=\(value); \(attributes)" }

    /// The field that deletes the cookie.
    var deleting: String { "\(name)=; Max-Age=0; \(attributes)" }

    /// Lax, because a client sends browsers here from another site.
    private var attributes: String { "Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "") }
}

extension Substring {
    /// The text without spaces around it.
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
