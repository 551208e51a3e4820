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
