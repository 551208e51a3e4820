package import Canonical
import ErrorCodes

/// A URI to which the browser may be sent: of an answer to an authorization request, or after a log-out.
///
/// It is compared byte by byte (RFC 9700, section 2.1), so it is kept as given. Permitted are https, http on the own
/// machine, and a scheme of an app, which contains a dot (RFC 8252, section 7.1).
package struct ClientURI: Sendable, Hashable, CustomStringConvertible {
    /// The largest number of bytes.
    package static let maximumBytes = 255
    /// The URI as given.
    package let text: String
    /// The scheme, the host and the port; `nil` for a scheme of an app.
    let authority: URIAuthority?
    package var description: String { text }

    /// Checks a URI.
    ///
    /// - Parameter field: The member that contains it.
    /// - Throws: ``ValueError`` with `request.invalid` and the reason.
    package init(_ text: String, field: String = "redirects") throws(ValueError) {
        func refusal(_ reason: String) -> ValueError { ValueError(.requestInvalid, field: field, reason: reason) }
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty else { throw refusal("a value is required") }
        guard bytes.count <= Self.maximumBytes else {
            throw refusal("the URI has more than \(Self.maximumBytes) bytes")
        }
        guard !bytes.contains(UInt8(ascii: "#")) else { throw refusal("the URI has a fragment; leave it out") }
        guard !bytes.contains(UInt8(ascii: "*")) else {
            throw refusal("the URI has a wildcard; name every URI by itself")
        }
        guard URICharacters.areWritten(bytes) else {
            throw refusal("the URI contains a character that is not accepted; percent-encode it")
        }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), URICharacters.areScheme(bytes[..<colon]) else {
            throw refusal("the URI has no scheme; write an absolute one, such as https://app.example.com/callback")
        }
        let scheme = String(decoding: bytes[..<colon], as: UTF8.self), rest = bytes[(colon + 1)...]
        guard scheme == scheme.lowercased() else { throw refusal("write the scheme in lower case") }
        guard ["http", "https"].contains(scheme) else {
            guard scheme.utf8.contains(UInt8(ascii: ".")) else {
                throw refusal("the scheme of an app contains a dot, such as com.example.app")
            }
            guard !rest.isEmpty else { throw refusal("the URI has nothing after its scheme") }
            self.text = text
            authority = nil
            return
        }
        guard let authority = URIAuthority(scheme: scheme, rest: rest) else {
            throw refusal("the URI names no host; write https://, a host and a path")
        }
        guard scheme == "https" || authority.isLoopback else {
            throw refusal("http is accepted for 127.0.0.1, [::1] and localhost only; write https")
        }
        self.text = text
        self.authority = authority
    }

    /// The URI without its port, if it is one of http on `127.0.0.1` or `[::1]`; `nil` for any other.
    ///
    /// A native app gets a free port when it starts, so a request may name another one (RFC 8252, section 7.3).
    package var withoutLoopbackPort: String? {
        guard let authority, authority.scheme == "http", ["127.0.0.1", "[::1]"].contains(authority.host) else {
            return nil
        }
        let rest = String(decoding: text.utf8.dropFirst(authority.origin.utf8.count), as: UTF8.self)
        return "http://\(authority.host)\(rest)"
    }

    /// The origin of the URI, such as `https://app.example.com`; `nil` for the scheme of an app.
    package var webOrigin: String? { authority?.origin }
}

extension ClientURI: MemberValue {
    package static let memberKind = MemberKind<Self>.text(
        .string(format: "client-uri"), "a URI of a client is expected", parse: { try? Self($0) }, text: \.text)
}
