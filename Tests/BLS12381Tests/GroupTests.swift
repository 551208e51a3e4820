import Testing
@testable import BLS12381

@Suite struct GroupTests {
    @Test func `G1 keeps the laws of a group of order r`() {
        var generator = SeededGenerator(20)
        let infinity = Samples.g1Generator.multiplied(by: Scalar(0))
        #expect(infinity.isInfinity && infinity.multiplied(by: generator.scalar()).isInfinity)
        for _ in 0..<25 {
            let (p, q, s) = (generator.g1(), generator.g1(), generator.g1())
            let (a, b) = (generator.scalar(), generator.scalar())
            #expect((p + q) + s == p + (q + s) && p + q == q + p)
            #expect(p + infinity == p && infinity + p == p && (p + -p).isInfinity && p != q && p != infinity)
            #expect(p + p == p.multiplied(by: Scalar(2)) && p.multiplied(by: Scalar(1)) == p)
            #expect(p.multiplied(by: Samples.minusOne) == -p)
            #expect(p.multiplied(by: a + b) == p.multiplied(by: a) + p.multiplied(by: b))
            #expect((p + q).multiplied(by: a) == p.multiplied(by: a) + q.multiplied(by: a))
            #expect(p.multiplied(by: a).multiplied(by: b) == p.multiplied(by: b).multiplied(by: a))
        }
    }

    @Test func `G2 keeps the laws of a group of order r`() {
        var generator = SeededGenerator(21)
        let infinity = G2Point.generator.multiplied(by: Scalar(0))
        #expect(infinity.isInfinity && infinity.multiplied(by: generator.scalar()).isInfinity)
        for _ in 0..<12 {
            let (p, q, s) = (generator.g2(), generator.g2(), generator.g2())
            let (a, b) = (generator.scalar(), generator.scalar())
            #expect((p + q) + s == p + (q + s) && p + q == q + p)
            #expect(p + infinity == p && infinity + p == p && (p + -p).isInfinity && p != q && p != infinity)
            #expect(p + p == p.multiplied(by: Scalar(2)) && p.multiplied(by: Samples.minusOne) == -p)
            #expect(p.multiplied(by: a + b) == p.multiplied(by: a) + p.multiplied(by: b))
            #expect((p + q).multiplied(by: a) == p.multiplied(by: a) + q.multiplied(by: a))
        }
    }

    @Test func `every window of a scalar counts`() {
        var power = Scalar(1)
        var point = Samples.g1Generator
        for _ in 0..<254 {
            #expect(Samples.g1Generator.multiplied(by: power) == point)
            power = power + power
            point = point + point
        }
        var sum = Samples.g1Generator.multiplied(by: Scalar(0))
        for factor in UInt64(0)..<40 {
            #expect(Samples.g1Generator.multiplied(by: Scalar(factor)) == sum)
            sum = sum + Samples.g1Generator
        }
    }

    @Test func `the test of the subgroup agrees with the multiplication by r`() {
        var generator = SeededGenerator(22)
        var outside = 0
        for _ in 0..<60 {
            let x = generator.fp()
            guard let y = (x.squared() * x + .curveConstant).squareRoot() else { continue }
            let point = G1Point(point: ProjectivePoint(x: x, y: y, z: .one))
            let timesOrder = point.multiplied(by: Samples.minusOne) + point
            #expect(timesOrder.isInfinity == (G1Point.subgroupMask(point.point) != 0))
            // What is left has an order that divides the cofactor; a point of the subgroup hides it in a sum.
            #expect(G1Point.subgroupMask((timesOrder + Samples.g1Generator).point) == 0)
            outside += timesOrder.isInfinity ? 0 : 1
        }
        #expect(outside > 10)
        for _ in 0..<20 {
            #expect(G1Point.subgroupMask(generator.g1().point) == .max)
            #expect(G2Point.subgroupMask(generator.g2().point) == .max)
        }
    }

    @Test func `the map to G1 counts up, takes the even root and clears the cofactor`() throws {
        var generator = SeededGenerator(23)
        for _ in 0..<20 {
            let point = try G1Point(digest: generator.bytes(32))
            #expect(try G1Point(encoded: point.encoded) == point)
        }
        // 2³ + 4 is no square, 3³ + 4 is none, 4³ + 4 is one: three digests give one point.
        let digests = (2...4).map { [UInt8](repeating: 0, count: 31) + [UInt8($0)] }
        let points = try digests.map { try G1Point(digest: $0) }
        #expect(points[0] == points[2] && points[1] == points[2])
        for count in [0, 31, 33] {
            #expect(throws: BLS12381Error.wrongLength) { try G1Point(digest: [UInt8](repeating: 1, count: count)) }
        }
    }
}
