import Canonical
import Crypto

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Secret bytes in memory that is overwritten when the last copy is released.
///
/// `SymmetricKey` provides that memory; the bytes need not be a key. Comparison takes constant time.
struct SecretBytes: Sendable, Equatable, Redacted {
    let key: SymmetricKey

    init(_ bytes: some Collection<UInt8>) { key = SymmetricKey(data: Array(bytes)) }

    init(_ key: SymmetricKey) { self.key = key }

    var count: Int { key.bitCount / 8 }

    /// A plain copy, for the moment of use only.
    var bytes: [UInt8] { unsafe key.withUnsafeBytes { unsafe Array($0) } }
}

/// A source of random bytes: the operating system, except in tests that fix vectors.
///
/// It supplies only key material, identifiers, salts and AES-GCM nonces. The cryptographic library draws ECDSA nonces,
/// VOPRF blinds and proof scalars itself; they cannot be replaced.
public struct Randomness: Sendable {
    private let fill: @Sendable (Int) -> [UInt8]

    /// A source that calls `fill`, which must return exactly the requested number of bytes, unpredictable in
    /// production.
    public init(_ fill: @escaping @Sendable (Int) -> [UInt8]) { self.fill = fill }

    /// The operating system's generator.
    public static let system = Randomness { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// Returns `count` random bytes.
    public func bytes(_ count: Int) -> [UInt8] { fill(count) }

    /// Returns a random UUID of version 4, made from 16 random bytes.
    public func uuid() -> UUID { UUID(randomBytes: bytes(16)) }
}

extension UUID {
    /// Sets the version (4) and variant bits of 16 random or derived bytes, so that both kinds look alike.
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

/// Derives a private scalar from secret material: HKDF outputs are tried until the curve accepts one.
///
/// The output for counter 0, 1, … 255 is HKDF(ikm, salt, info ‖ counter), with the counter as one byte. The library
/// refuses zero and values not below the group's order: about one output in 2^190 for P-384 and one in 2^32 for P-256.
/// Outputs are never reduced, so every scalar is equally likely, and other implementations can reproduce the
/// derivation.
enum ScalarDerivation {
    static func derive<H: HashFunction, Key>(
        _ hash: H.Type, from material: SecretBytes, salt: [UInt8], info: [UInt8], byteCount: Int,
        accepting: (SecretBytes) -> Key?
    ) throws(CredentialsError) -> Key {
        try firstAccepted(
            { counter in
                SecretBytes(
                    HKDF<H>.deriveKey(
                        inputKeyMaterial: material.key, salt: salt, info: info + [counter], outputByteCount: byteCount))
            }, accepting: accepting)
    }

    /// Tries candidates 0, 1, … 255 and returns the first key that the curve accepts.
    static func firstAccepted<Key>(
        _ candidate: (UInt8) -> SecretBytes, accepting: (SecretBytes) -> Key?
    ) throws(CredentialsError) -> Key {
        for counter in UInt8.min ... .max {
            if let key = accepting(candidate(counter)) { return key }
        }
        throw CredentialsError(.secretInvalid)
    }
}
