public import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Thirty-two secret bytes: a key, or a seed that keys are derived from.
///
/// It prints, dumps and interpolates as `[redacted]`, compares in constant time, and its memory is cleared when the
/// last copy goes.
public struct SecretKey: Sendable, Equatable {
    /// The length of every secret key, in bytes.
    public static let byteCount = 32

    /// The bytes as the library's type.
    public let symmetric: SymmetricKey

    /// Makes a key from the system's random numbers.
    public init() { symmetric = SymmetricKey(size: .bits256) }

    /// Makes a key of exactly 32 bytes; nil for any other number.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        symmetric = SymmetricKey(data: bytes)
    }

    /// Takes over a key that has 32 bytes by how it was made.
    init(ofRightSize symmetric: SymmetricKey) { self.symmetric = symmetric }

    /// The 32 bytes in clear, in memory that is not cleared: for handing them to a function that takes bytes.
    public var bytes: [UInt8] { symmetric.withUnsafeBytes { Array($0) } }
}

extension SecretKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `[redacted]`.
    public var description: String { "[redacted]" }
    /// Always `[redacted]`.
    public var debugDescription: String { "[redacted]" }
    /// Without children, so that `dump` finds nothing either.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}
