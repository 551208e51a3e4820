/// Networks of proxies, whose word about the address of a client counts.
///
/// ```swift
/// let proxies = try TrustedNetworks(["192.0.2.7", "10.0.0.0/8", "2001:db8::/32"])
/// ```
package struct TrustedNetworks: Sendable, Equatable {
    /// A network: the addresses whose first bits are these.
    private struct Network: Sendable, Equatable {
        var bytes: [UInt8]
        var bits: Int

        func contains(_ address: IPAddress) -> Bool { Self.prefix(address.bytes, bits) == bytes }

        /// The bytes with every bit after the first `bits` set to 0.
        static func prefix(_ bytes: [UInt8], _ bits: Int) -> [UInt8] {
            bytes.indices.map { index in
                let kept = min(8, max(0, bits - 8 * index))
                return bytes[index] & ~UInt8(truncatingIfNeeded: 0xFF >> kept)
            }
        }
    }

    private let networks: [Network]

    package static let none = TrustedNetworks(networks: [])

    private init(networks: [Network]) { self.networks = networks }

    /// Reads networks: an address, or an address with the length of its prefix.
    ///
    /// - Throws: ``UnreadableNetwork`` with the first text that is neither, or that has bits beyond its prefix.
    package init(_ texts: [String]) throws(UnreadableNetwork) {
        var networks: [Network] = []
        for text in texts { networks.append(try Self.network(text)) }
        self.networks = networks
    }

    /// Whether the text is an address of one of the networks. An IPv4 address that is mapped into IPv6 counts as IPv4.
    package func contains(_ address: String) -> Bool { IPAddress(address).map(contains) ?? false }

    package func contains(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }

    private static func network(_ text: String) throws(UnreadableNetwork) -> Network {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ IPAddress(String($0)) }) else {
            throw UnreadableNetwork(text: text, reason: "an IP address is expected, such as 192.0.2.7 or 2001:db8::7")
        }
        guard parts.count == 2 else { return Network(bytes: address.bytes, bits: 128) }
        // The prefix counts the bits of the address as it is written.
        let isShort = !parts[0].contains(":")
        let longest = isShort ? 32 : 128
        guard let length = number(parts[1]), length <= longest else {
            throw UnreadableNetwork(text: text, reason: "a prefix of 0 to \(longest) is expected after the slash")
        }
        let bits = isShort ? 96 + length : length
        let bytes = Network.prefix(address.bytes, bits)
        guard bytes == address.bytes else {
            throw UnreadableNetwork(text: text, reason: "the address has bits beyond the prefix of \(length)")
        }
        return Network(bytes: bytes, bits: bits)
    }

    private static func number(_ text: Substring) -> Int? {
        guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }),
            text == "0" || !text.hasPrefix("0")
        else { return nil }
        return Int(text)
    }
}

/// A text that names no network.
package struct UnreadableNetwork: Error, Sendable, Equatable, CustomStringConvertible {
    /// The stable code of the error.
    package let code = "network.unreadable"
    package let text: String
    /// What is wrong with it.
    package let reason: String

    /// The text and what is wrong with it.
    package var description: String { "\(text) is not a network: \(reason)" }
}
