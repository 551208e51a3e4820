package import Canonical
import ErrorCodes

/// The origin of a web page that may call the OpenID provider's endpoints, as browsers send it (RFC 6454).
///
/// It is compared byte by byte, so the scheme and the host are in lower case, and the port of the scheme is left out.
package struct ClientOrigin: Sendable, Hashable, CustomStringConvertible {
    /// The origin, such as `https://app.example.com`.
    package let text: String
    package var description: String { text }

    /// Checks an origin.
    ///
    /// - Throws: ``ValueError`` with `request.invalid` and the reason.
    package init(_ text: String) throws(ValueError) {
        func refusal(_ reason: String) -> ValueError {
            ValueError(.requestInvalid, field: "origins", reason: reason)
        }
        let bytes = Array(text.utf8)
        guard bytes.count <= ClientURI.maximumBytes, text == text.lowercased(),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        else { throw refusal("write the origin in lower case, such as https://app.example.com") }
        let scheme = String(decoding: bytes[..<colon], as: UTF8.self)
        guard ["http", "https"].contains(scheme),
            let authority = URIAuthority(scheme: scheme, rest: bytes[(colon + 1)...]), authority.isWhole
        else { throw refusal("an origin is a scheme, a host and a port, such as https://app.example.com, no more") }
        guard scheme == "https" || authority.isLoopback else {
            throw refusal("http is accepted for 127.0.0.1, [::1] and localhost only; write https")
        }
        guard authority.port != (scheme == "https" ? 443 : 80) else {
            throw refusal("leave out the port of the scheme, as browsers do")
        }
        self.text = text
    }
}

extension ClientOrigin: MemberValue {
    package static let memberKind = MemberKind<Self>.text(
        .string(format: "origin"), "an origin is expected", parse: { try? Self($0) }, text: \.text)
}
