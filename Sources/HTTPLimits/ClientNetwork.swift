/// The network that counts as one address.
package enum ClientNetwork {
    /// Returns an IPv4 address as it is, or the /64 prefix of an IPv6 address. An IPv4 address that is mapped into IPv6
    /// counts as IPv4.
    package static func of(_ address: String) -> String {
        if address.hasPrefix("::"), let mapped = IPAddress(address), mapped.isIPv4 { return mapped.text }
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
