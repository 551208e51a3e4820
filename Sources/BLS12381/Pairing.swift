/// The optimal ate pairing e: G1 × G2 → Fp12, cubed (see ``Fp12/finalExponentiation()``).
///
/// Vercauteren, "Optimal pairings", IEEE Transactions on Information Theory 2010. For this family of curves the loop runs
/// over the curve's parameter. Points are treated as public: the time tells which of them are infinity.
public enum Pairing {
    /// Whether the product of e(P, Q) over all pairs is 1.
    ///
    /// The pairs share the squarings of the Miller loop and one final exponentiation. A pair with infinity counts as 1.
    public static func productIsOne(_ pairs: [(G1Point, PairingLines)]) -> Bool { product(pairs) == .one }

    /// The product of e(P, Q) over all pairs.
    static func product(_ pairs: [(G1Point, PairingLines)]) -> Fp12 { millerLoop(pairs).finalExponentiation() }

    private static func millerLoop(_ pairs: [(G1Point, PairingLines)]) -> Fp12 {
        let finite = pairs.filter { !$0.isInfinity && !$1.isInfinity }
        var value = Fp12.one
        var step = 0
        for shift in (0..<UInt64(63)).reversed() {
            value = value.squared()
            let isAddition = Fp12.parameter >> shift & 1 == 1
            for _ in 0..<(isAddition ? 2 : 1) {
                for (point, lines) in finite {
                    let line = lines.lines[step]
                    let p = point.point
                    value = value.times(constant: line.constant * p.z, x: line.x * p.x, y: line.y * p.y)
                }
                step += 1
            }
        }
        // The parameter is negative.
        return value.conjugate
    }
}
