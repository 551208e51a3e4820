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
        guard let first = authority.first, !authority.contains(UInt8(ascii: "@")) else { return nil }
        let host: ArraySlice<UInt8>
        if first == UInt8(ascii: "[") {
            guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            host = authority[...end]
        } else {
            guard URICharacters.isLetter(first) || URICharacters.isDigit(first) else { return nil }
            host = authority.prefix { $0 != UInt8(ascii: ":") }
            guard host.allSatisfy(Self.isOfName) else { return nil }
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

    private static func isOfName(_ byte: UInt8) -> Bool {
        URICharacters.isLetter(byte) || URICharacters.isDigit(byte) || "-._".utf8.contains(byte)
    }

    /// Whether the host is this machine, as every browser takes it.
    var isLoopback: Bool { ["127.0.0.1", "[::1]", "localhost"].contains(host) }

    /// The scheme, the host and the port.
    var origin: String { "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "") }
}
