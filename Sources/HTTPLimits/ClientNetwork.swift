/// The network that counts as one address.
package enum ClientNetwork {
    /// Returns an IPv4 address as it is, or the /64 prefix of an IPv6 address.
    package static func of(_ address: String) -> String {
        guard address.contains(":"), !address.contains("."), let text = address.split(separator: "%").first else {
            return address
        }
        guard let gap = text.firstRange(of: "::") else {
            return text.split(separator: ":").prefix(4).joined(separator: ":")
        }
        let head = text[..<gap.lowerBound].split(separator: ":")
        let tail = text[gap.upperBound...].split(separator: ":")
        let zeros = Array(repeating: Substring("0"), count: max(0, 8 - head.count - tail.count))
        return (head + zeros + tail).prefix(4).joined(separator: ":")
    }
}
