/// A point of the subgroup of order r of y² = x³ + 4 over Fp, infinity included.
package struct G1Point: Sendable, Equatable, UndisclosedElement {
    /// The number of bytes of an encoded point: 0x04 ‖ x ‖ y with 48 big-endian bytes each.
    package static let encodedByteCount = 97

    let point: ProjectivePoint<Fp>

    init(point: ProjectivePoint<Fp>) { self.point = point }

    /// Reads a point in uncompressed form and checks all of it: length, prefix, coordinates below p, the equation of the
    /// curve and the subgroup. Infinity has no encoding.
    ///
    /// - Throws: The ``BLS12381Error`` of the first rule that the bytes break.
    package init(encoded bytes: [UInt8]) throws(BLS12381Error) {
        guard bytes.count == Self.encodedByteCount else { throw .wrongLength }
        guard bytes[0] == 4 else { throw .wrongPrefix }
        let x = Fp.read(bytes[1..<49])
        let y = Fp.read(bytes[49...])
        let point = ProjectivePoint(x: x.value, y: y.value, z: .one)
        let isCanonical = x.isCanonical & y.isCanonical
        let isOnCurve = point.isOnCurveMask
        let isInSubgroup = Self.subgroupMask(point)
        // One branch for a right point, whatever it is; only a refusal looks further.
        guard isCanonical & isOnCurve & isInSubgroup == 0 else {
            self.point = point
            return
        }
        if isCanonical == 0 { throw .notCanonical }
        throw isOnCurve == 0 ? .notOnCurve : .notInSubgroup
    }

    /// The 97 bytes of the point.
    ///
    /// Infinity has no encoding; it gives 0x04 and zeros, which ``init(encoded:)`` refuses. There is no branch, so that
    /// a secret point can be encoded.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = [4]
        bytes.reserveCapacity(Self.encodedByteCount)
        let (x, y) = point.affine
        x.write(to: &bytes)
        y.write(to: &bytes)
        return bytes
    }

    /// Whether this is infinity, the neutral element.
    package var isInfinity: Bool { point.isInfinity }

    /// Returns the sum of two points.
    package static func + (p: G1Point, q: G1Point) -> G1Point { G1Point(point: p.point + q.point) }

    /// Returns the negative of a point.
    package static prefix func - (p: G1Point) -> G1Point { G1Point(point: -p.point) }

    /// Returns the multiple by a scalar, which may be secret: neither branches nor addresses depend on it.
    package func multiplied(by scalar: Scalar) -> G1Point { G1Point(point: point.multiplied(by: scalar)) }

    /// Returns whether two points are equal.
    package static func == (p: G1Point, q: G1Point) -> Bool { p.point == q.point }

    /// All ones if a point of the curve lies in the subgroup of order r.
    ///
    /// The test is φ(P) = −u²P, where φ(x, y) = (βx, y) for a third root of unity β, and u is the curve's parameter
    /// (Scott, "A note on group membership tests for G1, G2 and GT on BLS pairing-friendly curves", ePrint 2021/1130).
    /// Because φ² + φ + 1 = 0, it implies (u⁴ − u² + 1)P = 0, and r is u⁴ − u² + 1.
    static func subgroupMask(_ p: ProjectivePoint<Fp>) -> UInt64 {
        let image = ProjectivePoint(x: p.x * beta, y: p.y, z: p.z)
        let once = p.multiplied(byConstant: [Fp12.parameter])
        return (image + once.multiplied(byConstant: [Fp12.parameter])).z.zeroMask
    }

    private static let beta = Fp(
        0, 0x5f19_672f_df76_ce51, 0xba69_c607_6a0f_77ea, 0xddb3_a93b_e6f8_9688, 0xde17_d813_620a_0002,
        0x2e01_ffff_fffe_fffe)
}

extension G1Point {
    /// The number of bytes of a digest that ``init(digest:)`` takes.
    package static let digestByteCount = 32

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
    package init(digest: [UInt8]) throws(BLS12381Error) {
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
