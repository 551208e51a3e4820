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
        all("Cookie").flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }.compactMap { pair in
            guard let sign = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let name = pair[..<sign].withoutSpaces, value = pair[pair.index(after: sign)...].withoutSpaces
            return name.isEmpty || value.isEmpty ? nil : (name, value)
        }
    }
}

extension Substring.UTF8View {
    /// The text without spaces around it.
    fileprivate var withoutSpaces: String {
        let space = UInt8(ascii: " ")
        guard let last = lastIndex(where: { $0 != space }) else { return "" }
        return String(Substring(self[...last].drop { $0 == space }))
    }
}
