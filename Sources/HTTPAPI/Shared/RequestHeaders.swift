import Canonical
import HTTPTypes
import NIOCore
import TenureAPI

/// Reads the header fields that this API interprets.
struct RequestHeaders {
    let fields: HTTPFields

    /// Returns the value of a field, or `nil` if it is absent. Rejects a duplicate field.
    func single(_ name: String) throws(Refusal) -> String? {
        let values = all(name)
        guard values.count <= 1 else { throw .invalid(.header(name), "the header is given twice") }
        return values.first
    }

    /// Every value of a field.
    func all(_ name: String) -> [String] {
        guard let name = HTTPField.Name(name) else { return [] }
        return fields[values: name]
    }

    /// The request id that the caller chose. A new id if the caller sent none or a malformed one
    /// (`[A-Za-z0-9._-]{1,64}`).
    var requestId: String {
        let sent = all(HeaderName.requestId)
        guard sent.count == 1, let id = sent.first, (1...64).contains(id.utf8.count), id.utf8.allSatisfy(Self.isIdByte)
        else { return RequestHeaders.newRequestId() }
        return id
    }

    /// The raw idempotency key: 1 to 255 visible ASCII characters.
    func idempotencyKey() throws(Refusal) -> String? {
        guard let key = try single(HeaderName.idempotencyKey) else { return nil }
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .invalid(.header(HeaderName.idempotencyKey), "1 to 255 visible ASCII characters are expected")
        }
        return key
    }

    /// The position that the read models must have reached.
    func waitFor() throws(Refusal) -> Int64? {
        guard let text = try single(HeaderName.waitFor) else { return nil }
        guard let position = Int64(decimal: text) else {
            throw .invalid(.header(HeaderName.waitFor), "a position is expected")
        }
        return position
    }

    private static func newRequestId() -> String {
        var random = SystemRandomNumberGenerator()
        let words: [UInt64] = [random.next(), random.next()]
        return Hex.encode(words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } })
    }

    private static func isIdByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

extension RequestHeaders {
    /// The languages of `Accept-Language` (RFC 9110 §12.5.4), in order of preference. Malformed ranges are ignored.
    var preferredLanguages: [String] {
        let ranges = all("Accept-Language").flatMap { $0.split(separator: ",") }.prefix(32).compactMap(Self.range)
        let order = ranges.indices.sorted {
            (-ranges[$0].quality, $0) < (-ranges[$1].quality, $1)
        }
        return order.map { ranges[$0].tag }
    }

    /// Parses a language range and its quality in thousandths; `nil` if it is malformed or has quality 0.
    private static func range(_ text: Substring) -> (tag: String, quality: Int)? {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map { part in
            String(part.filter { $0 != " " && $0 != "\t" })
        }
        guard let tag = parts.first, !tag.isEmpty, parts.count <= 2 else { return nil }
        guard parts.count == 2 else { return (tag, 1_000) }
        guard parts[1].lowercased().hasPrefix("q="), let quality = Double(parts[1].dropFirst(2)), quality > 0,
            quality <= 1
        else { return nil }
        return (tag, Int(quality * 1_000))
    }
}

/// Determines the address of the caller.
struct ClientAddress {
    /// The proxies whose `X-Forwarded-For` is trusted.
    let trustedProxies: Set<String>

    /// Returns the caller's address as text.
    ///
    /// It is the address of the peer. If the peer is a trusted proxy, it is the last address in `X-Forwarded-For` that
    /// is not a trusted proxy's. The addresses before it come from the caller and are ignored.
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

    /// Whether the byte may occur in an IP address. Excludes zone ids and ports that a proxy must not send.
    private static func isAddressByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "."), UInt8(ascii: ":"):
            true
        default: false
        }
    }

    /// Whether the request came from this machine without a proxy.
    static func isLoopback(peer: String?, headers: RequestHeaders) -> Bool {
        guard let peer, peer == "::1" || peer.hasPrefix("127.") || peer.hasPrefix("::ffff:127.") else { return false }
        return ["Forwarded", "X-Forwarded-For", "Via", "X-Real-IP"].allSatisfy { headers.all($0).isEmpty }
    }
}
