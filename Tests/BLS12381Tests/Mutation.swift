/// Random changes of encoded values: mostly small, some gross, some none.
enum Mutation {
    static func mutate(_ bytes: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
        var result = bytes
        for _ in 0..<Int.random(in: 0...3, using: &generator) { change(&result, using: &generator) }
        return result
    }

    private static func change(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
        let index = bytes.isEmpty ? 0 : Int.random(in: 0..<bytes.count, using: &generator)
        let end = min(index + Int.random(in: 1...48, using: &generator), bytes.count)
        switch Int.random(in: 0..<9, using: &generator) {
        case 0 where !bytes.isEmpty: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1 where !bytes.isEmpty: bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
        case 2: bytes.insert(UInt8.random(in: .min ... .max, using: &generator), at: index)
        case 3 where !bytes.isEmpty: bytes.remove(at: index)
        case 4: bytes.replaceSubrange(index..<end, with: [UInt8](repeating: 0, count: end - index))
        case 5: bytes.replaceSubrange(index..<end, with: [UInt8](repeating: 0xff, count: end - index))
        case 6: bytes.replaceSubrange(index..<end, with: generator.bytes(end - index))
        case 7 where bytes.count >= 48:
            let start = bytes.count - 48
            let negative = difference(Samples.p, Array(bytes[start...]))
            bytes.replaceSubrange(start..., with: negative)
        default: bytes = bytes.reversed()
        }
    }

    /// The big-endian difference of two integers of equal length, without a last borrow.
    private static func difference(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
        var result = a
        var borrow = 0
        for index in a.indices.reversed() {
            let value = Int(a[index]) - Int(b[index]) - borrow
            result[index] = UInt8(value & 0xff)
            borrow = value < 0 ? 1 : 0
        }
        return result
    }
}
