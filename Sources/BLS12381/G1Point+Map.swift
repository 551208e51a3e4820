extension G1Point {
    /// The number of bytes of a digest that ``init(digest:)`` takes.
    public static let digestByteCount = 32

    /// The order of the curve divided by r, the lowest limb first.
    private static let cofactor: [UInt64] = [0x8c00_aaab_0000_aaab, 0x396c_8c00_5555_e156]

    /// Maps a 32-byte digest to a point of the subgroup, as version 3 of AMCL does.
    ///
    /// The digest is taken as a big-endian integer x, which is counted up until x³ + 4 is a square. The even root is y.
    /// The point (x, y) is multiplied by the cofactor 0x396c8c005555e1568c00aaab0000aaab. The time depends on the
    /// digest, which must be public. A digest needs two tries on average. Neighbouring digests may give one point, and a
    /// few give infinity: 32 zero bytes do.
    ///
    /// - Throws: ``BLS12381Error/wrongLength``.
    public init(digest: [UInt8]) throws(BLS12381Error) {
        guard digest.count == Self.digestByteCount else { throw .wrongLength }
        // 256 bits are below p.
        var x = Fp.read((Array(repeating: 0, count: 16) + digest)[...]).value
        while true {
            if let root = (x.squared() * x + .curveConstant).squareRoot() {
                let point = ProjectivePoint(x: x, y: root.isOdd ? -root : root, z: .one)
                self.init(point: point.multiplied(byConstant: Self.cofactor))
                return
            }
            x = x + .one
        }
    }
}
