import IdentityService

/// The cookie of the flow that a browser is in. It lives as long as a flow, and no script can read it.
struct FlowCookie: Sendable {
    /// The lifetime in seconds: that of a flow.
    static let seconds = 600

    /// Which flow a browser is in, and where it goes afterwards.
    struct Value: Sendable, Equatable, CustomStringConvertible {
        /// What the flow is for.
        let purpose: FlowKind
        /// The flow's handle.
        let flow: String
        /// The handle of the authorization request that the flow is for; empty without one.
        let request: String

        /// - Parameter request: The handle of the stored request. A text that cannot be one counts as none, so that it
        ///   never becomes a part of the cookie's field.
        init(purpose: FlowKind, flow: String, request: String) {
            self.purpose = purpose
            self.flow = flow
            self.request = request.isHandle ? request : ""
        }

        /// Parses the value of a cookie or of a form's field; `nil` for a text of another form.
        init?(_ text: String) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3, let purpose = FlowKind(rawValue: parts[0]), parts[1].isHandle,
                parts[2].isEmpty || parts[2].isHandle
            else { return nil }
            self.init(purpose: purpose, flow: parts[1], request: parts[2])
        }

        /// The value as browsers get it.
        var text: String { "\(purpose.rawValue).\(flow).\(request)" }

        /// Whether the flow is a log-in, by an account or by an address.
        var isLogIn: Bool { purpose == .login || purpose == .address }

        /// A placeholder that never contains the handle.
        var description: String { "[redacted]" }
    }

    /// The name of the cookie.
    let name: String
    private let attributes: String

    /// - Parameter publicURL: The public origin of the service; empty if not configured.
    init(publicURL: String) {
        let isSecure = publicURL.hasPrefix("https://")
        name = isSecure ? "__Host-tenure-flow" : "tenure-flow"
        attributes = "Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }

    /// The value that a request carries; `nil` without one, or with two.
    func value(in headers: RequestHeaders) -> Value? { headers.cookie(name).flatMap { Value($0) } }

    /// The field that sets the cookie.
    func setting(_ value: Value) -> String { "\(name)=\(value.text); Max-Age=\(Self.seconds); \(attributes)" }

    /// The field that deletes the cookie.
    var deleting: String { "\(name)=; Max-Age=0; \(attributes)" }
}

extension String {
    /// Whether the text can be the handle of a flow or of a stored request: 1 to 128 characters of base64url.
    var isHandle: Bool {
        (1...128).contains(utf8.count)
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

extension RequestHeaders {
    /// The value of a cookie; `nil` without one, or with two.
    func cookie(_ name: String) -> String? {
        let values = all("Cookie").flatMap { $0.split(separator: ";") }.compactMap { pair -> String? in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(\.withoutSpaces)
            return parts.count == 2 && parts[0] == name ? parts[1] : nil
        }
        return values.count == 1 ? values[0] : nil
    }
}

extension Substring {
    /// The text without spaces around it.
    fileprivate var withoutSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
