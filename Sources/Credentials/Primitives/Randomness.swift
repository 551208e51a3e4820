#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
import Canonical
import Crypto

/// Where random bytes come from: the operating system, except in tests that pin vectors.
///
/// Only key material, identifiers, salts and AES-GCM nonces are drawn here. ECDSA nonces, VOPRF blinds and proof
/// scalars are drawn by the cryptographic library itself and cannot be replaced.
public struct Randomness: Sendable {
    private let fill: @Sendable (Int) -> [UInt8]

    /// Draws from `fill`, which must return exactly as many bytes as asked for and must be unpredictable in production.
    public init(_ fill: @escaping @Sendable (Int) -> [UInt8]) { self.fill = fill }

    /// The operating system's generator.
    public static let system = Randomness { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// `count` random bytes.
    public func bytes(_ count: Int) -> [UInt8] { fill(count) }

    /// A random UUID of version 4 made from 16 random bytes.
    public func uuid() -> UUID { UUID(randomBytes: bytes(16)) }
}

extension UUID {
    /// Sets the version (4) and variant bits of 16 bytes that are random or derived, so that both kinds look the same.
    init(randomBytes: [UInt8]) {
        var b = randomBytes
        while b.count < 16 { b.append(0) }
        b[6] = b[6] & 0x0f | 0x40
        b[8] = b[8] & 0x3f | 0x80
        self.init(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            ))
    }
}
