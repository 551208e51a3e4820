import Testing
@testable import BLS12381

@Suite struct PairingTests {
    private static func pairing(_ p: G1Point, _ q: G2Point) -> Fp12 { Pairing.product([(p, PairingLines(q))]) }

    private static func power(_ value: Fp12, _ scalar: Scalar) -> Fp12 {
        var result = Fp12.one
        for byte in scalar.encoded {
            for shift in (0..<8).reversed() {
                result = result.squared()
                if byte >> UInt8(shift) & 1 == 1 { result = result * value }
            }
        }
        return result
    }

    @Test func `the pairing is linear in both arguments`() {
        var generator = SeededGenerator(30)
        for _ in 0..<5 {
            let (p, s, q, t) = (generator.g1(), generator.g1(), generator.g2(), generator.g2())
            let (a, b) = (generator.scalar(), generator.scalar())
            let value = Self.pairing(p, q)
            #expect(Self.pairing(p + s, q) == value * Self.pairing(s, q))
            #expect(Self.pairing(p, q + t) == value * Self.pairing(p, t))
            let (pa, qb) = (p.multiplied(by: a), q.multiplied(by: b))
            #expect(Self.pairing(pa, qb) == Self.power(Self.power(value, a), b))
            #expect(Self.pairing(pa, q) == Self.power(value, a) && Self.pairing(p, qb) == Self.power(value, b))
            #expect(Self.pairing(-p, q) == value.conjugate && Self.pairing(p, -q) == value.conjugate)
        }
    }

    @Test func `the pairing is 1 with infinity only, and has order r`() {
        var generator = SeededGenerator(31)
        let (p, q) = (generator.g1(), generator.g2())
        let value = Self.pairing(p, q)
        #expect(value != .one && Self.power(value, Samples.minusOne) * value == .one)
        let zero = Scalar(0)
        #expect(Self.pairing(p.multiplied(by: zero), q) == .one && Self.pairing(p, q.multiplied(by: zero)) == .one)
        #expect(Pairing.productIsOne([]))
    }

    @Test func `a product of pairs is the product of their pairings`() {
        var generator = SeededGenerator(32)
        let pairs = (0..<3).map { _ in (generator.g1(), PairingLines(generator.g2())) }
        let single = pairs.map { Pairing.product([$0]) }
        #expect(Pairing.product(pairs) == single[0] * single[1] * single[2])
        let (p, q, a) = (generator.g1(), generator.g2(), generator.scalar())
        let left = (p.multiplied(by: a), PairingLines(q))
        #expect(Pairing.productIsOne([left, (-p, PairingLines(q.multiplied(by: a)))]))
        #expect(Pairing.productIsOne([left, (p, PairingLines(q.multiplied(by: a)))]) == false)
        #expect(Pairing.productIsOne([left]) == false)
    }

    @Test func `the pairing of the generators is the cube of what an independent implementation computes`() {
        let c = Samples.pairingOfGenerators.map { Fp.read(Samples.bytes($0)[...]).value }
        let w = (0..<6).map { Fp2(a: c[2 * $0], b: c[2 * $0 + 1]) }
        let expected = Fp12(a: Fp6(a: w[0], b: w[2], c: w[4]), b: Fp6(a: w[1], b: w[3], c: w[5]))
        let value = Self.pairing(Samples.g1Generator, .generator)
        // That implementation leaves out the sign of the curve's parameter, which inverts the result.
        #expect(value.conjugate == expected)
    }

    @Test func `points in any coordinates give one pairing`() {
        var generator = SeededGenerator(33)
        let (p, q) = (generator.g1(), generator.g2())
        let (factor, factor2) = (generator.fp(), generator.fp2())
        let scaledP = ProjectivePoint(x: p.point.x * factor, y: p.point.y * factor, z: p.point.z * factor)
        let scaledQ = ProjectivePoint(x: q.point.x * factor2, y: q.point.y * factor2, z: q.point.z * factor2)
        #expect(G1Point(point: scaledP) == p && G2Point(point: scaledQ) == q)
        #expect(Self.pairing(G1Point(point: scaledP), G2Point(point: scaledQ)) == Self.pairing(p, q))
    }
}
