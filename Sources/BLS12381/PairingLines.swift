/// The lines of the Miller loop for a fixed second argument of the pairing: 68 lines of 288 bytes.
///
/// They depend on the point in G2 alone. Keep them where one point serves many pairings.
public struct PairingLines: Sendable, UndisclosedElement {
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
    public init(_ q: G2Point) {
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
