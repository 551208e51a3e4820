internal import CHogweed
public import Credentials

/// P-384's generator, multiplied by libhogweed, which has tables of its multiples: about a fifth of the time that
/// swift-crypto takes, which has none for this curve.
///
/// The service makes the public keys of decoys with it, and nothing else. Its manual says of the library's curves that
/// timing and memory accesses depend on sizes and places of the data alone, not on its bits.
///
/// Sources: Nettle's manual, "Side-channel silence" and "ECDSA", and its header `nettle/ecc.h`; SEC 1, 2.3.3, for the
/// compressed form.
public struct HogweedMultiplication: GeneratorMultiplication {
    /// There is nothing to set up: the tables are constants of the library.
    public init() {}

    /// See ``Credentials/GeneratorMultiplication/compressedPoint(of:)``.
    public func compressedPoint(of scalar: [UInt8]) -> [UInt8]? {
        // The library reads and writes as many bytes as it was told, whatever the arrays have.
        guard scalar.count == CHOGWEED_P384_SCALAR_BYTES else { return nil }
        var point = [UInt8](repeating: 0, count: CHOGWEED_P384_POINT_BYTES)
        let isInRange = unsafe chogweed_p384_generator_times(scalar, &point)
        return isInRange == 0 ? nil : point
    }
}
