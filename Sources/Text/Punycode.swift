/// Punycode (RFC 3492) with the parameters of IDNA.
enum Punycode {
    private static let base = 36
    private static let tMin = 1
    private static let tMax = 26
    private static let skew = 38
    private static let damp = 700
    private static let initialBias = 72
    private static let initialN = 128
    /// No label that this is called for is longer; it keeps the numbers far from an overflow.
    private static let maximumCount = 256

    /// Encodes a label: its ASCII part, a hyphen, and the insertions. Returns `nil` for more than 256 code points.
    static func encode(_ label: [UInt32]) -> [UInt8]? {
        guard label.count <= maximumCount else { return nil }
        var output = label.filter { $0 < 0x80 }.map { UInt8($0) }
        let basic = output.count
        if basic > 0 { output.append(UInt8(ascii: "-")) }
        var n = initialN, delta = 0, bias = initialBias, handled = basic
        while handled < label.count {
            // There is one: fewer code points are below `n` than there are in all.
            guard let next = label.lazy.map(Int.init).filter({ $0 >= n }).min() else { return nil }
            delta += (next - n) * (handled + 1)
            n = next
            for point in label.lazy.map(Int.init) {
                if point < n { delta += 1 }
                guard point == n else { continue }
                append(delta, bias, to: &output)
                bias = adapt(delta, count: handled + 1, isFirst: handled == basic)
                delta = 0
                handled += 1
            }
            delta += 1
            n += 1
        }
        return output
    }

    /// Decodes what stands after `xn--`; `nil` if it is malformed or ends with a code point that is no scalar value.
    static func decode(_ text: [UInt8]) -> [UInt32]? {
        guard text.count <= maximumCount else { return nil }
        let split = text.lastIndex(of: UInt8(ascii: "-"))
        var output = (split.map { text[..<$0] } ?? []).map { UInt32($0) }
        guard output.allSatisfy({ $0 < 0x80 }) else { return nil }
        var position = split.map { $0 + 1 } ?? 0
        var n = initialN, index = 0, bias = initialBias
        while position < text.count {
            let before = index
            var weight = 1, k = base
            while true {
                guard position < text.count, let digit = digit(text[position]) else { return nil }
                position += 1
                index += digit * weight
                let t = threshold(k, bias)
                if digit < t { break }
                weight *= base - t
                // Beyond this no code point can result, and the products stay small.
                guard index <= Int(UInt32.max), weight <= Int(UInt32.max) else { return nil }
                k += base
            }
            let count = output.count + 1
            bias = adapt(index - before, count: count, isFirst: before == 0)
            n += index / count
            index %= count
            guard n <= 0x10FFFF, !(0xD800...0xDFFF).contains(n) else { return nil }
            output.insert(UInt32(n), at: index)
            index += 1
        }
        return output
    }

    private static func append(_ delta: Int, _ bias: Int, to output: inout [UInt8]) {
        var q = delta, k = base
        while true {
            let t = threshold(k, bias)
            guard q >= t else { break }
            output.append(character(t + (q - t) % (base - t)))
            q = (q - t) / (base - t)
            k += base
        }
        output.append(character(q))
    }

    private static func threshold(_ k: Int, _ bias: Int) -> Int { min(max(k - bias, tMin), tMax) }

    private static func adapt(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / damp : delta / 2
        delta += delta / count
        var k = 0
        while delta > (base - tMin) * tMax / 2 {
            delta /= base - tMin
            k += base
        }
        return k + (base - tMin + 1) * delta / (delta + skew)
    }

    private static func character(_ digit: Int) -> UInt8 {
        UInt8(digit < 26 ? digit + 0x61 : digit - 26 + 0x30)
    }

    private static func digit(_ byte: UInt8) -> Int? {
        switch byte {
        case 0x61...0x7A: Int(byte) - 0x61
        case 0x41...0x5A: Int(byte) - 0x41
        case 0x30...0x39: Int(byte) - 0x30 + 26
        default: nil
        }
    }
}
