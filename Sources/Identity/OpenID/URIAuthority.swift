import Text

/// The scheme, the host and the port of a URI of http or https.
struct URIAuthority: Sendable, Hashable {
    /// `http` or `https`.
    let scheme: String
    /// The host as given: a name, an IPv4 address or an IPv6 address in brackets.
    let host: String
    /// The port; `nil` for that of the scheme.
    let port: Int?
    /// Whether nothing follows the host and the port.
    let isWhole: Bool

    /// Reads what follows the colon of the scheme; `nil` without `//` and a host, with a user, or with a port that there
    /// is not.
    init?(scheme: String, rest: ArraySlice<UInt8>) {
        guard rest.starts(with: "//".utf8) else { return nil }
        let after = rest.dropFirst(2)
        let authority = after.prefix { !"/?".utf8.contains($0) }
        guard !authority.contains(UInt8(ascii: "@")) else { return nil }
        let host: ArraySlice<UInt8>
        if authority.first == UInt8(ascii: "[") {
            guard let end = authority.firstIndex(of: UInt8(ascii: "]")),
                Self.isIPv6(String(decoding: authority[..<end].dropFirst(), as: UTF8.self))
            else { return nil }
            host = authority[...end]
        } else {
            host = authority.prefix { $0 != UInt8(ascii: ":") }
            guard Self.isName(String(decoding: host, as: UTF8.self)) else { return nil }
        }
        let tail = authority[host.endIndex...]
        if tail.isEmpty {
            port = nil
        } else {
            let digits = String(decoding: tail.dropFirst(), as: UTF8.self)
            guard tail.first == UInt8(ascii: ":"), let number = Int(digits), (1...65_535).contains(number),
                String(number) == digits
            else { return nil }
            port = number
        }
        self.scheme = scheme
        self.host = String(decoding: host, as: UTF8.self)
        isWhole = authority.count == after.count
    }

    /// Whether a text is an IPv4 address, or the labels of a domain name in ASCII (RFC 5890, section 2.3.1). Browsers take
    /// a name whose last label is a number for an address, `0x7f` among them.
    private static func isName(_ text: String) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = labels.last?.utf8.first, URICharacters.isLetter(last) else { return isIPv4(text[...]) }
        return text.utf8.count <= DomainName.maximumBytes
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy(isOfLabel)
                    && (!label.lowercased().hasPrefix("xn--") || DomainName(String(label)) != nil)
            }
    }

    private static func isOfLabel(_ byte: UInt8) -> Bool {
        URICharacters.isLetter(byte) || URICharacters.isDigit(byte) || byte == UInt8(ascii: "-")
    }

    /// Whether a text is four numbers below 256 without leading zeros (RFC 3986, section 3.2.2).
    private static func isIPv4(_ text: Substring) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { part in UInt8(part).map { "\($0)" == part } ?? false }
    }

    /// Whether a text is an IPv6 address without a zone (RFC 4291, section 2.2).
    private static func isIPv6(_ text: String) -> Bool {
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
        guard halves.count <= 2 else { return false }
        var count = 0
        for (number, half) in halves.enumerated() where !(half.isEmpty && halves.count == 2) {
            let groups = half.split(separator: ":", omittingEmptySubsequences: false)
            for (place, group) in groups.enumerated() {
                let isLast = number == halves.count - 1 && place == groups.count - 1
                if isLast, group.contains("."), isIPv4(group) {
                    count += 2
                } else if (1...4).contains(group.utf8.count), group.utf8.allSatisfy(isHexadecimal) {
                    count += 1
                } else {
                    return false
                }
            }
        }
        return halves.count == 2 ? count < 8 : count == 8
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        URICharacters.isDigit(byte) || "abcdefABCDEF".utf8.contains(byte)
    }

    /// Whether the host is this machine, as every browser takes it.
    var isLoopback: Bool { ["127.0.0.1", "[::1]", "localhost"].contains(host) }

    var origin: String { "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "") }
}
