/// An integer modulo p, the 381-bit prime of BLS12-381, in Montgomery form (the value times 2³⁸⁴ mod p).
///
/// Six stored limbs, the lowest first. Every operation returns the representative below p, so equal elements have equal
/// limbs. No operation branches on a value or uses one as an address.
///
/// Multiplication is the interleaved method (CIOS) of Koç, Acar and Kaliski, "Analyzing and comparing Montgomery
/// multiplication algorithms", IEEE Micro 1996. The top limb of p has three unused bits, so a row needs no second carry.
struct Fp: Sendable {
    var l0: UInt64 = 0
    var l1: UInt64 = 0
    var l2: UInt64 = 0
    var l3: UInt64 = 0
    var l4: UInt64 = 0
    var l5: UInt64 = 0

    /// The limbs of p.
    static let p0: UInt64 = 0xb9fe_ffff_ffff_aaab
    static let p1: UInt64 = 0x1eab_fffe_b153_ffff
    static let p2: UInt64 = 0x6730_d2a0_f6b0_f624
    static let p3: UInt64 = 0x6477_4b84_f385_12bf
    static let p4: UInt64 = 0x4b1b_a7b6_434b_acd7
    static let p5: UInt64 = 0x1a01_11ea_397f_e69a
    /// −1/p mod 2⁶⁴.
    static let inverseOfP: UInt64 = 0x89f3_fffc_fffc_fffd

    static let zero = Fp()
    /// 2³⁸⁴ mod p.
    static let one = Fp(
        l0: 0x7609_0000_0002_fffd, l1: 0xebf4_000b_c40c_0002, l2: 0x5f48_9857_53c7_58ba,
        l3: 0x77ce_5853_7052_5745, l4: 0x5c07_1a97_a256_ec6d, l5: 0x15f6_5ec3_fa80_e493)
    /// 2⁷⁶⁸ mod p, which brings an integer into Montgomery form.
    static let toMontgomery = Fp(
        l0: 0xf4df_1f34_1c34_1746, l1: 0x0a76_e6a6_09d1_04f1, l2: 0x8de5_476c_4c95_b6d5,
        l3: 0x67eb_88a9_939d_83c0, l4: 0x9a79_3e85_b519_952d, l5: 0x1198_8fe5_92ca_e3aa)

    /// Subtracts p once if the six limbs hold p or more; they hold less than 2p.
    @inline(__always) static func reduced(
        _ t0: UInt64, _ t1: UInt64, _ t2: UInt64, _ t3: UInt64, _ t4: UInt64, _ t5: UInt64
    ) -> Fp {
        var borrow: UInt64 = 0
        let r0 = Limbs.subtract(t0, p0, &borrow)
        let r1 = Limbs.subtract(t1, p1, &borrow)
        let r2 = Limbs.subtract(t2, p2, &borrow)
        let r3 = Limbs.subtract(t3, p3, &borrow)
        let r4 = Limbs.subtract(t4, p4, &borrow)
        let r5 = Limbs.subtract(t5, p5, &borrow)
        let isBelow = Limbs.signMask(r5)
        return Fp(
            l0: Limbs.select(t0, r0, isBelow), l1: Limbs.select(t1, r1, isBelow), l2: Limbs.select(t2, r2, isBelow),
            l3: Limbs.select(t3, r3, isBelow), l4: Limbs.select(t4, r4, isBelow), l5: Limbs.select(t5, r5, isBelow))
    }

