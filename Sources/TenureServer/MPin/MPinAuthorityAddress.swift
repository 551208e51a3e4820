/// The address of a D-TA, such as `https://dta-1.example/`.
package struct MPinAuthorityAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address with a slash at the end.
    package let text: String

    /// Whether requests to the address are not encrypted.
    package let isClearText: Bool

    /// Whether the address leads to this machine.
    package let isLoopback: Bool

    /// Reads an address. A slash at the end may be missing.
    ///
    /// Returns `nil` unless the text is `http://` or `https://`, a host, optionally a port, and optionally a path.
    package init?(_ text: String) {
        let schemes = [("https://", false), ("http://", true)]
        guard let (scheme, isClearText) = schemes.first(where: { text.hasPrefix($0.0) }) else { return nil }
        let parts = text.dropFirst(scheme.count).split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = Self.host(of: parts[0]) else { return nil }
        let path = parts.count > 1 ? parts[1] : ""
        guard path.utf8.allSatisfy({ Self.isPlain($0) || $0 == UInt8(ascii: "/") }) else { return nil }
        self.text = text.hasSuffix("/") ? text : text + "/"
        self.isClearText = isClearText
        isLoopback = host == "localhost" || host == "::1" || Self.isLoopbackNumber(host)
    }

    package var description: String { text }

    /// The host of `host`, `host:port`, `[address]` or `[address]:port`; `nil` for anything else.
    private static func host(of authority: Substring) -> Substring? {
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let host = authority[authority.index(after: authority.startIndex)..<end]
            guard !host.isEmpty, host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else { return nil }
            return isPort(authority[authority.index(after: end)...]) ? host : nil
        }
        let host = authority.prefix { $0 != ":" }
        guard !host.isEmpty, host.utf8.allSatisfy(isPlain) else { return nil }
        return isPort(authority[host.endIndex...]) ? host : nil
    }

    /// Whether the text is empty or a colon and a port.
    private static func isPort(_ text: Substring) -> Bool {
        guard text.first == ":" else { return text.isEmpty }
        guard let port = UInt16(text.dropFirst()) else { return false }
        return port > 0 && String(port) == text.dropFirst()
    }

    /// Whether the host is an address of IPv4 that begins with 127. A name such as `127.example` is none.
    private static func isLoopbackNumber(_ host: Substring) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Whether the byte may be in a host's name, and in a path as it is.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
