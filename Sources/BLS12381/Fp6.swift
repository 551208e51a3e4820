/// An element a + b·v + c·v² of Fp6, where v³ = 1 + u.
struct Fp6: Sendable, Equatable {
    var a: Fp2
    var b: Fp2
    var c: Fp2

    static let zero = Fp6(a: .zero, b: .zero, c: .zero)
    static let one = Fp6(a: .one, b: .zero, c: .zero)

    static func + (x: Fp6, y: Fp6) -> Fp6 { Fp6(a: x.a + y.a, b: x.b + y.b, c: x.c + y.c) }
    static func - (x: Fp6, y: Fp6) -> Fp6 { Fp6(a: x.a - y.a, b: x.b - y.b, c: x.c - y.c) }
    static prefix func - (x: Fp6) -> Fp6 { Fp6(a: -x.a, b: -x.b, c: -x.c) }

    /// The product, with six multiplications (Devegili, Ó hÉigeartaigh, Scott, Dahab: ePrint 2006/471).
    static func * (x: Fp6, y: Fp6) -> Fp6 {
        let aa = x.a * y.a
        let bb = x.b * y.b
        let cc = x.c * y.c
        let bc = (x.b + x.c) * (y.b + y.c) - bb - cc
        let ab = (x.a + x.b) * (y.a + y.b) - aa - bb
        let ac = (x.a + x.c) * (y.a + y.c) - aa - cc
        return Fp6(a: aa + bc.timesXi, b: ab + cc.timesXi, c: ac + bb)
    }

    /// The product with `first + second·v`.
    func times(_ first: Fp2, _ second: Fp2) -> Fp6 {
        let aa = a * first
        let bb = b * second
        let bc = (b + c) * second - bb
        let ab = (a + b) * (first + second) - aa - bb
        return Fp6(a: aa + bc.timesXi, b: ab, c: c * first + bb)
    }

    /// The product with `factor·v`.
    func timesV(_ factor: Fp2) -> Fp6 { Fp6(a: (c * factor).timesXi, b: a * factor, c: b * factor) }

    /// The product with v.
    var timesV: Fp6 { Fp6(a: c.timesXi, b: a, c: b) }

    func inverse() -> Fp6 {
        let t0 = a.squared() - (b * c).timesXi
        let t1 = c.squared().timesXi - a * b
        let t2 = b.squared() - a * c
        let norm = (a * t0 + (c * t1 + b * t2).timesXi).inverse()
        return Fp6(a: t0 * norm, b: t1 * norm, c: t2 * norm)
    }
}
