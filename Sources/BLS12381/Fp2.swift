/// An element a + b·u of Fp2, where u² = −1.
struct Fp2: Sendable, Equatable {
    /// The part without u.
    var a: Fp
    /// The factor of u.
    var b: Fp

    static let zero = Fp2(a: .zero, b: .zero)
    static let one = Fp2(a: .one, b: .zero)

    static func + (x: Fp2, y: Fp2) -> Fp2 { Fp2(a: x.a + y.a, b: x.b + y.b) }
    static func - (x: Fp2, y: Fp2) -> Fp2 { Fp2(a: x.a - y.a, b: x.b - y.b) }
    static prefix func - (x: Fp2) -> Fp2 { Fp2(a: -x.a, b: -x.b) }

    /// The product, with three multiplications (Karatsuba).
    static func * (x: Fp2, y: Fp2) -> Fp2 {
        let low = x.a * y.a
        let high = x.b * y.b
        return Fp2(a: low - high, b: (x.a + x.b) * (y.a + y.b) - low - high)
    }

    static func * (x: Fp2, y: Fp) -> Fp2 { Fp2(a: x.a * y, b: x.b * y) }

    func squared() -> Fp2 {
        let product = a * b
        return Fp2(a: (a + b) * (a - b), b: product + product)
    }

    /// The element to the p-th power.
    var conjugate: Fp2 { Fp2(a: a, b: -b) }

    /// The element times 1 + u, whose sixth root defines Fp12.
    var timesXi: Fp2 { Fp2(a: a - b, b: a + b) }

    func inverse() -> Fp2 {
        let norm = (a.squared() + b.squared()).inverse()
        return Fp2(a: a * norm, b: -(b * norm))
    }

    /// Raises the element to a public exponent, the lowest limb first.
    func power(_ exponent: [UInt64]) -> Fp2 {
        var result = Fp2.one
        for limb in exponent.reversed() {
            for shift in (0..<UInt64(64)).reversed() {
                result = result.squared()
                if limb >> shift & 1 == 1 { result = result * self }
            }
        }
        return result
    }
}

extension Fp2: CurveField {
    static let byteCount = 96
    /// 4·(1 + u).
    static let curveConstant = Fp2(a: .curveConstant, b: .curveConstant)

    var timesThreeB: Fp2 {
        let four = timesXi.doubled.doubled
        return four.doubled + four
    }

    var zeroMask: UInt64 { a.zeroMask & b.zeroMask }

    @inline(__always) mutating func replace(with other: Fp2, if mask: UInt64) {
        a.replace(with: other.a, if: mask)
        b.replace(with: other.b, if: mask)
    }

    /// Reads the part without u, then the factor of u.
    static func read(_ bytes: ArraySlice<UInt8>) -> (value: Fp2, isCanonical: UInt64) {
        let first = Fp.read(bytes.prefix(Fp.byteCount))
        let second = Fp.read(bytes.dropFirst(Fp.byteCount))
        return (Fp2(a: first.value, b: second.value), first.isCanonical & second.isCanonical)
    }

    func write(to bytes: inout [UInt8]) {
        a.write(to: &bytes)
        b.write(to: &bytes)
    }

    static func == (x: Fp2, y: Fp2) -> Bool { (x - y).zeroMask != 0 }
}
