/// The header fields that every response carries.
struct SecurityHeaders: Sendable {
    /// Whether callers reach the service over TLS.
    let isSecure: Bool

    /// Adds the fields; those that a route set itself stay.
    func add(to headers: inout [String: String]) {
        var fields = [
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
        ]
        if isSecure { fields["Strict-Transport-Security"] = "max-age=31536000" }
        headers.merge(fields) { set, _ in set }
    }
}
