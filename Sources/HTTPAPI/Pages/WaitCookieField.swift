/// The cookie of a browser that waits for the decision about its device key. It lives as long as a wait, and no script
/// can read it. It opens no session without the device key.
struct WaitCookieField: Sendable {
    /// The lifetime in seconds: that of a wait.
    static let seconds = 1_800

    /// The name of the cookie.
    let name: String
    private let attributes: String

    /// - Parameter publicURL: The public origin of the service; empty if not configured.
    init(publicURL: String) {
        let isSecure = publicURL.hasPrefix("https://")
        name = isSecure ? "__Host-tenure-wait" : "tenure-wait"
        attributes = "Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }

    /// The value that a request carries; `nil` without one, or with two.
    func value(in headers: RequestHeaders) -> String? { headers.cookie(name).flatMap { $0.isHandle ? $0 : nil } }

    /// The field that sets the cookie.
    func setting(_ value: String) -> String { "\(name)=\(value); Max-Age=\(Self.seconds); \(attributes)" }

    /// The field that deletes the cookie.
    var deleting: String { "\(name)=; Max-Age=0; \(attributes)" }
}
