import Canonical
import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The key that a D-TA shares with the service: 32 bytes. The service signs requests with it.
///
/// Whoever has it gets shares of new identities from this D-TA, and none of the other D-TA.
public struct MPinSigningKey: Sendable {
    /// The number of bytes of a signing key.
    public static let byteCount = 32

    let symmetric: SymmetricKey

    init(_ symmetric: SymmetricKey) { self.symmetric = symmetric }

    /// A key of exactly 32 bytes. Returns `nil` for any other length.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        symmetric = SymmetricKey(data: bytes)
    }

    /// Reads a key from its file: 64 lower-case hexadecimal digits and a newline, mode 0600.
    ///
    /// - Throws: ``MPinAuthorityError``.
    public init(file path: String) throws(MPinAuthorityError) {
        symmetric = try MPinKeyFile.read(path)
    }

    var bytes: [UInt8] { symmetric.withUnsafeBytes { Array($0) } }

    /// The HMAC-SHA-256 of a message in lower-case hexadecimal.
    func signature(of message: [UInt8]) -> String {
        Hex.encode(Array(HMAC<SHA256>.authenticationCode(for: message, using: symmetric)))
    }

    /// Whether the hexadecimal text is the signature of a message. The comparison takes constant time.
    func verifies(_ signature: String, of message: [UInt8]) -> Bool {
        guard let code = Hex.decode(signature), code.count == SHA256.byteCount else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: message, using: symmetric)
    }
}

extension MPinSigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `[redacted]`.
    public var description: String { "[redacted]" }
    /// Always `[redacted]`.
    public var debugDescription: String { "[redacted]" }
    /// A mirror without children, so that `dump` does not show the bytes.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}

/// A file with one key of 32 bytes: 64 lower-case hexadecimal digits and a newline, mode 0600.
enum MPinKeyFile {
    static func read(_ path: String) throws(MPinAuthorityError) -> SymmetricKey {
        let text = String(decoding: try MPinPrivateFile.read(path), as: UTF8.self)
        guard text.last == "\n", let bytes = Hex.decode(String(text.dropLast())), bytes.count == 32 else {
            throw MPinAuthorityError(
                .malformed, "\(path) does not hold a key",
                remedy: "A key is 64 lower-case hexadecimal digits and a newline. Make one with: openssl rand -hex 32")
        }
        return SymmetricKey(data: bytes)
    }

    /// Reads the key of a file, or generates one and creates the file. It never overwrites a file.
    static func readOrCreate(_ path: String) throws(MPinAuthorityError) -> SymmetricKey {
        do {
            return try read(path)
        } catch {
            guard error.code == .missing else { throw error }
        }
        let key = SymmetricKey(size: .bits256)
        try MPinPrivateFile.create(path, Array((Hex.encode(key.withUnsafeBytes { Array($0) }) + "\n").utf8))
        return key
    }
}
