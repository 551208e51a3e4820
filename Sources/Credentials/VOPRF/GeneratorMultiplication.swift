import Crypto

/// Makes the public point of a scalar on P-384: one multiplication of the curve's generator.
///
/// Decoys need two for every log-in that starts, so whoever makes many may bring one that is quicker than the default.
/// All must give the same bytes and refuse the same scalars: decoys must never change.
public protocol GeneratorMultiplication: Sendable {
    /// The product of scalar and generator.
    ///
    /// - Parameter scalar: Big-endian.
    /// - Returns: The compressed point (SEC 1, 2.3.3), 49 bytes: 2 or 3, then x. Nil unless there are 48 bytes and
    ///   1 ≤ scalar < n, the group's order.
    func compressedPoint(of scalar: [UInt8]) -> [UInt8]?
}

/// The multiplication that swift-crypto has, wherever that is.
public struct CryptoMultiplication: GeneratorMultiplication {
    /// There is nothing to set up.
    public init() {}

    /// See ``GeneratorMultiplication/compressedPoint(of:)``.
    public func compressedPoint(of scalar: [UInt8]) -> [UInt8]? {
        // It accepts the scalars that the VOPRF key accepts, which is made of the same type.
        let key = try? P384.KeyAgreement.PrivateKey(rawRepresentation: scalar)
        return key.map { Array($0.publicKey.compressedRepresentation) }
    }
}
