/// A refusal by a decoder of this module.
///
/// The reason says which rule the bytes break, never what the bytes are.
package enum BLS12381Error: Error, Sendable, Hashable {
    /// The number of bytes is wrong.
    case wrongLength
    /// The first byte is not the prefix of an uncompressed point, 0x04.
    case wrongPrefix
    /// An integer is not below its modulus.
    case notCanonical
    /// The coordinates do not satisfy the equation of the curve. The encoding of infinity is such a pair.
    case notOnCurve
    /// The point is on the curve and not in the subgroup of order r.
    case notInSubgroup
}
