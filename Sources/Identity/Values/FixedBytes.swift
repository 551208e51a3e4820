import Canonical

/// A P-256 public key as its X9.63 point: 65 bytes, the first of them 4 (SEC 1 §2.3.3).
///
/// Whether the point lies on the curve is checked where keys are used, because that needs a curve.
public struct PublicKeyBytes: Sendable, Hashable {
    /// The number of bytes.
    public static let count = 65
    /// The point, uncompressed.
    public let bytes: [UInt8]

    /// Takes 65 bytes that start with 4; nil for anything else.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count, bytes.first == 4 else { return nil }
        self.bytes = Array(bytes)
    }
}

/// An ECDSA P-256 signature: the raw 64 bytes r ‖ s, never used as an identifier because it is malleable.
public struct SignatureBytes: Sendable, Hashable {
    /// The number of bytes.
    public static let count = 64
    /// r ‖ s.
    public let bytes: [UInt8]

    /// Takes exactly 64 bytes; nil for any other number.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        self.bytes = Array(bytes)
    }
}

/// A salt or a digest of exactly 32 bytes.
public struct Bytes32: Sendable, Hashable {
    /// The number of bytes.
    public static let count = 32
    /// The bytes.
    public let bytes: [UInt8]

    /// Takes exactly 32 bytes; nil for any other number.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        self.bytes = Array(bytes)
    }
}

/// The fingerprint of a public key: the SHA-256 of its 65 bytes, shown as 64 lower-case hexadecimal digits.
public struct Fingerprint: Sendable, Hashable, CustomStringConvertible {
    /// The 32 bytes of the hash.
    public let bytes: [UInt8]

    /// Takes exactly 32 bytes; nil for any other number.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        self.bytes = Array(bytes)
    }

    /// Reads 64 lower-case hexadecimal digits; nil for any other spelling.
    public init?(hex: String) {
        guard let bytes = Hex.decode(hex) else { return nil }
        self.init(bytes)
    }

    /// 64 lower-case hexadecimal digits.
    public var description: String { Hex.encode(bytes) }
}
