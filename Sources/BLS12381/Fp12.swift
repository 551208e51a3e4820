/// An element a + b·w of Fp12, where w² = v. Its subgroup of order r is the target group of the pairing.
struct Fp12: Sendable, Equatable {
    var a: Fp6
    var b: Fp6

    static let one = Fp12(a: .one, b: .zero)

    static func * (x: Fp12, y: Fp12) -> Fp12 {
        let aa = x.a * y.a
        let bb = x.b * y.b
        return Fp12(a: aa + bb.timesV, b: (x.a + x.b) * (y.a + y.b) - aa - bb)
    }

    func squared() -> Fp12 {
        let ab = a * b
        return Fp12(a: (a + b) * (a + b.timesV) - ab - ab.timesV, b: ab + ab)
    }

    /// The product with the value of a line, `constant + x·v + y·v·w`.
    func times(constant: Fp2, x: Fp2, y: Fp2) -> Fp12 {
        let aa = a.times(constant, x)
        let bb = b.timesV(y)
        return Fp12(a: aa + bb.timesV, b: (a + b).times(constant, x + y) - aa - bb)
    }

    /// The element to the power p⁶; in the cyclotomic subgroup also the inverse.
    var conjugate: Fp12 { Fp12(a: a, b: -b) }

    func inverse() -> Fp12 {
        let norm = (a * a - (b * b).timesV).inverse()
        return Fp12(a: a * norm, b: -(b * norm))
    }

    /// The element to the p-th power.
    var frobenius: Fp12 {
        let gamma = Fp12.gamma
        return Fp12(
            a: Fp6(a: a.a.conjugate, b: a.b.conjugate * gamma[2], c: a.c.conjugate * gamma[4]),
            b: Fp6(a: b.a.conjugate * gamma[1], b: b.b.conjugate * gamma[3], c: b.c.conjugate * gamma[5]))
    }

    /// The powers 0 to 5 of w^(p − 1) = (1 + u)^((p − 1) / 6).
    static let gamma: [Fp2] = {
        let root = Fp2(a: .one, b: .one).power([
            0x49aa_7fff_ffff_f1c7, 0x051c_aaaa_72e3_5555, 0xe688_231a_d3c8_2906, 0xe613_e1eb_7deb_831f,
            0x0c84_9bf3_b5e1_f223, 0x0455_82fc_5eea_a66f,
        ])
        var powers = [Fp2.one]
        for index in 1..<6 { powers.append(powers[index - 1] * root) }
        return powers
    }()
}
