import Keys

/// The network of a caller's address: the first 24 bits of an IPv4 address, or the first 56 of an IPv6 address.
///
/// Who has one address of such a network often has them all. An IPv4 address that is mapped into IPv6 counts as IPv4.
struct CallerNetwork: Sendable, Hashable {
    /// The version of the protocol, and the bytes of the prefix. A text that is no address is its own network.
    let bytes: [UInt8]

    /// What stands before an IPv4 address in IPv6 (RFC 4291, section 2.5.5.2).
    private static let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]

    /// - Parameter address: The address as text, as ``Call/sourceAddress`` has it; `nil` if it is unknown. All callers
    ///   without an address are one network.
    init(of address: String?) {
        let text: Substring = address?.prefix { $0 != "%" } ?? ""
        if let octets = Self.octets(text) {
            bytes = [4] + Array(octets.prefix(3))
        } else if let long = Self.long(text) {
            bytes = long.starts(with: Self.mapped) ? [4] + Array(long[12..<15]) : [6] + Array(long.prefix(7))
        } else {
            bytes = [0] + Array(text.utf8.prefix(64))
        }
    }

    /// What stands for the network in rows: an HMAC, so that they do not tell the addresses.
    func digest(_ ring: KeyRing) -> [UInt8] { ring.lookupDigest(kind: "budget-network", bytes) }

    /// The bytes of an IPv4 address; `nil` for another text.
    private static func octets(_ text: Substring) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let octets = parts.compactMap { UInt8($0) }
        return parts.count == 4 && octets.count == 4 ? octets : nil
    }

    /// The sixteen bytes of an IPv6 address; `nil` for another text.
    private static func long(_ text: Substring) -> [UInt8]? {
        guard let gap = text.firstRange(of: "::") else {
            let groups = groups(text)
            return groups?.count == 16 ? groups : nil
        }
        guard let head = groups(text[..<gap.lowerBound]), let tail = groups(text[gap.upperBound...]),
            head.count + tail.count <= 14
        else { return nil }
        return head + Array(repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    /// The bytes of groups with colons between, of which the last may be an IPv4 address; `nil` for another text.
    private static func groups(_ text: Substring) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        var bytes: [UInt8] = []
        for group in text.split(separator: ":", omittingEmptySubsequences: false) {
            if let octets = octets(group) {
                bytes += octets
            } else if let number = UInt16(group, radix: 16) {
                bytes += [UInt8(number >> 8), UInt8(number & 0xFF)]
            } else {
                return nil
            }
        }
        return bytes
    }
}

extension ServiceContext {
    /// What stands for the network of a call in rows, if the app counts attempts for each network: the pages app, through
    /// which everybody comes; `nil` for every other app.
    func network(of call: Call, through app: AppCaller) -> [UInt8]? {
        app.isPagesApp ? CallerNetwork(of: call.sourceAddress).digest(ring) : nil
    }
}
