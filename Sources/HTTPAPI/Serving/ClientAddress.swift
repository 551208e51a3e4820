import NIOCore

/// Finds out who called.
struct ClientAddress {
    /// The proxies whose word counts.
    let trustedProxies: Set<String>

    /// The address of the caller as text.
    ///
    /// It is the peer's, or the last address in `X-Forwarded-For` that is not a trusted proxy's when the peer is one.
    /// What stands before that address was written by the caller and means nothing.
    func of(peer: String?, headers: RequestHeaders) -> String? {
        guard let peer, trustedProxies.contains(peer) else { return peer }
        let hops = headers.all("X-Forwarded-For").joined(separator: ",").split(separator: ",")
        var nearest = peer
        for hop in hops.reversed().prefix(16) {
            let text = hop.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
            guard text.utf8.count <= 45, text.utf8.allSatisfy(Self.isAddressByte),
                let address = try? SocketAddress(ipAddress: String(text), port: 0),
                let canonical = address.ipAddress
            else { return nearest }
            nearest = canonical
            if !trustedProxies.contains(canonical) { return canonical }
        }
        return nearest
    }

    /// Zone ids and ports are no part of what a proxy may tell.
    private static func isAddressByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "."), UInt8(ascii: ":"):
            true
        default: false
        }
    }

    /// Whether the request came from this machine and through no proxy.
    static func isLoopback(peer: String?, headers: RequestHeaders) -> Bool {
        guard let peer, peer == "::1" || peer.hasPrefix("127.") || peer.hasPrefix("::ffff:127.") else { return false }
        return ["Forwarded", "X-Forwarded-For", "Via", "X-Real-IP"].allSatisfy { headers.all($0).isEmpty }
    }
}
