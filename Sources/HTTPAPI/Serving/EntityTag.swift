import TenureAPI

/// The version of an object as `ETag` and `If-Match` carry it: `"<version>"` (RFC 9110 §8.8.3).
enum EntityTag {
    /// The header value of a version.
    static func text(_ version: Int) -> String { "\"\(version)\"" }

    /// The version that the caller has seen, or nil when any will do.
    ///
    /// A well-formed tag that is no version of ours, a weak one among them, matches nothing: `request.stale`.
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
