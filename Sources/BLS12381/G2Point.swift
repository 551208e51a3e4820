/// A point of the subgroup of order r of y² = x³ + 4(1 + u) over Fp2, infinity included.
package struct G2Point: Sendable, Equatable, UndisclosedElement {
    /// The number of bytes of an encoded point: xa ‖ xb ‖ ya ‖ yb for x = xa + xb·u and y = ya + yb·u, with 48 big-endian
    /// bytes each and no prefix.
    package static let encodedByteCount = 192

    let point: ProjectivePoint<Fp2>

    init(point: ProjectivePoint<Fp2>) { self.point = point }

    /// Reads a point and checks all of it: length, coordinates below p, the equation of the curve and the subgroup.
    /// Infinity has no encoding.
    ///
    /// - Throws: The ``BLS12381Error`` of the first rule that the bytes break.
    package init(encoded bytes: [UInt8]) throws(BLS12381Error) {
        guard bytes.count == Self.encodedByteCount else { throw .wrongLength }
        let x = Fp2.read(bytes[..<96])
        let y = Fp2.read(bytes[96...])
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

    /// The 192 bytes of the point.
    ///
    /// Infinity has no encoding; it gives zeros, which ``init(encoded:)`` refuses. There is no branch, so that a secret
    /// point can be encoded.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.encodedByteCount)
        let (x, y) = point.affine
        x.write(to: &bytes)
        y.write(to: &bytes)
        return bytes
    }

    /// Whether this is infinity, the neutral element.
    package var isInfinity: Bool { point.isInfinity }

    /// Returns the sum of two points.
    package static func + (p: G2Point, q: G2Point) -> G2Point { G2Point(point: p.point + q.point) }

    /// Returns the negative of a point.
    package static prefix func - (p: G2Point) -> G2Point { G2Point(point: -p.point) }

    /// Returns the multiple by a scalar, which may be secret: neither branches nor addresses depend on it.
    package func multiplied(by scalar: Scalar) -> G2Point { G2Point(point: point.multiplied(by: scalar)) }

    /// Returns whether two points are equal.
    package static func == (p: G2Point, q: G2Point) -> Bool { p.point == q.point }

    /// All ones if a point of the curve lies in the subgroup of order r.
    ///
    /// The test is ψ(Q) = uQ, where ψ is the p-th power map brought to this curve, and u is the curve's parameter
    /// (Scott, ePrint 2021/1130). Because ψ² − (u + 1)ψ + p = 0, it implies (p − u)Q = 0. The order of Q then divides
    /// p − u = h₁r and the order h₂r of the curve, and h₁ and h₂ have no common factor.
    static func subgroupMask(_ q: ProjectivePoint<Fp2>) -> UInt64 {
        let image = ProjectivePoint(x: q.x.conjugate * psiX, y: q.y.conjugate * psiY, z: q.z.conjugate)
        return (image + q.multiplied(byConstant: [Fp12.parameter])).z.zeroMask
    }

    /// (1 + u)^(−(p − 1)/3).
    private static let psiX = Fp12.gamma[2].inverse()
    /// (1 + u)^(−(p − 1)/2).
    private static let psiY = Fp12.gamma[3].inverse()

    /// The generator Q of the subgroup that all implementations of BLS12-381 use.
    package static let generator = G2Point(
        point: ProjectivePoint(
            x: Fp2(
                a: Fp(
                    0x024a_a2b2_f08f_0a91, 0x2608_0527_2dc5_1051, 0xc6e4_7ad4_fa40_3b02, 0xb451_0b64_7ae3_d177,
                    0x0bac_0326_a805_bbef, 0xd480_56c8_c121_bdb8),
                b: Fp(
                    0x13e0_2b60_5271_9f60, 0x7dac_d3a0_8827_4f65, 0x596b_d0d0_9920_b61a, 0xb5da_61bb_dc7f_5049,
                    0x334c_f112_1394_5d57, 0xe5ac_7d05_5d04_2b7e)),
            y: Fp2(
                a: Fp(
                    0x0ce5_d527_727d_6e11, 0x8cc9_cdc6_da2e_351a, 0xadfd_9baa_8cbd_d3a7, 0x6d42_9a69_5160_d12c,
                    0x923a_c9cc_3bac_a289, 0xe193_5486_08b8_2801),
                b: Fp(
                    0x0606_c4a0_2ea7_34cc, 0x32ac_d2b0_2bc2_8b99, 0xcb3e_287e_85a7_63af, 0x2674_92ab_572e_99ab,
                    0x3f37_0d27_5cec_1da1, 0xaaa9_075f_f05f_79be)),
            z: .one))
}
