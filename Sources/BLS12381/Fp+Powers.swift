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
