/// Reads the numbers of the generated table; `scripts/unicode/generate.py` describes the encoding.
struct TableReader {
    private let digits: [UInt8]
    private var position = 0

    init(_ encoded: String) {
        digits = encoded.utf8.filter { $0 >= 0x30 }.map { $0 - 0x30 }
    }

    var isAtEnd: Bool { position == digits.count }

    /// The next number; 0 behind the end.
    mutating func number() -> UInt32 {
        var number: UInt32 = 0
        var shift: UInt32 = 0
        while position < digits.count {
            let digit = digits[position]
            position += 1
            number |= UInt32(digit & 31) << shift
            shift += 5
            if digit & 32 == 0 { break }
        }
        return number
    }

    mutating func number(relativeTo point: UInt32) -> UInt32 {
        let number = number()
        return number & 1 == 0 ? point &+ number / 2 : point &- (number / 2 + 1)
    }

    /// A list of ranges, with whatever `further` reads behind each.
    mutating func ranges(_ further: (inout TableReader) -> Void = { _ in }) -> ScalarSet {
        var ranges: [ClosedRange<UInt32>] = []
        var end: UInt32 = 0
        for _ in 0..<number() {
            let first = end + number()
            let last = first + number()
            ranges.append(first...last)
            end = last + 1
            further(&self)
        }
        return ScalarSet(ranges)
    }

    /// A list of code points, with what `read` reads behind each.
    mutating func points(_ read: (inout TableReader, UInt32) -> Void) {
        var end: UInt32 = 0
        for _ in 0..<number() {
            let point = end + number()
            end = point + 1
            read(&self, point)
        }
    }
}
