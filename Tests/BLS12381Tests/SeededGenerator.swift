@testable import BLS12381

/// SplitMix64: the same numbers for the same seed, so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }

    mutating func fp() -> Fp {
        // 380 bits are below p.
        var bytes = bytes(48)
        bytes[0] &= 0x0f
        return Fp.read(bytes[...]).value
    }

    mutating func fp2() -> Fp2 { Fp2(a: fp(), b: fp()) }
    mutating func fp6() -> Fp6 { Fp6(a: fp2(), b: fp2(), c: fp2()) }
    mutating func fp12() -> Fp12 { Fp12(a: fp6(), b: fp6()) }
    mutating func scalar() -> Scalar { Scalar.random(using: &self) }

    mutating func g1() -> G1Point {
        // A digest of the right length always maps to a point.
        (try? G1Point(digest: bytes(32))) ?? Samples.g1Generator
    }

    mutating func g2() -> G2Point { G2Point.generator.multiplied(by: scalar()) }
}
