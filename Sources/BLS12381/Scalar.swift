/// An integer modulo r, the prime order of the groups.
///
/// No operation branches on the value or uses it as an address, except the verdict of the decoder and ``isZero``.
package struct Scalar: Sendable, UndisclosedElement {
    package static let encodedByteCount = 32
    /// The number of bytes that ``init(reducing:)`` takes.
    package static let wideByteCount = 48

    /// The limbs of the integer, the lowest first.
    var l0: UInt64 = 0
    var l1: UInt64 = 0
    var l2: UInt64 = 0
    var l3: UInt64 = 0

    /// The limbs of r.
    private static let r0: UInt64 = 0xffff_ffff_0000_0001
    private static let r1: UInt64 = 0x53bd_a402_fffe_5bfe
    private static let r2: UInt64 = 0x3339_d808_09a1_d805
    private static let r3: UInt64 = 0x73ed_a753_299d_7d48

    private init(l0: UInt64, l1: UInt64, l2: UInt64, l3: UInt64) {
        self.l0 = l0
        self.l1 = l1
        self.l2 = l2
        self.l3 = l3
    }

    /// The scalar of a small integer.
    package init(_ integer: UInt64) { l0 = integer }

    /// Reads 32 big-endian bytes that hold an integer below r.
    ///
    /// - Throws: ``BLS12381Error/wrongLength`` or ``BLS12381Error/notCanonical``.
    package init(encoded bytes: [UInt8]) throws(BLS12381Error) {
        guard bytes.count == Self.encodedByteCount else { throw .wrongLength }
        l0 = Limbs.load(bytes, at: 24)
        l1 = Limbs.load(bytes, at: 16)
        l2 = Limbs.load(bytes, at: 8)
        l3 = Limbs.load(bytes, at: 0)
        let difference = minusOrder()
        // The sign tells whether the difference is negative only while the top limb itself is below 2⁶³.
        guard Limbs.signMask(difference.l3) & ~Limbs.signMask(l3) != 0 else { throw .notCanonical }
    }

    /// Reduces a big-endian integer of 48 bytes modulo r.
    ///
    /// Uniform bytes give a scalar whose distance from uniform is below 2⁻¹²⁸. Each step takes in one bit, so the steps do
    /// not depend on the integer.
    ///
    /// - Throws: ``BLS12381Error/wrongLength``.
    package init(reducing bytes: [UInt8]) throws(BLS12381Error) {
        guard bytes.count == Self.wideByteCount else { throw .wrongLength }
        self.init(reducing: stride(from: 0, to: Self.wideByteCount, by: 8).map { Limbs.load(bytes, at: $0) })
    }

    /// Draws a uniform scalar: 384 bits of `generator`, reduced modulo r.
    package static func random(using generator: inout some RandomNumberGenerator) -> Scalar {
        var limbs: [UInt64] = []
        for _ in 0..<6 { limbs.append(generator.next()) }
        return Scalar(reducing: limbs)
    }

    /// Reduces an integer of any length, the highest limb first.
    private init(reducing limbs: [UInt64]) {
        for limb in limbs {
            for shift in (0..<UInt64(64)).reversed() {
                self = doubled(adding: limb >> shift & 1)
            }
        }
    }

    /// 32 big-endian bytes.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.encodedByteCount)
        for limb in [l3, l2, l1, l0] { Limbs.store(limb, in: &bytes) }
        return bytes
    }

    package var isZero: Bool { Limbs.zeroMask(l0 | l1 | l2 | l3) != 0 }

    /// Returns the sum modulo r.
    package static func + (_ a: Scalar, _ b: Scalar) -> Scalar {
        var carry: UInt64 = 0
        let sum = Scalar(
            l0: Limbs.add(a.l0, b.l0, &carry), l1: Limbs.add(a.l1, b.l1, &carry),
            l2: Limbs.add(a.l2, b.l2, &carry), l3: Limbs.add(a.l3, b.l3, &carry))
        return sum.reducedOnce
    }

    /// Twice the scalar plus one bit, modulo r.
    private func doubled(adding bit: UInt64) -> Scalar {
        Scalar(l0: l0 << 1 | bit, l1: l1 << 1 | l0 >> 63, l2: l2 << 1 | l1 >> 63, l3: l3 << 1 | l2 >> 63).reducedOnce
    }

    /// The integer, which is below 2r, modulo r.
    private var reducedOnce: Scalar {
        // r is below 2²⁵⁵, so 2r fits, and the difference is negative exactly if its top bit is set.
        let reduced = minusOrder()
        let isBelow = Limbs.separateSignMask(reduced.l3)
        return Scalar(
            l0: Limbs.select(l0, reduced.l0, isBelow), l1: Limbs.select(l1, reduced.l1, isBelow),
            l2: Limbs.select(l2, reduced.l2, isBelow), l3: Limbs.select(l3, reduced.l3, isBelow))
    }

    /// The four bits at a public position, counted from the lowest; there are 64 positions.
    @inline(__always) func window(_ position: Int) -> UInt64 {
        let shift = UInt64(position % 16 * 4)
        switch position / 16 {
        case 0: return l0 >> shift & 15
        case 1: return l1 >> shift & 15
        case 2: return l2 >> shift & 15
        default: return l3 >> shift & 15
        }
    }

    private func minusOrder() -> Scalar {
        var borrow: UInt64 = 0
        return Scalar(
            l0: Limbs.subtract(l0, Self.r0, &borrow), l1: Limbs.subtract(l1, Self.r1, &borrow),
            l2: Limbs.subtract(l2, Self.r2, &borrow), l3: Limbs.subtract(l3, Self.r3, &borrow))
    }
}
