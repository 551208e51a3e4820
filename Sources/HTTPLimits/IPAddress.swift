#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An IP address as 16 bytes. An IPv4 address is the same as its form in IPv6, `::ffff:192.0.2.1`: a listener on `::`
/// sees IPv4 clients that way.
package struct IPAddress: Sendable, Hashable {
    /// The bytes in network order. Those of an IPv4 address are the last four.
    package let bytes: [UInt8]

    /// What stands before an IPv4 address (RFC 4291 §2.5.5.2).
    private static let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]

    /// Reads an address as text, without brackets, port or zone. Returns `nil` for anything else.
    package init?(_ text: String) {
        // The longest is an IPv6 address that ends in an IPv4 one.
        guard text.utf8.count <= 45, text.utf8.allSatisfy(Self.isAddressByte) else { return nil }
        var short: [UInt8] = Array(repeating: 0, count: 4), long: [UInt8] = Array(repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &short) == 1 {
            bytes = Self.mapped + short
        } else if inet_pton(AF_INET6, text, &long) == 1 {
            bytes = long
        } else {
            return nil
        }
    }

    /// Whether it is an IPv4 address, in either form.
    package var isIPv4: Bool { bytes.starts(with: Self.mapped) }

    /// Whether only this machine has the address.
    package var isLoopback: Bool {
        isIPv4 ? bytes[12] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
    }

    /// The text that is the same for every spelling of the address. An IPv4 address is written as one.
    package var text: String {
        let shown = isIPv4 ? Array(bytes.suffix(4)) : bytes
        var written: [CChar] = Array(repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = isIPv4 ? AF_INET : AF_INET6
        guard inet_ntop(family, shown, &written, socklen_t(written.count)) != nil else { return "" }
        return String(decoding: written.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The text of an address in one spelling; other texts as they are.
    package static func canonical(_ text: String) -> String { IPAddress(text)?.text ?? text }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "."), UInt8(ascii: ":"):
            true
        default: false
        }
    }
}
