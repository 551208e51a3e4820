import HTTPLimits

/// Determines the address of the caller.
struct ClientAddress {
    /// The networks of the proxies whose `X-Forwarded-For` is trusted.
    let trustedProxies: TrustedNetworks

    /// Returns the caller's address as text.
    ///
    /// It is the address of the peer. If the peer is a trusted proxy, it is the last address in `X-Forwarded-For` that
    /// is not a trusted proxy's. The addresses before it come from the caller and are ignored. Without that field it is
    /// the last such address in `Forwarded` (RFC 7239): a proxy that adds the one may pass on the caller's other.
    func of(peer: String?, headers: RequestHeaders) -> String? {
        guard let peer else { return nil }
        guard let address = IPAddress(peer), trustedProxies.contains(address) else { return IPAddress.canonical(peer) }
        let hops = Self.hops(headers)
        var nearest = address
        for hop in hops.reversed().prefix(16) {
            guard let address = Self.address(hop) else { break }
            nearest = address
            if !trustedProxies.contains(address) { break }
        }
        return nearest.text
    }

    /// The addresses that proxies added, the nearest last. One that is missing or malformed is an empty text.
    ///
    /// The elements before a proxy's own come from the caller. Nothing in them, such as an opened quotation mark, changes
    /// how the proxy's is read.
    private static func hops(_ headers: RequestHeaders) -> [Substring] {
        guard headers.all("X-Forwarded-For").isEmpty else { return headers.reader("X-Forwarded-For").plainElements }
        return headers.reader("Forwarded").hops.map { $0?["for"].map { $0[...] } ?? "" }
    }

    /// Reads one entry: `192.0.2.7`, `192.0.2.7:8080`, `2001:db8::7`, `[2001:db8::7]` or `[2001:db8::7]:8080`.
    private static func address(_ text: Substring) -> IPAddress? {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]"), isPort(text[text.index(after: end)...]) else { return nil }
            let address = text[text.index(after: text.startIndex)..<end]
            return address.contains(":") ? IPAddress(String(address)) : nil
        }
        guard let colon = text.firstIndex(of: ":"), text.lastIndex(of: ":") == colon else {
            return IPAddress(String(text))
        }
        return isPort(text[colon...]) ? IPAddress(String(text[..<colon])) : nil
    }

    /// Whether the text is empty, or a port after a colon.
    private static func isPort(_ text: Substring) -> Bool {
        guard !text.isEmpty else { return true }
        return text.hasPrefix(":") && (2...6).contains(text.utf8.count)
            && text.dropFirst().utf8.allSatisfy { (48...57).contains($0) }
    }

    /// Whether the request came from this machine without a proxy.
    static func isLoopback(peer: String?, headers: RequestHeaders) -> Bool {
        guard let peer, IPAddress(peer)?.isLoopback == true else { return false }
        return ["Forwarded", "X-Forwarded-For", "Via", "X-Real-IP"].allSatisfy { headers.all($0).isEmpty }
    }
}
