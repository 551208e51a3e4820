/// The optimal ate pairing e: G1 × G2 → Fp12, cubed (see ``Fp12/finalExponentiation()``).
///
/// Vercauteren, "Optimal pairings", IEEE Transactions on Information Theory 2010. For this family of curves the loop runs
/// over the curve's parameter. Points are treated as public: the time tells which of them are infinity.
package enum Pairing {
    /// Whether the product of e(P, Q) over all pairs is 1.
    ///
    /// The pairs share the squarings of the Miller loop and one final exponentiation. A pair with infinity counts as 1.
    package static func productIsOne(_ pairs: [(G1Point, PairingLines)]) -> Bool { product(pairs) == .one }

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

/// The lines of the Miller loop for a fixed second argument of the pairing: 68 lines of 288 bytes.
///
/// They depend on the point in G2 alone. Keep them where one point serves many pairings.
package struct PairingLines: Sendable, UndisclosedElement {
    /// The line `constant·Z + x·X·v + y·Y·v·w` at a point (X : Y : Z) of G1, up to a factor that the final
    /// exponentiation removes.
    struct Line: Sendable {
        let constant: Fp2
        let x: Fp2
        let y: Fp2
    }

    let lines: [Line]
    let isInfinity: Bool

    /// Computes the lines of a point.
    package init(_ q: G2Point) {
        let (x, y) = q.point.affine
        let start = ProjectivePoint(x: x, y: y, z: .one)
        var point = start
        var lines: [Line] = []
        lines.reserveCapacity(68)
        for shift in (0..<UInt64(63)).reversed() {
            lines.append(Self.tangent(at: point))
            point = point.doubled
            if Fp12.parameter >> shift & 1 == 1 {
                lines.append(Self.chord(through: point, x, y))
                point = point + start
            }
        }
        self.lines = lines
        isInfinity = q.isInfinity
    }

    /// The tangent at (X : Y : Z), whose slope is 3X²/2YZ, times 2YZ. The equation of the curve turns its constant
    /// 3X³/Z − 2Y² into Y² − 3bZ².
    private static func tangent(at p: ProjectivePoint<Fp2>) -> Line {
        Line(
            constant: p.y.squared() - p.z.squared().timesThreeB, x: -p.x.squared().tripled, y: (p.y * p.z).doubled)
    }

    /// The line through (X : Y : Z) and (x, y), whose slope is (Y − yZ)/(X − xZ), times X − xZ.
    private static func chord(through p: ProjectivePoint<Fp2>, _ x: Fp2, _ y: Fp2) -> Line {
        let rise = p.y - y * p.z
        let run = p.x - x * p.z
        return Line(constant: rise * x - run * y, x: -rise, y: run)
    }
}
