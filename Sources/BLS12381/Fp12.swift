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

extension Fp12 {
    /// The absolute value of the curve's parameter, which is negative and which defines p and r.
    static let parameter: UInt64 = 0xd201_0000_0001_0000

    /// The square of an element of the cyclotomic subgroup.
    ///
    /// Granger and Scott, "Faster squaring in the cyclotomic subgroup of sixth degree extensions", PKC 2010.
    func cyclotomicSquared() -> Fp12 {
        let (p0, p1) = Fp12.squareOfPair(a.a, b.b)
        let (q0, q1) = Fp12.squareOfPair(b.a, a.c)
        let (s0, s1) = Fp12.squareOfPair(a.b, b.c)
        return Fp12(
            a: Fp6(a: (p0 - a.a).doubled + p0, b: (q0 - a.b).doubled + q0, c: (s0 - a.c).doubled + s0),
            b: Fp6(
                a: (s1.timesXi + b.a).doubled + s1.timesXi, b: (p1 + b.b).doubled + p1, c: (q1 + b.c).doubled + q1))
    }

    /// The square of x + y·t in Fp4, where t² = 1 + u.
    private static func squareOfPair(_ x: Fp2, _ y: Fp2) -> (Fp2, Fp2) {
        let xx = x.squared()
        let yy = y.squared()
        return (yy.timesXi + xx, (x + y).squared() - xx - yy)
    }

    /// The element of the cyclotomic subgroup to the power of the (negative) curve parameter.
    func raisedToParameter() -> Fp12 {
        var result = self
        for shift in (0..<UInt64(63)).reversed() {
            result = result.cyclotomicSquared()
            if Fp12.parameter >> shift & 1 == 1 { result = result * self }
        }
        return result.conjugate
    }

    /// The element to the power 3·(p¹² − 1) / r.
    ///
    /// The factor 3 changes the pairing into its cube, which is a pairing as well because 3 does not divide r. It makes
    /// the exponent (x − 1)²·(x + p)·(x² + p² − 1) + 3 after the easy part: Hayashida, Hayasaka and Teruya, "Efficient
    /// final exponentiation via cyclotomic structure for pairings over families of elliptic curves", ePrint 2020/875.
    func finalExponentiation() -> Fp12 {
        let raisedByP6 = conjugate * inverse()
        let element = raisedByP6.frobenius.frobenius * raisedByP6
        let y0 = element.raisedToParameter() * element.conjugate
        let y1 = y0.raisedToParameter() * y0.conjugate
        let y2 = y1.raisedToParameter() * y1.frobenius
        let y3 = y2.raisedToParameter().raisedToParameter() * y2.frobenius.frobenius * y2.conjugate
        return y3 * element.cyclotomicSquared() * element
    }
}
