import Canonical
package import Crypto

/// The key that a D-TA shares with the service: 32 bytes. The service signs requests with it.
///
/// Whoever has it gets shares of new identities from this D-TA, and none of the other D-TA.
package struct MPinSigningKey: Sendable, Redacted {
    package static let byteCount = 32

    private let symmetric: SymmetricKey

    /// A key of the 32 bytes that a key file holds or a generator made.
    package init(_ symmetric: SymmetricKey) { self.symmetric = symmetric }

    /// A key of exactly 32 bytes. Returns `nil` for any other length.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        symmetric = SymmetricKey(data: bytes)
    }

    /// The bytes of the key, for the sealed file of its D-TA.
    package var bytes: [UInt8] { symmetric.withUnsafeBytes { Array($0) } }

    /// The HMAC-SHA-256 of a message in lower-case hexadecimal.
    func signature(of message: [UInt8]) -> String {
        Hex.encode(Array(HMAC<SHA256>.authenticationCode(for: message, using: symmetric)))
    }

    /// Whether the hexadecimal text is the signature of a message. The comparison takes constant time.
    package func verifies(_ signature: String, of message: [UInt8]) -> Bool {
        guard let code = Hex.decode(signature), code.count == SHA256.byteCount else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: message, using: symmetric)
    }
}
