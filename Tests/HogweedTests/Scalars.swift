import Canonical
import Testing

/// Scalars of P-384 as 48 big-endian bytes, and the arithmetic that reaches its edges.
enum Scalars {
    /// n, the group's order (SEC 2, 2.5.1).
    static func order() throws -> [UInt8] {
        let high = String(repeating: "f", count: 48)
        return try #require(Hex.decode(high + "c7634d81f4372ddf581a0db248b0a77aecec196accc52973"))
    }

    static let zero = [UInt8](repeating: 0, count: 48)
    static let allOnes = [UInt8](repeating: 0xff, count: 48)

    static func small(_ value: UInt8) -> [UInt8] { zero.dropLast() + [value] }

    /// 2 to the power of 0 … 383.
    static func power(_ exponent: Int) -> [UInt8] {
        var bytes = zero
        bytes[47 - exponent / 8] = 1 << UInt8(exponent % 8)
        return bytes
    }

    /// The difference modulo 2^384.
    static func difference(_ minuend: [UInt8], _ subtrahend: [UInt8]) -> [UInt8] {
        var result = zero, borrow = 0
        for index in (0..<48).reversed() {
            let value = Int(minuend[index]) - Int(subtrahend[index]) - borrow
            borrow = value < 0 ? 1 : 0
            result[index] = UInt8(value + borrow * 256)
        }
        return result
    }

    static func random() -> [UInt8] { (0..<48).map { _ in UInt8.random(in: .min ... .max) } }
}