    /// One row of a Montgomery multiplication: t becomes (t + a·limb + m·p) / 2⁶⁴.
    @inline(__always) private static func addRow(
        _ t0: inout UInt64, _ t1: inout UInt64, _ t2: inout UInt64, _ t3: inout UInt64, _ t4: inout UInt64,
        _ t5: inout UInt64, _ a: Fp, _ limb: UInt64
    ) {
        var high: UInt64 = 0
        var carry: UInt64 = 0
        t0 = Limbs.multiplyAdd(t0, a.l0, limb, &high)
        let m = t0 &* inverseOfP
        _ = Limbs.multiplyAdd(t0, m, p0, &carry)
        t1 = Limbs.multiplyAdd(t1, a.l1, limb, &high)
        t0 = Limbs.multiplyAdd(t1, m, p1, &carry)
        t2 = Limbs.multiplyAdd(t2, a.l2, limb, &high)
        t1 = Limbs.multiplyAdd(t2, m, p2, &carry)
        t3 = Limbs.multiplyAdd(t3, a.l3, limb, &high)
        t2 = Limbs.multiplyAdd(t3, m, p3, &carry)
        t4 = Limbs.multiplyAdd(t4, a.l4, limb, &high)
        t3 = Limbs.multiplyAdd(t4, m, p4, &carry)
        t5 = Limbs.multiplyAdd(t5, a.l5, limb, &high)
        t4 = Limbs.multiplyAdd(t5, m, p5, &carry)
        t5 = carry &+ high
    }

    @inline(never) static func * (_ a: Fp, _ b: Fp) -> Fp {
        var t0: UInt64 = 0
        var t1: UInt64 = 0
        var t2: UInt64 = 0
        var t3: UInt64 = 0
        var t4: UInt64 = 0
        var t5: UInt64 = 0
        addRow(&t0, &t1, &t2, &t3, &t4, &t5, a, b.l0)
        addRow(&t0, &t1, &t2, &t3, &t4, &t5, a, b.l1)
        addRow(&t0, &t1, &t2, &t3, &t4, &t5, a, b.l2)
        addRow(&t0, &t1, &t2, &t3, &t4, &t5, a, b.l3)
        addRow(&t0, &t1, &t2, &t3, &t4, &t5, a, b.l4)
        addRow(&t0, &t1, &t2, &t3, &t4, &t5, a, b.l5)
        return reduced(t0, t1, t2, t3, t4, t5)
    }

    @inline(__always) static func + (_ a: Fp, _ b: Fp) -> Fp {
        var carry: UInt64 = 0
        let t0 = Limbs.add(a.l0, b.l0, &carry)
        let t1 = Limbs.add(a.l1, b.l1, &carry)
        let t2 = Limbs.add(a.l2, b.l2, &carry)
        let t3 = Limbs.add(a.l3, b.l3, &carry)
        let t4 = Limbs.add(a.l4, b.l4, &carry)
        let t5 = Limbs.add(a.l5, b.l5, &carry)
        return reduced(t0, t1, t2, t3, t4, t5)
    }

    @inline(__always) static func - (_ a: Fp, _ b: Fp) -> Fp {
        var borrow: UInt64 = 0
        let t0 = Limbs.subtract(a.l0, b.l0, &borrow)
        let t1 = Limbs.subtract(a.l1, b.l1, &borrow)
        let t2 = Limbs.subtract(a.l2, b.l2, &borrow)
        let t3 = Limbs.subtract(a.l3, b.l3, &borrow)
        let t4 = Limbs.subtract(a.l4, b.l4, &borrow)
        let t5 = Limbs.subtract(a.l5, b.l5, &borrow)
        let isNegative = Limbs.signMask(t5)
        var carry: UInt64 = 0
        return Fp(
            l0: Limbs.add(t0, p0 & isNegative, &carry), l1: Limbs.add(t1, p1 & isNegative, &carry),
            l2: Limbs.add(t2, p2 & isNegative, &carry), l3: Limbs.add(t3, p3 & isNegative, &carry),
            l4: Limbs.add(t4, p4 & isNegative, &carry), l5: Limbs.add(t5, p5 & isNegative, &carry))
    }

    static prefix func - (_ a: Fp) -> Fp { zero - a }

    func squared() -> Fp { self * self }

    @inline(__always) mutating func replace(with other: Fp, if mask: UInt64) {
        l0 = Limbs.select(other.l0, l0, mask)
        l1 = Limbs.select(other.l1, l1, mask)
        l2 = Limbs.select(other.l2, l2, mask)
        l3 = Limbs.select(other.l3, l3, mask)
        l4 = Limbs.select(other.l4, l4, mask)
        l5 = Limbs.select(other.l5, l5, mask)
    }

