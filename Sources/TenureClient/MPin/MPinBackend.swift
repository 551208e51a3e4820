import Foundation
import TenureAPI

/// The address of a backend, such as `https://id.example/mpin/acme.example`, and what its settings say.
struct MPinBackend: Sendable, Equatable {
    /// The address without a trailing slash. Records are stored under it.
    let address: String
    /// The address of the second D-TA, with a trailing slash.
    let secondAuthority: String

    /// Checks the address of a backend, and removes trailing slashes.
    ///
    /// - Parameter trusted: The address of the service that the app configured, which may be clear text.
    /// - Returns: `nil` if it is no address, has a query, or would send secrets in clear text.
    static func address(_ text: String, trusted: String) -> String? {
        guard let parts = URLComponents(string: text), parts.isPlain, let host = parts.host, !host.isEmpty else {
            return nil
        }
        var address = text
        while address.hasSuffix("/") { address.removeLast() }
        let isTrusted = !trusted.isEmpty && address.hasPrefix(trusted + "/")
        return parts.isPrivate || (isTrusted && parts.isWeb) ? address : nil
    }

    /// Checks the address of the second D-TA and adds a trailing slash.
    ///
    /// - Returns: `nil` if it is no address, or its response could be read on the way.
    static func authority(_ text: String) -> String? {
        guard let parts = URLComponents(string: text), parts.isPlain, parts.isPrivate else { return nil }
        return text.hasSuffix("/") ? text : text + "/"
    }

    /// Whether the signed query for the second D-TA has only the characters of a query, and is about this digest.
    static func isQuery(_ text: String, ofDigest digest: String) -> Bool {
        let isSafe = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "="), UInt8(ascii: "&"), UInt8(ascii: "-"),
                UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"), UInt8(ascii: ":"), UInt8(ascii: "%"):
                true
            default: false
            }
        }
        let digests = text.split(separator: "&").filter { $0.hasPrefix("hash_mpin_id=") }
        return isSafe && text.utf8.count <= 1_024 && digests == ["hash_mpin_id=\(digest)"]
    }
}

extension URLComponents {
    fileprivate var isWeb: Bool { ["http", "https"].contains(scheme?.lowercased()) }

    /// Whether nobody on the way can read: TLS, or this machine.
    fileprivate var isPrivate: Bool {
        guard let host, !host.isEmpty else { return false }
        switch scheme?.lowercased() {
        case "https": return true
        case "http": return ["127.0.0.1", "localhost", "[::1]", "::1"].contains(host.lowercased())
        default: return false
        }
    }

    /// Whether there is nothing but a scheme, a host, a port and a path.
    fileprivate var isPlain: Bool { user == nil && password == nil && query == nil && fragment == nil }
}
