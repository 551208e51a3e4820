package import Canonical
import ErrorCodes

/// The URI of something that an app protects, which a token can be meant for besides the app itself (RFC 8707).
///
/// It is an absolute URI without a fragment (RFC 3986, section 4.3). Two resources are equal if their bytes are: nothing
/// is normalized, because verifiers compare the audience of a token byte by byte.
package struct ResourceIndicator: Sendable, Hashable, CustomStringConvertible {
    /// The largest number of bytes.
    package static let maximumBytes = 255
    /// The URI as given.
    package let text: String
    package var description: String { text }

    /// Checks a URI.
    ///
    /// - Throws: ``ValueError`` with `request.invalid` and the reason.
    package init(_ text: String) throws(ValueError) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty else { throw Self.refusal("a value is required") }
        guard bytes.count <= Self.maximumBytes else {
            throw Self.refusal("the URI has more than \(Self.maximumBytes) bytes")
        }
        guard !bytes.contains(UInt8(ascii: "#")) else { throw Self.refusal("the URI has a fragment; leave it out") }
        guard URICharacters.areWritten(bytes) else {
            throw Self.refusal("the URI contains a character that is not accepted; percent-encode it")
        }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), URICharacters.areScheme(bytes[..<colon]) else {
            throw Self.refusal("the URI has no scheme; write an absolute one, such as https://api.example.com/")
        }
        let rest = bytes[(colon + 1)...], scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
        guard !rest.isEmpty else { throw Self.refusal("the URI has nothing after its scheme") }
        guard !["http", "https"].contains(scheme) || Self.namesHost(rest) else {
            throw Self.refusal("the URI names no host; write https://, a host and a path")
        }
        self.text = text
    }

    private static func refusal(_ reason: String) -> ValueError {
        ValueError(.requestInvalid, field: "resource", reason: reason)
    }

    /// Whether what follows the scheme is `//` and the beginning of a host.
    private static func namesHost(_ rest: ArraySlice<UInt8>) -> Bool {
        guard rest.starts(with: "//".utf8), let first = rest.dropFirst(2).first else { return false }
        return URICharacters.isLetter(first) || URICharacters.isDigit(first) || first == UInt8(ascii: "[")
    }
}

extension ResourceIndicator: MemberValue {
    package static let memberKind = MemberKind<Self>.text(
        .string(format: "uri"), "an absolute URI is expected", parse: { try? Self($0) }, text: \.text)
}
