import Canonical
import Crypto
import ErrorCodes
import HTTPLimits
import TenureAPI

/// The entity tag of a reply in `ETag`, `If-Match` and `If-None-Match` (RFC 9110 §8.8.3).
enum EntityTag {
    /// Formats a version: `"<version>"`.
    static func text(_ version: Int64) -> String { "\"\(version)\"" }

    /// Formats the first 16 bytes of the SHA-256 of a body, as 32 hexadecimal digits. These never read as a version.
    static func text(of body: [UInt8]) -> String { "\"\(Hex.encode(Array(SHA256.hash(data: body).prefix(16))))\"" }

    /// Whether `If-None-Match` names the tag or any tag, by weak comparison (RFC 9110 §13.1.2).
    ///
    /// A malformed list matches nothing: the caller then gets the whole reply.
    static func isKnown(_ tag: String, ifNoneMatch headers: RequestHeaders) -> Bool {
        headers.reader("If-None-Match").entityTags?.matches(tag) ?? false
    }

    /// Returns the version that the caller has read, or `nil` if any version is acceptable.
    ///
    /// - Throws: `request.stale` for a well-formed tag that is not a version of this service, weak tags included.
    static func version(ifMatch headers: RequestHeaders) throws(Refusal) -> Int? {
        guard let text = try headers.single("If-Match"), text != "*" else { return nil }
        let weak = text.hasPrefix("W/")
        let quoted = weak ? text.dropFirst(2) : Substring(text)
        guard quoted.utf8.count >= 2, quoted.hasPrefix("\""), quoted.hasSuffix("\"") else {
            throw .invalid(.header("If-Match"), "one entity tag is expected")
        }
        let opaque = quoted.dropFirst().dropLast()
        guard opaque.utf8.allSatisfy({ $0 == 0x21 || (0x23...0x7E).contains($0) }) else {
            throw .invalid(.header("If-Match"), "one entity tag is expected")
        }
        guard !weak, let version = Int64(decimal: opaque) else { throw Refusal(.requestStale) }
        return Int(version)
    }
}
