import TenureAPI

/// A cookie of a browser in the header fields of a request and a response: that of its session, and those of the pages.
///
/// Over https it has the prefix `__Host-`, so that no other host of the domain can set it. On loopback http browsers
/// refuse that prefix.
struct BrowserCookieField: Sendable {
    let name: String
    private let isSecure: Bool

    /// - Parameters:
    ///   - suffix: What the name has besides; empty for the cookie of the session.
    ///   - publicURL: The public origin of the service; empty if not configured.
    init(_ suffix: String = "", publicURL: String) {
        isSecure = publicURL.hasPrefix("https://")
        name = (isSecure ? "__Host-tenure" : "tenure") + suffix
    }

    /// The value that a request carries; `nil` without one, or with two.
    func value(in headers: RequestHeaders) -> String? {
        let values = headers.cookies.filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }

    /// The field that sets the cookie.
    ///
    /// - Parameter seconds: How long the browser keeps it; `nil` for the time of the browser's own session.
    func setting(_ value: String, seconds: Int? = nil) -> String {
        "\(name)=\(value); \(seconds.map { "Max-Age=\($0); " } ?? "")\(attributes)"
    }

    /// The field that deletes the cookie.
    var deleting: String { setting("", seconds: 0) }

    /// Lax, because a client sends browsers here from another site.
    private var attributes: String { "Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "") }
}

extension RequestHeaders {
    /// The cookies that a request carries, but those without a value.
    var cookies: [(name: String, value: String)] {
        all("Cookie").flatMap { $0.split(separator: ";") }.compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(\.withoutSpaces)
            return parts.count == 2 && !parts.contains("") ? (parts[0], parts[1]) : nil
        }
    }
}

extension Substring {
    /// The text without spaces around it.
    fileprivate var withoutSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
