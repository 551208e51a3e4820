import HTTPLimits
import HTTPTypes
import TenureAPI

/// The authority that a request is for: the host that the client means, and the port if it names one.
///
/// No reply depends on it, except that a development service sends browsers to its public URL. It tells whether proxies
/// may have read another request than the service, and whether a page of another site asks, by a name that its owner
/// points to this machine.
struct RequestAuthority {
    /// The authority as it was sent.
    let text: String

    /// Reads `:authority` and `Host`. Requests of HTTP/1 come with one `Host`, see `HTTP1Gate`; those of HTTP/2 have
    /// `:authority`, or `Host`, or both with one meaning (RFC 9113 §8.3.1).
    ///
    /// - Throws: `request.invalid`.
    init(_ head: HTTPRequest) throws(Refusal) {
        let hosts = RequestHeaders.all("Host", in: head.headerFields)
        guard let text = head.authority ?? hosts.first, !text.isEmpty, hosts.count <= 1,
            hosts.allSatisfy({ $0.lowercased() == text.lowercased() })
        else { throw .invalid(.header("Host"), "one authority is expected, without another one in Host") }
        self.text = text
    }

    /// Whether it names this machine itself.
    var isLoopback: Bool { LoopbackName.matches(Self.host(of: text)) }

    /// The host of an authority without port and brackets.
    private static func host(of authority: String) -> String {
        guard authority.hasPrefix("[") else { return String(authority.prefix { $0 != ":" }) }
        guard let end = authority.firstIndex(of: "]"), authority[end...].wholeMatch(of: /\](:[0-9]*)?/) != nil else {
            return authority
        }
        return String(authority[..<end].dropFirst())
    }
}
