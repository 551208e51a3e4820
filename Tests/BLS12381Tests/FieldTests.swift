import Testing
@testable import BLS12381

@Suite struct FieldTests {
    @Test func `the base field keeps the laws of a field at its ends and in between`() {
        var generator = SeededGenerator(1)
        let minusOne = -Fp.one
        let ends = [Fp.zero, .one, minusOne, .one + .one, minusOne - .one, Fp.toMontgomery]
        let values = ends + (0..<30).map { _ in generator.fp() }
        for a in values {
            #expect(a + .zero == a && a - a == .zero && a + -a == .zero && a * .one == a && a * .zero == .zero)
            #expect(a * minusOne == -a && a.squared() == a * a)
            #expect(a == .zero ? a.inverse() == .zero : a * a.inverse() == .one)
            for b in values {
                #expect(a + b == b + a && a * b == b * a && (a - b) + b == a)
                for c in ends { #expect((a + b) * c == a * c + b * c && (a * b) * c == a * (b * c)) }
            }
        }
    }

    @Test func `every result lies below p, so equal elements have equal limbs`() {
        var generator = SeededGenerator(2)
        for _ in 0..<200 {
            let a = generator.fp()
            let b = generator.fp()
            for value in [a + b, a - b, b - a, a * b, -a, a + -a, (a + b) - b] {
                var bytes: [UInt8] = []
                value.write(to: &bytes)
                #expect(bytes.lexicographicallyPrecedes(Samples.p))
            }
            let c = (a + b) - b
            #expect([c.l0, c.l1, c.l2, c.l3, c.l4, c.l5] == [a.l0, a.l1, a.l2, a.l3, a.l4, a.l5])
        }
    }

    @Test func `small integers add, multiply and come back as written`() {
        for a in UInt64(0)..<40 {
            for b in UInt64(0)..<40 {
                let x = Fp(integer: Fp(l0: a))
                let y = Fp(integer: Fp(l0: b))
                #expect((x + y).integer.l0 == a + b && (x * y).integer.l0 == a * b && x.isOdd == (a % 2 == 1))
            }
        }
    }

    @Test func `half of the elements have a square root, and never an element and its negative`() {
        var generator = SeededGenerator(3)
        var squares = 0
        for _ in 0..<200 {
            let a = generator.fp()
            if let root = a.squareRoot() {
                squares += 1
                #expect(root.squared() == a && (-a).squareRoot() == nil)
            } else {
                #expect((-a).squareRoot() != nil)
            }
        }
        #expect((60...140).contains(squares))
    }

    @Test func `the extension fields keep the laws of a field`() {
        var generator = SeededGenerator(4)
        for _ in 0..<30 {
            let (a, b, c) = (generator.fp12(), generator.fp12(), generator.fp12())
            #expect((a * b) * c == a * (b * c) && a * b == b * a && a.squared() == a * a)
            #expect(a * a.inverse() == .one)
            let (d, e, f) = (generator.fp6(), generator.fp6(), generator.fp6())
            #expect((d + e) * f == d * f + e * f && d * d.inverse() == .one && d.timesV == d.timesV(.one))
            #expect(d.times(f.a, f.b) == d * Fp6(a: f.a, b: f.b, c: .zero))
            let (g, h) = (generator.fp2(), generator.fp2())
            #expect(g.squared() == g * g && (g * h).conjugate == g.conjugate * h.conjugate)
            #expect(g * g.inverse() == .one && g.timesXi == g * Fp2(a: .one, b: .one))
            let line = Fp12(a: Fp6(a: g, b: h, c: .zero), b: Fp6(a: .zero, b: d.a, c: .zero))
            #expect(a.times(constant: g, x: h, y: d.a) == a * line)
        }
        let u = Fp2(a: .zero, b: .one)
        let v = Fp6(a: .zero, b: .one, c: .zero)
        let w = Fp12(a: .zero, b: .one)
        #expect(u.squared() == -.one)
        #expect(v * v * v == Fp6(a: Fp2(a: .one, b: .one), b: .zero, c: .zero))
        #expect(w.squared() == Fp12(a: v, b: .zero))
    }

    @Test func `the Frobenius map is the p-th power and comes back after twelve steps`() {
        var generator = SeededGenerator(5)
        let a = generator.fp12()
        var power = Fp12.one
        for byte in Samples.p {
            for shift in (0..<8).reversed() {
                power = power.squared()
                if byte >> UInt8(shift) & 1 == 1 { power = power * a }
            }
        }
        #expect(a.frobenius == power)
        #expect((0..<12).reduce(a) { value, _ in value.frobenius } == a)
        #expect((0..<6).reduce(a) { value, _ in value.frobenius } == a.conjugate)
    }

    @Test func `the square in the cyclotomic subgroup is the square`() {
        var generator = SeededGenerator(6)
        for _ in 0..<20 {
            let a = generator.fp12()
            let easy = a.conjugate * a.inverse()
            let b = easy.frobenius.frobenius * easy
            #expect(b.cyclotomicSquared() == b.squared() && b * b.conjugate == .one)
        }
    }
}
