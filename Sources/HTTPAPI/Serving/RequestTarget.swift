/// The path and the query of a request exactly as they were sent.
struct RequestTarget {
    /// The path, percent-encoded.
    let rawPath: Substring
    /// The query without its question mark.
    let rawQuery: Substring

    /// Reads the origin form and the absolute form (RFC 9112 §3.2); nil when it is neither or not visible ASCII.
    init?(_ target: String) {
        guard !target.isEmpty, target.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
            return nil
        }
        var rest = Substring(target)
        if let scheme = ["http://", "https://"].first(where: { target.lowercased().hasPrefix($0) }) {
            // The authority is not looked at: nothing in an answer depends on what a caller calls this host.
            rest = rest.dropFirst(scheme.count)
            rest = rest.drop { $0 != "/" && $0 != "?" }
            if !rest.hasPrefix("/") { rest = "/" + rest }
        }
        guard rest.hasPrefix("/") else { return nil }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        rawPath = parts[0]
        rawQuery = parts.count > 1 ? parts[1] : ""
    }
}
