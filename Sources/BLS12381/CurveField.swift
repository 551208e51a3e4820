/// A field over which one of the two curves is defined: ``Fp`` for G1, ``Fp2`` for G2.
protocol CurveField: Equatable, Sendable {
    /// The number of bytes of an element.
    static var byteCount: Int { get }
    static var zero: Self { get }
    static var one: Self { get }
    /// The constant b of the curve y² = x³ + b.
    static var curveConstant: Self { get }
    static func + (a: Self, b: Self) -> Self
    static func - (a: Self, b: Self) -> Self
    static func * (a: Self, b: Self) -> Self
    static prefix func - (a: Self) -> Self
    func squared() -> Self
    /// The inverse; zero for zero.
    func inverse() -> Self
    /// This element times 3b.
    var timesThreeB: Self { get }
    /// All ones if the element is zero, and zero otherwise.
    var zeroMask: UInt64 { get }
    /// Replaces this element with `other` if `mask` is all ones; does nothing if it is zero.
    mutating func replace(with other: Self, if mask: UInt64)
    /// Reads an element and returns a mask that is all ones if every coordinate is below p.
    static func read(_ bytes: ArraySlice<UInt8>) -> (value: Self, isCanonical: UInt64)
    /// Appends the bytes of the element.
    func write(to bytes: inout [UInt8])
}

extension CurveField {
    var doubled: Self { self + self }
    var tripled: Self { self + self + self }
}