    var zeroMask: UInt64 { Limbs.zeroMask(l0 | l1 | l2 | l3 | l4 | l5) }

    static func == (_ a: Fp, _ b: Fp) -> Bool { (a - b).zeroMask != 0 }
}

extension Fp: CurveField {
    /// 4.
    static let curveConstant = Fp(integer: Fp(l0: 4))

    var timesThreeB: Fp {
        let four = doubled.doubled
        return four.doubled + four
    }
}

extension Fp {
    static let byteCount = 48

    /// The element of an integer below p that `integer` holds in plain form.
    init(integer: Fp) { self = integer * Fp.toMontgomery }

    /// The element of an integer below p, the highest limb first as the integer is written.
    init(_ h5: UInt64, _ h4: UInt64, _ h3: UInt64, _ h2: UInt64, _ h1: UInt64, _ h0: UInt64) {
        self.init(integer: Fp(l0: h0, l1: h1, l2: h2, l3: h3, l4: h4, l5: h5))
    }

    /// The integer below p in plain form.
    var integer: Fp { self * Fp(l0: 1) }

    /// Whether the integer below p is odd.
    var isOdd: Bool { integer.l0 & 1 == 1 }

    /// Reads 48 big-endian bytes.
    ///
    /// The value is right only if the mask is all ones, which says that the integer is below p.
    static func read(_ bytes: ArraySlice<UInt8>) -> (value: Fp, isCanonical: UInt64) {
        let plain = Fp(
            l0: Limbs.load(bytes, at: 40), l1: Limbs.load(bytes, at: 32), l2: Limbs.load(bytes, at: 24),
            l3: Limbs.load(bytes, at: 16), l4: Limbs.load(bytes, at: 8), l5: Limbs.load(bytes, at: 0))
        // What comes back is below p in any case. A comparison of limbs would branch.
        let value = Fp(integer: plain)
        let back = value.integer
        let difference =
            (plain.l0 ^ back.l0) | (plain.l1 ^ back.l1) | (plain.l2 ^ back.l2)
            | (plain.l3 ^ back.l3) | (plain.l4 ^ back.l4) | (plain.l5 ^ back.l5)
        return (value, Limbs.zeroMask(difference))
    }

    func write(to bytes: inout [UInt8]) {
        let plain = integer
        for limb in [plain.l5, plain.l4, plain.l3, plain.l2, plain.l1, plain.l0] { Limbs.store(limb, in: &bytes) }
    }
}

extension Fp {
    /// p − 2, the lowest limb first.
    private static let inverseExponent: [UInt64] = [p0 &- 2, p1, p2, p3, p4, p5]
    /// (p + 1) / 4, the lowest limb first.
    private static let rootExponent: [UInt64] = [
        0xee7f_bfff_ffff_eaab, 0x07aa_ffff_ac54_ffff, 0xd9cc_34a8_3dac_3d89, 0xd91d_d2e1_3ce1_44af,
        0x92c6_e9ed_90d2_eb35, 0x0680_447a_8e5f_f9a6,
    ]

    /// Raises the element to a public exponent, the lowest limb first, in windows of four bits.
    ///
    /// The steps depend on the exponent and not on the element.
    func power(_ exponent: [UInt64]) -> Fp {
        var table = [Fp.one, self]
        for index in 2..<16 { table.append(table[index - 1] * self) }
        var result = Fp.one
        for limb in exponent.reversed() {
            for shift in stride(from: UInt64(60), through: 0, by: -4) {
                result = result.squared().squared().squared().squared()
                let digit = Int(limb >> shift & 15)
                if digit > 0 { result = result * table[digit] }
            }
        }
        return result
    }

    /// The inverse by Fermat's theorem; zero for zero.
    func inverse() -> Fp { power(Fp.inverseExponent) }

    /// A square root, or `nil` if the element is no square. p is 3 mod 4.
    func squareRoot() -> Fp? {
        let root = power(Fp.rootExponent)
        return root.squared() == self ? root : nil
    }
}
