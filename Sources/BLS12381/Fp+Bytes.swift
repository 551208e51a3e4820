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
