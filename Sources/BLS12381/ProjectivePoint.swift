/// A point of y² = x³ + b in homogeneous coordinates: x = X/Z, y = Y/Z. Infinity is (0 : 1 : 0).
///
/// The formulas are complete: they hold for every pair of points of odd order, infinity and equal points included, so
/// there is no special case that depends on a value. Renes, Costello, Batina, "Complete addition formulas for prime
/// order elliptic curves", EUROCRYPT 2016, algorithms 7 and 9. Points outside the subgroup have odd order too, because
/// both curves have odd order.
struct ProjectivePoint<Field: CurveField>: Sendable {
    var x: Field
    var y: Field
    var z: Field

    static var infinity: ProjectivePoint { ProjectivePoint(x: .zero, y: .one, z: .zero) }

    static func + (p: ProjectivePoint, q: ProjectivePoint) -> ProjectivePoint {
        let xx = p.x * q.x
        let yy = p.y * q.y
        let zz = p.z * q.z
        let xy = (p.x + p.y) * (q.x + q.y) - xx - yy
        let yz = (p.y + p.z) * (q.y + q.z) - yy - zz
        let xz = ((p.x + p.z) * (q.x + q.z) - xx - zz).timesThreeB
        let threeXX = xx.tripled
        let threeBZZ = zz.timesThreeB
        let sum = yy + threeBZZ
        let difference = yy - threeBZZ
        return ProjectivePoint(
            x: xy * difference - yz * xz, y: difference * sum + xz * threeXX, z: sum * yz + threeXX * xy)
    }

    var doubled: ProjectivePoint {
        let yy = y.squared()
        let eightYY = yy.doubled.doubled.doubled
        let zz = z.squared().timesThreeB
        let difference = yy - zz.tripled
        let product = zz * eightYY
        let half = difference * (x * y)
        return ProjectivePoint(x: half.doubled, y: difference * (yy + zz) + product, z: y * z * eightYY)
    }

    static prefix func - (p: ProjectivePoint) -> ProjectivePoint { ProjectivePoint(x: p.x, y: -p.y, z: p.z) }

    var isInfinity: Bool { z.zeroMask != 0 }

    static func == (p: ProjectivePoint, q: ProjectivePoint) -> Bool { (p + -q).isInfinity }

    /// The coordinates x and y; both are zero for infinity, which is no point of the curve.
    var affine: (x: Field, y: Field) {
        let inverse = z.inverse()
        return (x * inverse, y * inverse)
    }

    /// All ones if the affine point (x, y) satisfies the equation of the curve. Z must be 1.
    var isOnCurveMask: UInt64 { (y.squared() - x.squared() * x - .curveConstant).zeroMask }

    /// The multiple by a scalar that may be secret.
    ///
    /// Windows of four bits, 64 of them for every scalar. Each step reads the whole table and keeps one entry with
    /// masks, so neither branches nor addresses depend on the scalar.
    func multiplied(by scalar: Scalar) -> ProjectivePoint {
        var table = [ProjectivePoint.infinity, self]
        for index in 2..<16 { table.append(index % 2 == 0 ? table[index / 2].doubled : table[index - 1] + self) }
        var result = ProjectivePoint.infinity
        for position in (0..<64).reversed() {
            result = result.doubled.doubled.doubled.doubled
            let window = scalar.window(position)
            var chosen = ProjectivePoint.infinity
            for (index, entry) in table.enumerated() {
                let isEntry = Limbs.zeroMask(window ^ UInt64(index))
                chosen.x.replace(with: entry.x, if: isEntry)
                chosen.y.replace(with: entry.y, if: isEntry)
                chosen.z.replace(with: entry.z, if: isEntry)
            }
            result = result + chosen
        }
        return result
    }

    /// The multiple by a public constant, the lowest limb first. The steps depend on the constant alone.
    func multiplied(byConstant limbs: [UInt64]) -> ProjectivePoint {
        var result = ProjectivePoint.infinity
        for limb in limbs.reversed() {
            for shift in (0..<UInt64(64)).reversed() {
                result = result.doubled
                if limb >> shift & 1 == 1 { result = result + self }
            }
        }
        return result
    }
}
